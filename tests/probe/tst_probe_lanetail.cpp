// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The engine stores a lane's tail, but stray writes may change it. Whatever its value, a thread writes only into its
// own lane, and at most one lap at a time. It continues when the tail is right again.
#include "tests/probe/lanetest.h"

#include <algorithm>
#include <cstring>
#include <thread>

namespace {

using namespace lanetest;
using probetest::inChild;

constexpr std::uint64_t kEvents = 5000;

/// The pool without the records of one lane. In overwrite mode also without its block numbers, which the lane writes.
class Neighbours {
public:
    Neighbours(const Region &region, const LaneHeader &lane)
        : m_base(reinterpret_cast<char *>(&region.header())),
          m_begin(region.extension().lane_pool_offset),
          m_records(lane.offset.load()),
          m_behind(m_records + lane.records.load() * sizeof(LaneRecord)),
          m_end(m_begin + region.extension().lane_pool_size)
    {
        std::memset(m_base + m_behind, 0x5A, m_end - m_behind);
        if (region.extension().lane_mode == kLanesDiscard)
            m_front.assign(m_base + m_begin, m_base + m_records);
    }
    bool areUnharmed() const
    {
        return std::equal(m_front.begin(), m_front.end(), m_base + m_begin) &&
               std::all_of(m_base + m_behind, m_base + m_end, [](char byte) { return byte == 0x5A; });
    }

private:
    char *m_base;
    std::uint64_t m_begin;
    std::uint64_t m_records;
    std::uint64_t m_behind;
    std::uint64_t m_end;
    std::vector<char> m_front;
};

/// Returns the position that the calling thread writes next.
std::uint64_t position()
{
    const detail::thread_state &self = detail::thread_v2;
    return self.position_end - static_cast<std::uint64_t>(self.run_end - self.next);
}

CT_CASE(writesStayInALaneWithAScribbledTail)
{
    for (const std::uint32_t mode : {kLanesDiscard, kLanesOverwrite}) {
        const Region region(Options{.mode = mode, .poolBytes = 1 << 20});
        inChild([&] {
            corotracer::InitTracer();
            Traced promise;
            events(promise, 1500);
            LaneHeader &lane = region.lane(0);
            const std::uint64_t capacity = lane.records.load();
            const Neighbours neighbours(region, lane);
            std::uint64_t random = 88172645463325252ULL;
            for (int round = 0; round < 60; ++round) {
                const std::uint64_t here = position();
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                const std::uint64_t tails[] = {0,
                                               here + 1,
                                               here - 1,
                                               here + capacity,
                                               here - capacity,
                                               here - capacity - 1,
                                               here - capacity + 1,
                                               std::uint64_t{1} << 62,
                                               std::uint64_t{1} << 63,
                                               ~std::uint64_t{0},
                                               random,
                                               here - random % (2 * capacity)};
                lane.tail.store(tails[static_cast<std::size_t>(round) % std::size(tails)]);
                const std::uint64_t dropped = lane.dropped.load();
                const std::uint64_t seq = region.compactStation(0).seq.load();
                events(promise, kEvents);
                CHECK_EQUAL(region.compactStation(0).seq.load(),
                            seq + 2 * kEvents);  // the CompactState has all of them
                if (mode == kLanesDiscard) {
                    // One lap, and the run of slots that it had before.
                    CHECK(position() - here <= capacity + kLaneBlock);
                    CHECK(lane.dropped.load() - dropped + (position() - here) >= kEvents);
                } else {
                    CHECK_EQUAL(position() - here, kEvents);
                    CHECK_EQUAL(lane.dropped.load(), 0U);
                }
                // The tail is right again.
                lane.tail.store(position());
                events(promise, 1000);
                const std::vector<Record> records = drain(region, 0);
                CHECK(mode == kLanesOverwrite || records.size() >= 1000);
            }
            CHECK(neighbours.areUnharmed());
            CHECK_EQUAL(region.lanes(), 1U);
        });
    }
}

/// A thread that claims a lane continues at its tail.
CT_CASE(writesStayInAClaimedLaneWithAScribbledTail)
{
    constexpr std::uint64_t limit = std::uint64_t{1} << 62;
    for (const std::uint64_t tail : {std::uint64_t{5}, std::uint64_t{2047}, std::uint64_t{1'000'000'007}, limit - 3000,
                                     limit - 1, limit, ~std::uint64_t{0}}) {
        const Region region(Options{.poolBytes = 1 << 20});
        inChild([&] {
            corotracer::InitTracer();
            std::thread([] {
                Traced own;
                events(own, 10);
            }).join();
            LaneHeader &lane = region.lane(0);
            REQUIRE(lane.state.load() == kLaneClosed);
            const Neighbours neighbours(region, lane);
            lane.tail.store(tail);
            lane.state.store(kLaneFree);
            std::thread([] {
                Traced own;
                events(own, kEvents);
            }).join();
            if (tail < limit) {
                CHECK_EQUAL(region.lanes(), 1U);
                CHECK_EQUAL(lane.begin.load(), tail);
                CHECK(neighbours.areUnharmed());
                const std::vector<Record> records = peek(region, 0);
                CHECK_EQUAL(records.size(), 2048U);
                CHECK_EQUAL(count(records, kRecordBirth), 1U);
            } else {
                CHECK_EQUAL(region.lanes(), 2U);  // no thread claims the lane any more
                CHECK_EQUAL(region.lane(1).begin.load(), 0U);
            }
        });
    }
}

CT_CASE(writesStayInALaneWhoseTailIsScribbledRepeatedly)
{
    const Region region(Options{.poolBytes = 1 << 20});
    inChild([&] {
        corotracer::InitTracer();
        Traced promise;
        events(promise, 1);
        LaneHeader &lane = region.lane(0);
        const Neighbours neighbours(region, lane);
        std::atomic<bool> stop{false};
        std::thread scribbler([&] {
            for (std::uint64_t random = 88172645463325252ULL; !stop.load();) {
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                lane.tail.store(random >> (random % 64));
            }
        });
        events(promise, 400'000);
        stop.store(true);
        scribbler.join();
        CHECK(neighbours.areUnharmed());
        CHECK_EQUAL(region.compactStation(0).seq.load(), 800'002U);
        CHECK(position() + lane.dropped.load() >= 400'002U);
    });
}

}  // namespace
