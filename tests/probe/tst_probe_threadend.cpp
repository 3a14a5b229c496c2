// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Ending threads with coroutines that run in the destructors of the thread's pthread keys.
#include "tests/probe/lanetest.h"

#include <atomic>
#include <thread>

#include <dlfcn.h>
#include <pthread.h>

namespace {

using namespace lanetest;
using probetest::inChild;

/// Calls `run` in two of the rounds in which an ending thread calls the destructors of its keys. There are four rounds.
struct Late {
    explicit Late(std::function<void()> what) : run(std::move(what))
    {
        REQUIRE(::pthread_key_create(&key, &Late::destroy) == 0);
    }
    Late(const Late &) = delete;
    Late &operator=(const Late &) = delete;
    ~Late() { ::pthread_key_delete(key); }

    /// Called on the thread that will end.
    void arm() { CHECK_EQUAL(::pthread_setspecific(key, this), 0); }

    std::function<void()> run;
    int rounds = 2;
    pthread_key_t key{};

private:
    static void destroy(void *argument)
    {
        Late &late = *static_cast<Late *>(argument);
        late.run();
        if (--late.rounds > 0)
            late.arm();
    }
};

/// Whichever key has the lower number, and thus the earlier destructor: all lanes of the thread are closed in the end.
CT_CASE(lanesAreClosedAfterDestructorsOfKeys)
{
    const Region region;
    inChild([&] {
        Traced *promise = nullptr;
        Late before([&] { events(*promise, 2); });
        corotracer::InitTracer();
        Late after([&] { events(*promise, 2); });
        Traced traced;
        promise = &traced;
        std::thread([&] {
            events(traced, 2);
            before.arm();
            after.arm();
        }).join();
        CHECK_EQUAL(before.rounds + after.rounds, 0);
        CHECK(region.lanes() > 1);
        for (std::uint32_t i = 1; i < region.lanes(); ++i)
            CHECK_EQUAL(region.lane(i).state.load(), kLaneClosed);
        Ledger ledger;
        ledger.add(drainAll(region));
        CHECK_EQUAL(ledger.transitions, 2U + 4 * 2);
        CHECK_EQUAL(region.compactStation(0).seq.load(), 2U * 10);
    });
}

/// The engine frees the lane that the thread closed, and another thread claims it. Then it belongs to that thread
/// alone.
CT_CASE(aClosedLaneIsNotWrittenByItsFormerThread)
{
    const Region region;
    inChild([&] {
        enum Turn { kWaits, kClaims, kClaimed };
        std::atomic<int> turn{kWaits};
        std::atomic<bool> done{false};
        Traced *promise = nullptr;
        corotracer::InitTracer();
        Late late([&] {
            if (turn.load() == kWaits) {
                CHECK_EQUAL(region.lane(1).state.load(), kLaneClosed);
                (void)drain(region, 1);
                turn.store(kClaims);
                while (turn.load() != kClaimed)
                    std::this_thread::yield();
            }
            events(*promise, 2);
        });
        Traced traced;
        promise = &traced;
        std::uint64_t stranger = 0;
        std::thread other([&] {
            while (turn.load() != kClaims)
                std::this_thread::yield();
            Traced own;
            stranger = own.self();
            events(own, 4);
            turn.store(kClaimed);
            while (!done.load())
                std::this_thread::yield();
        });
        std::thread([&] {
            events(traced, 2);
            late.arm();
        }).join();
        CHECK_EQUAL(region.lane(1).claims.load(), 2U);
        const std::vector<Record> records = drain(region, 1);
        CHECK_EQUAL(pattern(records), "BSRSR");
        for (const Record &record : records)
            CHECK_EQUAL(record.identity, stranger);
        done.store(true);
        other.join();
        CHECK_EQUAL(region.compactStation(0).seq.load(), 2U * 6);
        CHECK_EQUAL(region.lane(2).state.load(), kLaneClosed);
    });
}

/// An object with its own probe state is unloaded. A thread that ends later must not call its code.
CT_CASE(anUnloadedObjectIsNotCalledAtThreadEnd)
{
    const Region region;
    inChild([&] {
        void *const library = ::dlopen(PROBE_MODULE_PRIVATE_A, RTLD_NOW | RTLD_LOCAL);
        REQUIRE(library != nullptr);
        const auto init = reinterpret_cast<void (*)()>(::dlsym(library, "module_init"));
        const auto run = reinterpret_cast<int (*)(int)>(::dlsym(library, "module_events"));
        REQUIRE(init != nullptr && run != nullptr);
        init();
        std::atomic<bool> hasRun{false};
        std::atomic<bool> isUnloaded{false};
        std::thread thread([&] {
            CHECK_EQUAL(run(3), 1);
            hasRun.store(true);
            while (!isUnloaded.load())
                std::this_thread::yield();
        });
        while (!hasRun.load())
            std::this_thread::yield();
        CHECK_EQUAL(::dlclose(library), 0);
        isUnloaded.store(true);
        thread.join();
        CHECK_EQUAL(pattern(drainAll(region)), "BSRSD");
    });
}

/// exit() closes the lane of the calling thread. An engine in another pid namespace could not find out that it is free.
CT_CASE(exitClosesTheLane)
{
    const Region region;
    std::fflush(nullptr);
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        corotracer::InitTracer();
        {
            Traced promise;
            events(promise, 2);
        }
        std::exit(0);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK_EQUAL(status, 0);
    CHECK_EQUAL(region.lane(0).state.load(), kLaneClosed);
    CHECK_EQUAL(pattern(drainAll(region)), "BSRD");
}

}  // namespace
