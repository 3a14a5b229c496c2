// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Merges rows into ranges, as item models must report removals, insertions and changes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace ct {

/// Rows first to last, both included.
struct RowRange {
    int first = 0;
    int last = 0;
    bool operator==(const RowRange &) const = default;
};

/// Returns the rows from 0 to count - 1 for which isWanted(row) is true, as merged, ascending ranges.
template <class IsWanted>
std::vector<RowRange> rangesOf(std::size_t count, IsWanted &&isWanted)
{
    std::vector<RowRange> ranges;
    for (std::size_t i = 0; i < count; ++i) {
        const int row = static_cast<int>(i);
        if (!isWanted(i))
            continue;
        if (!ranges.empty() && ranges.back().last == row - 1)
            ranges.back().last = row;
        else
            ranges.push_back({row, row});
    }
    return ranges;
}

/// Merges sorted rows into ranges. A gap of at most `slack` rows does not end a range.
inline std::vector<RowRange> mergedRanges(const std::vector<int> &rows, int slack)
{
    std::vector<RowRange> ranges;
    for (const int row : rows) {
        if (!ranges.empty() && row - ranges.back().last <= slack + 1)
            ranges.back().last = std::max(ranges.back().last, row);
        else
            ranges.push_back({row, row});
    }
    return ranges;
}

/// With more ranges than this, one layoutChanged() is cheaper for a view.
inline constexpr std::size_t kManyRanges = 128;

}  // namespace ct
