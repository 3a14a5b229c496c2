// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Stations of this project's probe that are freed and allocated again.
#include "core/collect/fullstationlist.h"
#include "tests/support/fullstationcapture.h"

#include <optional>

using regions::Capture;
using regions::StreamSums;
using writers::Style;
using writers::Writer;

namespace {

/// Pops a free station as this project's probe does. Returns nullptr if there is none.
corotracer::StationData *popFreeStation(ct::Region &region)
{
    std::atomic<std::uint64_t> &top = region.writableHeader()->extension.free_stations;
    const auto index = static_cast<std::uint32_t>(top.load());
    if (index == 0)
        return nullptr;
    corotracer::StationData *const station = region.writableStation(index - 1);
    top.store(((top.load() >> 32) + 1) << 32 | station->extension.next_free.load());
    return station;
}

Writer createAgain(corotracer::StationData &station, std::uint64_t key)
{
    std::uint64_t begin = 0;
    for (const corotracer::Epoch &epoch : station.slots)
        begin += epoch.seq.load() / 2;
    station.extension.generation.fetch_add(1);
    station.extension.gen_start.store(begin);
    station.header.is_dead.store(0);
    Writer writer(station, Style::Ours, key, begin);
    writer.create();
    return writer;
}

}  // namespace

/// Stations of this project's probe are used again once they were read. Numbers start again, seqs continue.
CT_CASE(stationsOfTheProbeAreReused)
{
    Capture c(4);
    std::uint64_t emitted = 0;
    for (std::uint64_t key = 1; key <= 50; ++key) {
        std::optional<Writer> writer;
        if (corotracer::StationData *const station = popFreeStation(c.region)) {
            c.pass();  // notices the allocation before the birth
            writer = createAgain(*station, key);
        } else {
            CHECK_EQUAL(key, 1u);
            writer = c.born(Style::Ours, key);
        }
        const std::uint64_t events = key % 7;
        writer->write(events);
        writer->destroy();
        emitted += events;
        c.safetyPass();
        c.pass();
        CHECK_EQUAL(c.streamSums.deaths, key);
    }
    CHECK_EQUAL(c.streamSums.coroutines.size(), 50u);
    for (const StreamSums::One &one : c.streamSums.coroutines) {
        CHECK_EQUAL(one.captured, one.key % 7);
        CHECK_EQUAL(one.station, 0u);
    }
    CHECK_EQUAL(c.header().allocated_count.load(), 1u);
    c.end();
    CHECK_EQUAL(c.loop.accounting().captured, emitted);
    CHECK_EQUAL(c.loop.accounting().untraced, 0u);
    CHECK_EQUAL(c.streamSums.inversions + c.streamSums.broken + c.streamSums.flags, 0u);
}

/// A station is popped between the engine's check of the stack and its next push, which hides the pop.
CT_CASE(aStationPoppedDuringAPushIsNoticed)
{
    regions::TempDir dir;
    ct::Region region = Capture::make(dir, 8);
    ct::FullStationList list(region);
    StreamSums streamSums;
    const auto pass = [&](auto action) {
        ct::Batch batch;
        list.noticeReuse();
        action();
        const std::uint32_t given = region.header().allocated_count.load();
        list.discover({given, 8, 0}, true, batch);
        list.readLive<std::memory_order_acquire>(batch, 1000);
        list.rotate(list.rotationSize(), batch, 1000);
        streamSums.add(batch);
    };
    for (std::uint64_t key = 1; key <= 3; ++key) {
        corotracer::StationData *const station = writers::allocateFullStation(*region.writableHeader());
        REQUIRE(station);
        Writer writer(*station, Style::Ours, key);
        writer.create();
        writer.write(3);
        if (key == 3)
            pass([] {});  // the first two are free
        writer.destroy();
    }
    pass([&] {
        Writer again = createAgain(*popFreeStation(region), 4);
        again.write(3);
        again.destroy();
    });  // and the third is free
    CHECK(list.isReuseNoticed());
    pass([] {});
    CHECK_EQUAL(streamSums.coroutines.size(), 4u);
    CHECK_EQUAL(streamSums.captured, 12u);
    CHECK_EQUAL(streamSums.deaths, 4u);
}
