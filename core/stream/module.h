// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// One executable mapping of a file in a process. It maps an address to an offset in the file. A plain value.
#pragma once

#include <cstdint>
#include <string>

namespace ct {

struct Module {
    std::string path;
    std::uint64_t begin = 0;   ///< address of the first byte
    std::uint64_t end = 0;     ///< address behind the last byte
    std::uint64_t offset = 0;  ///< offset of `begin` in the file, in bytes
    std::string buildId;       ///< hexadecimal digits; empty = unknown
    bool operator==(const Module &) const = default;
};

}  // namespace ct
