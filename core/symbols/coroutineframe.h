// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Resolves the address of a coroutine frame to the coroutine's function and the line at which it is suspended. Targets
// built with existing SDKs send only this address.
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
        Unknown,    ///< no frame, or not readable: see `location`
        Suspended,  ///< at a suspension point, or running: the frame does not distinguish these
        Finished,   ///< at its final suspension point
    };
    State state = State::Unknown;
    /// One frame: the coroutine's function. With line and column of its co_await where they can be determined reliably.
    DescribedAddress location;
    std::uint64_t resumeFunction = 0;          ///< address; 0 = finished or unknown
    std::optional<std::uint64_t> resumeIndex;  ///< number of the suspension point as the compiler counts
};

/// Reads the frame from the process's memory through `read`. The address is a frame only if the symbols of its two
/// functions belong to a coroutine (g++: .actor and .destroy; clang: .resume, .destroy, .cleanup). The result is valid
/// for the moment of reading: the caller compares the coroutine's number of events before and after. Not for the GUI
/// thread.
///
/// The line: clang 21 and later emit labels for it (__coro_resume_<index>). For older clang and g++ on x86-64, a walk
/// follows the resume function from the frame's index to an await_resume(). The location of this call is the location
/// of the co_await. In three cases only the function is known: no debug information, await_resume() optimised away, or
/// two suspension points that lead to one await_resume(). The result then says so.
CoroutineFrame describeCoroutineFrame(Symbolizer &symbolizer, const ModuleMap &modules, std::uint64_t frame,
                                      const MemoryReader &read);

}  // namespace ct
