// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Finds coroutines that have finished although their latest event is a resumption: version-1 targets do not trace the
// final suspension. A compiler clears the resume function in the frame there, so the frame proves it.
#pragma once

#include "core/symbols/coroutineframe.h"
#include "core/trace/population.h"

#include <unordered_map>
#include <vector>

namespace ct {

class RunningFrames {
public:
    /// A frame is read when its coroutine has run for so long, and again after this time.
    static constexpr std::uint64_t kEveryNs = 1'000'000'000;
    /// 40 bytes each. At the limit, all are removed, and their frames read again.
    static constexpr std::size_t kMost = 1'000'000;

    /// True if the coroutine runs as far as its events say, or if its state is unknown: its thread has ended, or events
    /// are lost.
    static bool mayHaveFinished(const CoroutineSnapshot &coroutine);
    /// True if the frame of the coroutine is to be read at `now` (ns, CLOCK_MONOTONIC). Counts it as
    /// requested. A frame that could not be read, or is none, is not read again in the same run of the coroutine.
    bool request(const CoroutineSnapshot &coroutine, std::uint64_t now);
    /// `before`: the coroutine, just before its frame was read, at `at` (ns, CLOCK_MONOTONIC). `after`: the same
    /// coroutine when everything that happened up to then was captured.
    void compare(const CoroutineSnapshot &before, const CoroutineSnapshot &after, CoroutineFrame::State state,
                 std::uint64_t at);
    /// Returns the coroutines that have finished, since the call before.
    std::vector<Finish> takeFinishes() { return std::exchange(m_finishes, {}); }

private:
    struct Request {
        std::uint64_t since = 0;  ///< when the run began; ns
        std::uint64_t at = 0;     ///< ns
        bool isFrame = true;      ///< as far as is known
    };
    std::unordered_map<CoroutineId, Request> m_requests;
    std::vector<Finish> m_finishes;
};

}  // namespace ct
