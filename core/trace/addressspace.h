// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Address space for what grows and must not move: reserved at once, its memory comes when it is touched.
#pragma once

#include <cstddef>

namespace ct {

/// Owned by whoever made it, see unreserve(). Its first byte is aligned to a huge page; those are asked for.
struct AddressSpace {
    static constexpr std::size_t kHugePage = std::size_t{2} << 20;

    std::byte *first = nullptr;  ///< nullptr: the system has not so much
    std::size_t bytes = 0;       ///< from `first` on, a multiple of kHugePage
    /// False: it must be made accessible with mprotect(2) before it is touched, piece by piece; for where every
    /// accessible page is promised memory (strict overcommit accounting), what is only reserved must count nowhere.
    bool accessible = false;
    void *mapping = nullptr;
    std::size_t mappedBytes = 0;
};

/// At least `bytes`. Whatever can be is made accessible from the start: mprotect(2) waits for whoever populates
/// memory of the process at that moment, which takes milliseconds.
AddressSpace reserve(std::size_t bytes);
void unreserve(const AddressSpace &space);
/// Gives the memory of whole pages inside [begin, end) back; they read as zero then. Private anonymous memory only.
void releasePages(const void *begin, const void *end);

}  // namespace ct
