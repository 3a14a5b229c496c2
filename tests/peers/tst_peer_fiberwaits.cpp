// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The adapter for Boost.Fiber: what a fiber waits for. Without Boost, the suite is not built (tst_peer_threads.cpp
// reports that).
#include "corotracer/fiber.h"
#include "tests/probe/lanetest.h"

#include <boost/fiber/all.hpp>

#include <mutex>

namespace {

using namespace lanetest;
using probetest::inChild;
using namespace std::chrono_literals;

/// What a fiber says about its wait, and the deadline that its scheduler knows, belong together: a wait with a timeout.
CT_CASE(aTimeoutJoinsWhatTheFiberWaitsFor)
{
    const Region region;
    inChild([&] {
        boost::fibers::use_scheduling_algorithm<corotracer::traced<boost::fibers::algo::round_robin>>();
        int channel = 0;
        boost::fibers::fiber([&] {
            corotracer::fiber_promise &self = *corotracer::this_fiber();
            boost::this_fiber::sleep_for(1ms);
            self.waits_on(corotracer::wait::channel, &channel);
            boost::this_fiber::sleep_for(1ms);
            self.waits_on(corotracer::wait::channel, &channel);
            boost::this_fiber::yield();
            boost::this_fiber::sleep_for(1ms);
        }).join();
        struct Wait {
            unsigned kind;
            std::uint32_t n;
            std::uint32_t part;
            bool operator==(const Wait &) const = default;
        };
        std::vector<Wait> waits;
        for (const Record &record : peek(region, 0)) {
            if ((record.kind & 0xF0) == kRecordWaitsOn)
                waits.push_back({record.kind & 0xFU, record.n, record.site});
        }
        const std::uint32_t second = wait_part(1, false);
        CHECK(waits == (std::vector<Wait>{{kWaitTimer, 1, 0},
                                          {kWaitChannel, 3, 0},
                                          {kWaitTimer, 3, second},
                                          {kWaitChannel, 5, 0},
                                          {kWaitTimer, 7, 0}}));
    });
}

/// Boost.Fiber has no hook for locks, so a program uses a mutex that reports.
CT_CASE(aTracedMutexReportsWhoWaitsAndWhoHoldsIt)
{
    const Region region;
    inChild([&] {
        boost::fibers::use_scheduling_algorithm<corotracer::traced<boost::fibers::algo::round_robin>>();
        corotracer::traced_mutex<boost::fibers::mutex> mutex;
        const auto hold = [&mutex] {
            const std::lock_guard lock(mutex);
            boost::this_fiber::yield();
        };
        boost::fibers::fiber first(hold);
        boost::fibers::fiber second(hold);
        first.join();
        second.join();
        CHECK(mutex.try_lock());
        mutex.unlock();
        const unsigned waits = unsigned{kRecordWaitsOn} | unsigned{kWaitLock};
        std::vector<unsigned> kinds;
        for (const Record &record : peek(region, 0)) {
            const bool isUse =
                record.kind == kRecordAcquired || record.kind == kRecordReleased || record.kind == kRecordSignalled;
            if (isUse || record.kind == waits) {
                kinds.push_back(record.kind);
                CHECK_EQUAL(record.arg, reinterpret_cast<std::uintptr_t>(&mutex));
            }
        }
        CHECK(kinds == (std::vector<unsigned>{kRecordAcquired, waits, kRecordReleased, kRecordAcquired, kRecordReleased,
                                              kRecordAcquired, kRecordReleased}));
    });
}

}  // namespace
