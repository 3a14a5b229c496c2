// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A coroutine frame's address, which is all that targets built with existing SDKs send, to the coroutine's function and
// the line at which it is suspended.
#pragma once

#include "core/symbols/codewalk.h"
#include "core/symbols/describedaddress.h"
#include "core/symbols/modulemap.h"

#include <cstdint>
#include <optional>

namespace ct {

class Symbolizer;

struct CoroutineFrame {
    enum class State {
        Unknown,    ///< no frame, or not to be read: see `place`
        Suspended,  ///< at a suspension point, or running: the frame does not tell
        Finished,   ///< suspended for the last time (final_suspend)
    };
    State state = State::Unknown;
    /// One frame: the coroutine's function, and line and column of its co_await where they could be had soundly.
    DescribedAddress place;
    std::uint64_t resumeFunction = 0;          ///< address; 0 = finished, or not known
    std::optional<std::uint64_t> resumeIndex;  ///< which suspension point, by the compiler's own counting
};

/// Reads the process's memory through `read`: the frame's two functions have to be a coroutine's, by their symbols
/// (g++: .actor and .destroy; clang: .resume, .destroy, .cleanup), or the address is no frame. The answer is of the
/// moment of reading: the caller compares the coroutine's count of events before and after. Not for the GUI thread.
///
/// The line: clang 21 and later say it (labels __coro_resume_<index>). Older clang and g++ do not; there (x86-64) the
/// resume function's code is followed from the frame's index to the await_resume() of its co_await, whose place is the
/// co_await's. Without debug information, where await_resume() was optimised away, or where two suspension points lead
/// to the same one: function only, and it is said so.
CoroutineFrame describeCoroutineFrame(Symbolizer &symbolizer, const ModuleMap &modules, std::uint64_t frame,
                                      const MemoryReader &read);

}  // namespace ct
