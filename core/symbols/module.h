// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// One executable mapping of a file in a process: what turns an address into a place in a file. A plain value.
#pragma once

#include <cstdint>
#include <string>

namespace ct {

struct Module {
    std::string path;
    std::uint64_t begin = 0;   ///< address of the first byte
    std::uint64_t end = 0;     ///< address behind the last byte
    std::uint64_t offset = 0;  ///< of `begin` in the file
    std::string buildId;       ///< hexadecimal digits; empty = not known
    bool operator==(const Module &) const = default;
};

}  // namespace ct
