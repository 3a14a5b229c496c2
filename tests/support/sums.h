// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Checks the invariant of every run: the sums of all coroutines in the stream equal the totals.
#pragma once

#include "core/stream/stream.h"
#include "tests/support/check.h"

#include <cstdint>

namespace sums {

/// `streamSums` has captured, lost and missed events, per coroutine and in total.
template <class StreamSums>
void check(const StreamSums &streamSums, const ct::Accounting &sums)
{
    std::uint64_t captured = 0;
    std::uint64_t lost = 0;
    std::uint64_t missed = 0;
    for (const auto &one : streamSums.coroutines) {
        captured += one.captured;
        lost += one.lost;
        missed += one.missed;
    }
    CHECK_EQUAL(captured, sums.captured);
    CHECK_EQUAL(lost + sums.lostWithoutCoroutine, sums.lost);
    CHECK_EQUAL(missed + sums.missedWithoutCoroutine, sums.missedBeforeAttach);
    CHECK(sums.lostWithoutCoroutine + sums.missedWithoutCoroutine == 0 || sums.coroutinesMissed != 0);
    CHECK_EQUAL(streamSums.coroutines.size(), sums.coroutines);
}

}  // namespace sums
