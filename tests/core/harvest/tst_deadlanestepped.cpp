// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The engine frees the lanes of a dead process, one machine instruction at a time. Between two instructions, a living
// thread claims a lane that is already free. The lane must stay with that thread.
#include "core/harvest/laneclock.h"
#include "core/harvest/lanelist.h"
#include "tests/support/lanecapture.h"
#include "tests/support/singlestep.h"

using namespace lanecapture;

namespace {

/// The lane part of an engine, without the rest of the harvest loop.
struct Engine {
    explicit Engine(Capture &c)
        : harvestState(*c.region),
          processes(*c.region, clock, c.isAlive()),
          merger(*c.region, harvestState, processes),
          lanes(*c.region, harvestState, processes)
    {
        batch.now = corotracer::detail::monotonic_ns();
    }
    void readAll()
    {
        lanes.refresh(batch, true);
        lanes.read(merger, batch, 100'000, ~std::uint64_t{0});
        lanes.storeTails();
    }

    ct::HarvestState harvestState;
    ct::LaneClock clock;
    ct::ProcessList processes;
    ct::Merger merger;
    ct::LaneList lanes;
    ct::Batch batch;
};

}  // namespace

CT_CASE(keepsLaneClaimedByAnotherProcess)
{
    bool wasDisturbed = true;
    std::uint64_t moments = 0;
    for (std::uint64_t moment = 1; wasDisturbed; ++moment) {
        Capture c;
        Engine engine(c);
        const Process dead = c.process(77);
        const Process living = c.process(78);
        Lane lane = *dead.claimLane(5);
        Coroutine one = *Coroutine::create(dead, lane, 1, 1);
        steps(one, lane, 10);
        engine.readAll();
        lane.close(1);
        engine.lanes.refresh(engine.batch, true);
        const corotracer::LaneHeader &header = *lane.ring().header;
        REQUIRE(header.state.load() == corotracer::kLaneFree);
        const std::uint64_t tail = header.tail.load();

        std::optional<Lane> next;
        std::optional<Coroutine> two;
        wasDisturbed = false;
        singlestep::run([&] { engine.lanes.freeLanesOf(dead.index(), engine.batch); },
                        [&](std::uint64_t done) {
                            if (done < moment)
                                return true;
                            wasDisturbed = true;
                            next = living.claimLane(6);
                            two = Coroutine::create(living, *next, 2, 1);
                            two->step(*next);
                            return false;
                        });
        if (!wasDisturbed)
            break;
        ++moments;
        REQUIRE(next->ring().header == &header);
        if (header.state.load() != corotracer::kLaneActive || header.tail.load() != tail) {
            std::printf("after instruction %llu\n", static_cast<unsigned long long>(moment));
            CHECK_EQUAL(header.state.load(), corotracer::kLaneActive);
            CHECK_EQUAL(header.tail.load(), tail);
        }
    }
    CHECK(moments > 10);
}
