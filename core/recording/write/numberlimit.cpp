// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recording/write/numberlimit.h"

#include "core/recording/format/ctrformat.h"

#include <algorithm>

namespace ct::ctr {

namespace {

template <class Row>
bool isBeyond(const Row &row)
{
    return row.n >= kNumberEnd;
}
bool isBeyond(const Loss &loss)
{
    return loss.firstN >= kNumberEnd || loss.count >= kNumberEnd;
}

template <class Rows>
bool fits(const Rows &rows)
{
    return std::none_of(rows.begin(), rows.end(), [](const auto &row) { return isBeyond(row); });
}

template <class Rows>
std::size_t leaveOut(Rows &rows)
{
    return std::erase_if(rows, [](const auto &row) { return isBeyond(row); });
}

}  // namespace

bool fitsNumberRange(const Batch &batch)
{
    // Combine all bits and compare once, because this runs for every transition.
    std::uint64_t bits = 0;
    for (const Transition &event : batch.transitions)
        bits |= event.n;
    return bits < kNumberEnd && fits(batch.losses) && fits(batch.notes.waits) && fits(batch.notes.wakes) &&
           fits(batch.notes.uses) && fits(batch.notes.wakersLeft);
}

std::size_t leaveOutBeyondRange(Batch &batch)
{
    leaveOut(batch.losses);
    leaveOut(batch.notes.waits);
    leaveOut(batch.notes.wakes);
    leaveOut(batch.notes.uses);
    leaveOut(batch.notes.wakersLeft);
    return leaveOut(batch.transitions);
}

}  // namespace ct::ctr
