// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The invariant of every run: what the stream says of its coroutines, one by one, adds up to the sums.
#pragma once

#include "core/trace/stream.h"
#include "tests/support/check.h"

#include <cstdint>

namespace sums {

/// `books`: captured, lost and missed by coroutine and in all. `withoutCoroutine`: a part of lost and missed, of lives
/// that the stream has no coroutine for; those are counted, too.
template <class Books>
void check(const Books &books, const ct::Accounting &sums, std::uint64_t withoutCoroutine = 0)
{
    std::uint64_t captured = 0;
    std::uint64_t lost = 0;
    std::uint64_t missed = 0;
    for (const auto &one : books.coroutines) {
        captured += one.captured;
        lost += one.lost;
        missed += one.missed;
    }
    CHECK_EQUAL(captured, sums.captured);
    CHECK_EQUAL(lost + missed + withoutCoroutine, sums.lost + sums.missedBeforeAttach);
    CHECK(lost <= sums.lost);
    CHECK(missed <= sums.missedBeforeAttach);
    CHECK(withoutCoroutine == 0 || sums.coroutinesMissed != 0);
    CHECK_EQUAL(books.coroutines.size(), sums.coroutines);
}

}  // namespace sums
