// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/protocol/compactreader.h"
#include "tests/support/check.h"
#include "tests/support/lanewriter.h"
#include "tests/support/writers.h"

#include <random>

namespace {

using ct::kRelaxed;

struct Station {
    corotracer::CompactState state{};
    corotracer::CompactBirth birth{};

    std::optional<ct::CompactCopy> read() const { return ct::readCompact(state, birth); }
};

}  // namespace

CT_CASE(freshMemoryIsFree)
{
    const Station station;
    const auto copy = station.read();
    REQUIRE(copy);
    CHECK_EQUAL(copy->life, std::uint32_t{corotracer::kCompactFree});
    CHECK_EQUAL(copy->generation, 0u);
    CHECK_EQUAL(copy->events, 0u);
    CHECK(!copy->latestTorn);
}

CT_CASE(copyHasEveryField)
{
    Station station;
    station.birth.probe_id.store(1, kRelaxed);
    station.birth.birth_ts.store(2, kRelaxed);
    station.birth.name.store(3, kRelaxed);
    station.birth.parent.store(4, kRelaxed);
    station.birth.process.store(5, kRelaxed);
    station.state.ts.store(6, kRelaxed);
    station.state.addr.store(7, kRelaxed);
    station.state.what.store(std::uint64_t{0x23} << 32 | 0xFEDCBA98, kRelaxed);
    station.state.tid.store(8, kRelaxed);
    station.state.death_ts.store(9, kRelaxed);
    station.state.seq.store(200, kRelaxed);
    station.state.life.store(std::uint64_t{77} << 32 | corotracer::kCompactDead, kRelaxed);
    const auto copy = station.read();
    REQUIRE(copy);
    CHECK_EQUAL(copy->probeId, 1u);
    CHECK_EQUAL(copy->birthTs, 2u);
    CHECK_EQUAL(copy->name, 3u);
    CHECK_EQUAL(copy->parent, 4u);
    CHECK_EQUAL(copy->process, 5u);
    CHECK_EQUAL(copy->ts, 6u);
    CHECK_EQUAL(copy->addr, 7u);
    CHECK_EQUAL(copy->site, 0xFEDCBA98u);
    CHECK_EQUAL(int{copy->kind}, 0x23);
    CHECK_EQUAL(copy->tid, 8u);
    CHECK_EQUAL(copy->deathTs, 9u);
    CHECK_EQUAL(copy->events, 100u);
    CHECK_EQUAL(copy->generation, 77u);
    CHECK_EQUAL(copy->life, std::uint32_t{corotracer::kCompactDead});
}

/// The writer stopped between the odd and the even seq: the number counts, the event is invalid.
CT_CASE(aHalfWrittenEventCountsButIsInvalid)
{
    Station station;
    station.state.life.store(std::uint64_t{1} << 32 | corotracer::kCompactAlive, kRelaxed);
    station.state.ts.store(6, kRelaxed);
    station.state.seq.store(2 * 10 + 1, kRelaxed);
    const auto copy = station.read();
    REQUIRE(copy);
    CHECK(copy->latestTorn);
    CHECK_EQUAL(copy->events, 10u);
    CHECK_EQUAL(copy->ts, 0u);
    CHECK_EQUAL(copy->generation, 1u);
}

/// Before the first event, the old field values belong to another coroutine.
CT_CASE(copyWithoutEventsIsEmpty)
{
    Station station;
    station.state.life.store(std::uint64_t{2} << 32 | corotracer::kCompactAlive, kRelaxed);
    station.state.ts.store(6, kRelaxed);
    station.state.tid.store(6, kRelaxed);
    const auto copy = station.read();
    REQUIRE(copy);
    CHECK_EQUAL(copy->events, 0u);
    CHECK_EQUAL(copy->ts, 0u);
    CHECK_EQUAL(copy->tid, 0u);
}

CT_CASE(survivesHostileStations)
{
    std::mt19937_64 random(2);
    for (int i = 0; i < 10'000; ++i) {
        Station station;
        for (auto *field : {&station.state.seq, &station.state.ts, &station.state.what, &station.state.life})
            field->store(random() >> (random() % 64), kRelaxed);
        const auto copy = station.read();
        REQUIRE(copy);
        CHECK_EQUAL(copy->events, station.state.seq.load() / 2);
        CHECK_EQUAL(copy->latestTorn, station.state.seq.load() % 2 != 0);
    }
}
