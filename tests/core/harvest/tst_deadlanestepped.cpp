// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The engine frees the lanes of a dead process, one machine instruction at a time. Between two instructions, a living
// thread claims a lane that is already free. The lane must stay with that thread.
#include "core/collect/lanecollector.h"
#include "tests/support/lanecapture.h"
#include "tests/support/singlestep.h"

using namespace lanecapture;

namespace {

/// The collector of the lanes alone.
struct Engine {
    explicit Engine(Capture &c)
        : queue({0, {}}, c.region->laneDirectory().size(), c.region->processes().size()), lanes(*c.region, queue)
    {
    }
    void collectAll()
    {
        lanes.refresh(true, corotracer::detail::monotonic_ns());
        lanes.collect();
    }

    ct::RawQueue queue;
    ct::LaneCollector lanes;
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
        engine.collectAll();
        lane.close(1);
        engine.lanes.refresh(true, corotracer::detail::monotonic_ns());
        const corotracer::LaneHeader &header = *lane.ring().header;
        REQUIRE(header.state.load() == corotracer::kLaneFree);
        const std::uint64_t tail = header.tail.load();

        std::optional<Lane> next;
        std::optional<Coroutine> two;
        wasDisturbed = false;
        engine.queue.requests.setProcess(dead.index(), ct::CollectorRequests::ProcessState::FreeLanes);
        singlestep::run([&] { engine.lanes.freeLanesOfGone(); },
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
