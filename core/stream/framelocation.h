// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// The location of a coroutine, read from its frame while the process lived; or that of an address of code, which a file
// has resolved. A plain value.
// See docs/decisions/0011-what-addresses-mean.md.
#pragma once

#include "core/stream/stream.h"

#include <cstdint>
#include <string>

namespace ct {

struct FrameLocation {
    CoroutineId coroutine = kNoCoroutine;
    std::uint64_t frame = 0;  ///< address of the frame, as in the coroutine's events
    std::uint64_t since =
        0;  ///< ns, CLOCK_MONOTONIC: time of the suspension at `file` and `line`; 0 = they belong to the address
    std::uint64_t code = 0;    ///< address of the coroutine's resume function; 0 = unknown
    std::uint32_t line = 0;    ///< from 1; 0 = unknown
    std::uint32_t column = 0;  ///< from 1; 0 = unknown
    std::string file;
    std::string function;  ///< readable form, see core/base/functionname.h
    bool operator==(const FrameLocation &) const = default;
};

}  // namespace ct
