// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Survives a file that is cut short under its mapping. Any process that may write the file can do that, and the next
// access beyond its new end raises SIGBUS: a hostile or broken target must not take the engine with it. So does the
// first look at a hole when the file system is full.
#pragma once

#include <cstddef>

namespace ct {

/// While it lives, an access to [begin, begin + size) that has nothing behind it (the file ended, or a hole on a full
/// file system) reads zeros from a private page. Any thread. At most 64 at a time; further ones guard nothing.
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
