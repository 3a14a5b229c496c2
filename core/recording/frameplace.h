// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// What was learned of a coroutine by reading its frame while its process lived: see docs/decisions/0011. A plain value.
#pragma once

#include "core/trace/stream.h"

#include <cstdint>
#include <string>

namespace ct {

struct FramePlace {
    CoroutineId coroutine = kNoCoroutine;
    std::uint64_t frame = 0;   ///< its address, as the coroutine's events have it
    std::uint64_t since = 0;   ///< ns, CLOCK_MONOTONIC: of the suspension that file and line are of; 0 = none
    std::uint64_t code = 0;    ///< address of the coroutine's resume function; 0 = not known
    std::uint32_t line = 0;    ///< from 1; 0 = not known
    std::uint32_t column = 0;  ///< from 1; 0 = not known
    std::string file;
    std::string function;  ///< readable
    bool operator==(const FramePlace &) const = default;
};

}  // namespace ct
