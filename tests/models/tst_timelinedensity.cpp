// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/timelinedensity.h"

#include "tests/models/timelineviews.h"
#include "tests/support/check.h"

#include <cmath>

using namespace ct;
using test::viewOf;

namespace {

bool isNear(float a, float b)
{
    return std::fabs(a - b) < 1e-3F;
}

}  // namespace

CT_CASE(eventsAreSpreadOverTheirTime)
{
    const TimelineCoordinates view = viewOf(1000, 10, 10);
    const auto from = static_cast<std::uint64_t>(view.from());
    const std::vector<History::Stretch> stretches = {{from, from + 39, 400, false}, {from + 40, from + 49, 200, true}};
    const std::vector<DensityColumn> columns = densityColumns(stretches, view);
    REQUIRE(columns.size() == 10);
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(isNear(columns[i].share, 0.5F));
        CHECK(isNear(columns[i].inMemory, 0));
    }
    CHECK(isNear(columns[4].share, 1));
    CHECK(isNear(columns[4].inMemory, 1));
    for (std::size_t i = 5; i < 10; ++i)
        CHECK(columns[i] == DensityColumn());
}

CT_CASE(partsOutsideOfTheViewAreLeftOut)
{
    using Stretches = std::vector<History::Stretch>;
    const TimelineCoordinates view = viewOf(1000, 10, 10);
    const auto from = static_cast<std::uint64_t>(view.from());
    const std::vector<DensityColumn> columns =
        densityColumns(Stretches{{0, from + 4, from + 5, true}, {from + 95, from + 5000, 10, true}}, view);
    REQUIRE(columns.size() == 10);
    CHECK(isNear(columns[0].share, 1));
    CHECK(isNear(columns[5].share, 0));
    CHECK(columns[9].share > 0);
    CHECK(densityColumns(Stretches{{0, from - 1, 1, true}, {from + 100, from + 2000, 5, true}}, view).empty());
    CHECK(densityColumns({}, view).empty());
}

CT_CASE(overlappingStretchesAddUp)
{
    const TimelineCoordinates view = viewOf(1000, 10, 4);
    const auto from = static_cast<std::uint64_t>(view.from());
    const std::vector<History::Stretch> stretches = {
        {from, from + 9, 30, true}, {from, from + 9, 10, false}, {from + 20, from + 20, 20, true}};
    const std::vector<DensityColumn> columns = densityColumns(stretches, view);
    REQUIRE(columns.size() == 4);
    CHECK(isNear(columns[0].share, 1));
    CHECK(isNear(columns[0].inMemory, 0.75F));
    CHECK(isNear(columns[2].share, 0.5F));
}
