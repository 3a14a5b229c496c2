// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Handles SIGBUS in mappings of a region. Any process that may write the file can cut it short, and the next access
// beyond its new end raises SIGBUS. So does reading a hole of the file on a full file system. Neither must end the
// engine.
#pragma once

#include <cstddef>

namespace ct {

/// While it lives, accesses to [begin, begin + size) that would raise SIGBUS read zeros from a private page. Protects
/// all threads. At most 64 guards are active at a time; further ones have no effect.
class MappingGuard {
public:
    MappingGuard() = default;
    MappingGuard(void *begin, std::size_t size);
    ~MappingGuard();
    MappingGuard(const MappingGuard &) = delete;
    MappingGuard &operator=(const MappingGuard &) = delete;

private:
    int m_entry = -1;
};

}  // namespace ct
