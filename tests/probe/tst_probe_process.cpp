// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The probe and its process: tracing off, births before InitTracer, fork, threads.
#include "probetest.h"

#include <atomic>
#include <thread>

namespace {

using namespace probetest;
using corotracer::PromiseMixin;

CT_CASE(offWithoutEnvironment)
{
    for (const char *missing : {"CTP_SHM_PATH", "CTP_SOCK_PATH", "CTP_MAX_STATIONS"}) {
        const Region region;
        inChild([&] {
            ::unsetenv(missing);
            CHECK_EQUAL(captured(STDERR_FILENO, [] { corotracer::InitTracer(); }), "");
            PromiseMixin promise;
            promise.write_trace(1, false);
            CHECK(promise.my_station == nullptr);
            CHECK_EQUAL(promise.event_count, 0U);
            CHECK_EQUAL(region.allocated(), 0U);
            CHECK(corotracer::get_ns() != 0);
            CHECK_EQUAL(corotracer::get_tid(), static_cast<std::uint64_t>(::syscall(SYS_gettid)));
        });
    }
}

CT_CASE(printsNothingAndPreservesErrno)
{
    const Region region;
    inChild([&] {
        std::string out;
        const std::string err = captured(STDERR_FILENO, [&] {
            out = captured(STDOUT_FILENO, [] {
                errno = 1234;
                corotracer::InitTracer();
                PromiseMixin promise;
                promise.write_trace(1, false);
                CHECK_EQUAL(errno, 1234);
            });
        });
        CHECK_EQUAL(out, "");
        CHECK_EQUAL(err, "");
        CHECK_EQUAL(region.allocated(), 1U);
        corotracer::InitTracer();
        const PromiseMixin second;
        CHECK_EQUAL(region.allocated(), 2U);
    });
}

CT_CASE(stderrWithoutAReaderDoesNotEndTheProgram)
{
    const Region region;
    inChild([] {
        int ends[2];
        REQUIRE(::pipe(ends) == 0);
        ::close(ends[0]);
        ::dup2(ends[1], STDERR_FILENO);
        ::setenv("CTP_SHM_PATH", "/nowhere", 1);
        corotracer::InitTracer();
    });
}

CT_CASE(aFullStderrDoesNotBlock)
{
    const Region region;
    inChild([] {
        int ends[2];
        REQUIRE(::pipe2(ends, O_NONBLOCK) == 0);
        const std::string page(4096, ' ');
        while (::write(ends[1], page.data(), page.size()) > 0) {
        }
        REQUIRE(::fcntl(ends[1], F_SETFL, 0) == 0);
        ::dup2(ends[1], STDERR_FILENO);
        ::setenv("CTP_SHM_PATH", "/nowhere", 1);
        ::alarm(30);
        corotracer::InitTracer();
    });
}

CT_CASE(coroutinesBeforeInitAreCounted)
{
    const Region region;
    inChild([&] {
        PromiseMixin early[3];
        corotracer::InitTracer();
        early[0].write_trace(1, false);
        CHECK_EQUAL(region.header().extension.born_before_init.load(), 3U);
        CHECK_EQUAL(region.allocated(), 0U);
        const PromiseMixin later;
        CHECK_EQUAL(region.allocated(), 1U);
        CHECK_EQUAL(region.header().extension.born_before_init.load(), 3U);
    });
}

CT_CASE(coroutinesBeforeInitAndForkAreCountedOnce)
{
    const Region region;
    inChild([&] {
        const PromiseMixin early;
        inChild([] { corotracer::InitTracer(); });
        corotracer::InitTracer();
        CHECK_EQUAL(region.header().extension.born_before_init.load(), 1U);
    });
}

CT_CASE(aChildForkedDuringInitHasNoInitLock)
{
    const Region region;
    inChild([] {
        corotracer::detail::init_once(
            [] { inChild([] { CHECK_EQUAL(corotracer::detail::page_v2.init_lock.load(), 0U); }); });
    });
}

CT_CASE(coroutinesBeyondTheOfferOfAVersionOneEngineAreUntraced)
{
    RegionOptions options;
    options.stations = 3;
    options.extension = false;
    const Region region(options);
    inChild([&] {
        corotracer::InitTracer();
        region.header().max_stations.store(2, std::memory_order_release);  // the probe reads it at every birth
        PromiseMixin promises[3];
        CHECK(promises[1].my_station != nullptr);
        CHECK(promises[2].my_station == nullptr);
        promises[2].write_trace(1, false);
        CHECK_EQUAL(region.allocated(), 3U);
        CHECK_EQUAL(region.header().max_stations.load(), 2U);
    });
}

/// In a region of the extension, the probe itself offers stations that the engine has not offered yet.
CT_CASE(theProbeOffersStationsUpToTheReserve)
{
    RegionOptions options;
    options.stations = 3;
    const Region region(options);
    inChild([&] {
        corotracer::InitTracer();
        region.header().max_stations.store(2, std::memory_order_release);
        PromiseMixin promises[3];
        CHECK(promises[2].my_station == &corotracer::detail::state_v2.stations[2]);
        CHECK_EQUAL(region.header().max_stations.load(), 3U);
        // The header cannot offer more than the reserved stations.
        region.header().max_stations.store(1000, std::memory_order_release);
        const PromiseMixin another;
        CHECK(another.my_station == nullptr);
        CHECK_EQUAL(region.allocated(), 4U);
    });
}

CT_CASE(writesNoExtensionUnderAVersionOneEngine)
{
    RegionOptions options;
    options.extension = false;
    const Region region(options);
    inChild([&] {
        corotracer::InitTracer();
        {
            PromiseMixin promise;
            for (int i = 0; i < 20; ++i)
                promise.write_trace(7, false, 3, 1);
        }
        CHECK_EQUAL(region.emitted(0), 20U);
        CHECK_EQUAL(region.station(0).header.is_dead.load(), 1);
        CHECK_EQUAL(region.station(0).extension.mark.load(), 0U);
        CHECK_EQUAL(region.station(0).extension.death_ts.load(), 0U);
        for (std::size_t i = 0x18; i < corotracer::kHeaderSize; ++i)
            CHECK_EQUAL(int{region.bytes()[i]}, 0);
    });
}

CT_CASE(aForkedChildWritesNothing)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        PromiseMixin promise;
        promise.write_trace(1, false);
        alignas(PromiseMixin) unsigned char inherited[sizeof(PromiseMixin)];
        auto *const doomed = new (inherited) PromiseMixin;
        inChild([&] {
            promise.write_trace(2, true);
            corotracer::InitTracer();
            // InitTracer() in the child starts another session with other stations.
            promise.write_trace(3, true);
            doomed->~PromiseMixin();
            PromiseMixin own;
            own.write_trace(4, false);
            CHECK_EQUAL(region.allocated(), 3U);
            CHECK_EQUAL(region.station(2).extension.pid.load(), static_cast<std::uint32_t>(::getpid()));
            CHECK_EQUAL(region.events(2)[0].tid, static_cast<std::uint64_t>(::syscall(SYS_gettid)));
        });
        CHECK_EQUAL(region.emitted(0), 1U);
        CHECK_EQUAL(region.station(1).header.is_dead.load(), 0);
        promise.write_trace(5, true);
        CHECK_EQUAL(region.emitted(0), 2U);
        CHECK_EQUAL(region.emitted(2), 1U);
        doomed->~PromiseMixin();
        CHECK_EQUAL(region.station(1).header.is_dead.load(), 1);
    });
}

