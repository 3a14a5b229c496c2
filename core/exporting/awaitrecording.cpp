// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exporting/awaitrecording.h"

#include "core/recording/read/rangereader.h"

#include <chrono>
#include <thread>

namespace ct {

namespace {

constexpr std::chrono::milliseconds kPatience{3000};
constexpr std::chrono::milliseconds kPollInterval{20};

}  // namespace

bool awaitRecording(const std::shared_ptr<const StreamIndex> &streamIndex, std::uint64_t end,
                    const std::function<bool()> &goOn)
{
    const auto mayCome = [&] { return streamIndex->endPosition() < end && !streamIndex->isClosed(); };
    for (auto waited = kPollInterval; mayCome() && waited < kPatience; waited += kPollInterval) {
        if (!goOn())
            return false;
        std::this_thread::sleep_for(kPollInterval);
    }
    const std::optional<StreamIndex::Block> first = streamIndex->blockAt(0);
    RangeReader reader(streamIndex);
    Transitions events;
    return first && streamIndex->endPosition() >= end && reader.read(0, 1, events);
}

}  // namespace ct
