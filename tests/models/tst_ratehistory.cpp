// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/ratehistory.h"
#include "tests/support/check.h"

using namespace ct;

CT_CASE(ratesComeFromSums)
{
    RateHistory rates;
    CHECK(!rates.addSample(1'000'000'000, 100, 5, 1));  // the start of the first interval
    CHECK(!rates.addSample(1'100'000'000, 200, 5, 1));  // too soon for another sample
    CHECK(rates.addSample(1'500'000'000, 600, 10, 7));
    CHECK(rates.samples().size() == 1);
    CHECK_EQUAL(rates.eventsPerSecond(), 1000.0);
    CHECK_EQUAL(rates.lostPerSecond(), 10.0);
    CHECK_EQUAL(rates.samples().back().alive, 7U);
    CHECK_EQUAL(rates.samples().back().ts, 1'500'000'000U);
}

CT_CASE(keepsTheSamplesOfTwoMinutes)
{
    RateHistory rates;
    for (std::uint64_t i = 0; i < 1000; ++i)
        rates.addSample(i * RateHistory::kIntervalNs, i, 0, 0);
    CHECK_EQUAL(rates.samples().size(), RateHistory::kSpanNs / RateHistory::kIntervalNs + 1);
    CHECK_EQUAL(rates.samples().back().ts, 999 * RateHistory::kIntervalNs);
}

CT_CASE(decreasingSumsRestartTheRates)
{
    RateHistory rates;
    rates.addSample(0, 0, 0, 0);
    rates.addSample(1'000'000'000, 500, 0, 0);
    CHECK(!rates.addSample(2'000'000'000, 10, 0, 0));
    CHECK(rates.samples().empty());
    CHECK(rates.addSample(3'000'000'000, 20, 0, 0));
    CHECK_EQUAL(rates.eventsPerSecond(), 10.0);
    rates.clear();
    CHECK_EQUAL(rates.eventsPerSecond(), 0.0);
}