CT_CASE(threadsInitialiseAndTraceAtOnce)
{
    RegionOptions options;
    options.stations = 4000;
    const Region region(options);
    inChild([&] {
        constexpr std::uint64_t kThreads = 4;
        constexpr std::uint64_t kEach = 500;
        std::vector<std::thread> threads;
        for (std::uint64_t t = 0; t < kThreads; ++t) {
            threads.emplace_back([] {
                corotracer::InitTracer();
                for (std::uint64_t i = 0; i < kEach; ++i) {
                    PromiseMixin promise;
                    promise.write_trace(i, false);
                    promise.write_trace(0, true);
                }
            });
        }
        for (std::thread &thread : threads)
            thread.join();
        CHECK_EQUAL(region.allocated(), kThreads * kEach);
        CHECK_EQUAL(region.header().extension.born_before_init.load(), 0U);
        for (std::size_t i = 0; i < kThreads * kEach; ++i)
            CHECK_EQUAL(region.emitted(i), 2U);
    });
}

CT_CASE(earlyBirthsAreCountedWhileAnotherThreadInitialises)
{
    const Region region({.stations = 20'000});
    inChild([&] {
        constexpr std::uint64_t kBirths = 5000;
        std::atomic<bool> go{false};
        std::thread births([&] {
            while (!go.load(std::memory_order_acquire)) {
            }
            for (std::uint64_t i = 0; i < kBirths; ++i)
                const PromiseMixin promise;
        });
        go.store(true, std::memory_order_release);
        corotracer::InitTracer();
        births.join();
        CHECK_EQUAL(region.header().extension.born_before_init.load() + region.allocated(), kBirths);
    });
}

CT_CASE(coroutineMovesBetweenThreads)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        PromiseMixin promise;
        std::atomic<std::uint64_t> turn{0};
        constexpr std::uint64_t kTurns = 2000;
        const auto play = [&](std::uint64_t parity) {
            for (std::uint64_t i = parity; i < kTurns; i += 2) {
                while (turn.load(std::memory_order_acquire) != i)
                    std::this_thread::yield();
                promise.write_trace(i, parity == 1);
                turn.store(i + 1, std::memory_order_release);
            }
        };
        std::thread other(play, 1);
        play(0);
        other.join();
        CHECK_EQUAL(region.emitted(0), kTurns);
        const std::vector<Event> events = region.events(0);
        CHECK(events[6].tid != events[7].tid);
        CHECK(events[6].tid == events[4].tid);
    });
}

}  // namespace
