// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Reads /proc/PID/task/TID/syscall: what a sleeping thread waits for, and whether a timeout ends the wait. Qt-free.
#pragma once

#include "core/stream/evidence.h"

#include <optional>
#include <string_view>

namespace ct {

struct SystemCall {
    ThreadCall call = ThreadCall::Unknown;
    bool isTimed = false;
    std::uint64_t object = 0;  ///< as ThreadSample::object

    bool operator==(const SystemCall &) const = default;
};

/// Reads the content of the file: numbers and arguments as of the processor on which this program runs. Returns nullopt
/// if the kernel continues a call that was interrupted: then the file does not say which one.
std::optional<SystemCall> systemCallOf(std::string_view text);

}  // namespace ct
