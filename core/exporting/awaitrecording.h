// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/recording/read/streamindex.h"

#include <cstdint>
#include <functional>
#include <memory>

namespace ct {

/// Waits up to three seconds until the recording has the stream up to position `end`: it lags behind its capture by
/// half a second and a queue. Returns true if it has all of that. `goOn` is called repeatedly; returning false ends the
/// wait.
bool awaitRecording(const std::shared_ptr<const StreamIndex> &streamIndex, std::uint64_t end,
                    const std::function<bool()> &goOn);

}  // namespace ct
