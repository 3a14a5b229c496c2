// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A region of full stations, a harvest loop over it, and the sums of its stream.
#pragma once

#include "tests/support/check.h"
#include "tests/support/harvestloop.h"
#include "tests/support/regions.h"
#include "tests/support/sums.h"

namespace regions {

struct Capture {
    explicit Capture(std::uint32_t stations) : region(make(dir, stations)), loop(region) {}
    static ct::Region make(const TempDir &dir, std::uint32_t stations)
    {
        auto created = ct::Region::create({dir.file("r.shm"), stations});
        REQUIRE(created);
        return std::move(*created);
    }
    corotracer::GlobalHeader &header() { return *region.writableHeader(); }
    writers::Writer born(writers::Style style, std::uint64_t key)
    {
        corotracer::StationData *const station = writers::allocateFullStation(header());
        REQUIRE(station);
        writers::Writer writer(*station, style, key);
        writer.create();
        return writer;
    }
    void pass()
    {
        batch.clear();
        loop.pass(batch);
        streamSums.add(batch);
    }
    void safetyPass()
    {
        batch.clear();
        loop.safetyPass(batch);
        streamSums.add(batch);
    }
    void end()
    {
        for (bool done = false; !done;) {
            batch.clear();
            done = loop.finalDrain(batch);
            streamSums.add(batch);
        }
        sums::check(streamSums, loop.accounting());
    }
    void checkTotals(std::uint64_t emitted)
    {
        const ct::Accounting sums = loop.accounting();
        CHECK_EQUAL(sums.captured + sums.lost + sums.missedBeforeAttach, emitted);
        CHECK_EQUAL(streamSums.captured, sums.captured);
        CHECK_EQUAL(streamSums.lost, sums.lost);
        CHECK_EQUAL(streamSums.missed, sums.missedBeforeAttach);
        CHECK_EQUAL(streamSums.coroutines.size(), sums.coroutines);
        CHECK_EQUAL(streamSums.inversions, 0u);
        CHECK_EQUAL(streamSums.torn, 0u);
        CHECK_EQUAL(streamSums.broken, 0u);
    }

    TempDir dir;
    ct::Region region;
    HarvestLoop loop;
    ct::Batch batch;
    StreamSums streamSums;
};

}  // namespace regions
