// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Reserves address space for arrays that grow and must not move. A page gets memory when it is first touched.
#pragma once

#include <cstddef>

namespace ct {

/// A reserved range. The caller of reserve() owns it and ends it with unreserve(). The range begins at a huge page, and
/// reserve() asks the kernel for huge pages.
struct ReservedRange {
    static constexpr std::size_t kHugePage = std::size_t{2} << 20;

    std::byte *first = nullptr;  ///< nullptr: too little address space
    std::size_t bytes = 0;       ///< bytes from `first` on, a multiple of kHugePage
    /// False: the caller must make each part accessible with mprotect(2) before touching it. Strict overcommit
    /// accounting charges every accessible page, so reserved pages stay inaccessible there.
    bool accessible = false;
    void *mapping = nullptr;      ///< start of the mapping, for unreserve()
    std::size_t mappedBytes = 0;  ///< bytes of the mapping, for unreserve()
};

/// Reserves at least `bytes`, but no more than a sixteenth of the limit of the address space (ulimit -v). Makes the
/// range accessible at once where possible: a later mprotect(2) would wait for any thread that is populating memory of
/// this process. That can last milliseconds.
ReservedRange reserve(std::size_t bytes);
void unreserve(const ReservedRange &space);
/// Returns the memory of the whole pages inside [begin, end) to the system. These pages read as zero afterwards. For
/// private anonymous memory only.
void releasePages(const void *begin, const void *end);

}  // namespace ct
