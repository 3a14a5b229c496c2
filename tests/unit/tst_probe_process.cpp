// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The probe and its process: off, births before InitTracer, fork, threads, hostile regions, the wake-up.
#include "probetest.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstring>
#include <thread>

#include <poll.h>
#include <sys/resource.h>

namespace {

using namespace probetest;
using corotracer::PromiseMixin;

/// The engine's end of the socket.
class Listener {
public:
    explicit Listener(const std::string &path)
    {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        REQUIRE(path.size() < sizeof address.sun_path);
        std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
        ::unlink(path.c_str());
        m_fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        REQUIRE(m_fd >= 0);
        REQUIRE(::bind(m_fd, reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0);
        REQUIRE(::listen(m_fd, 8) == 0);
    }
    Listener(const Listener &) = delete;
    Listener &operator=(const Listener &) = delete;
    ~Listener() { ::close(m_fd); }

    int accept() const
    {
        pollfd ready{m_fd, POLLIN, 0};
        REQUIRE(::poll(&ready, 1, 10'000) == 1);
        const int fd = ::accept(m_fd, nullptr, nullptr);
        REQUIRE(fd >= 0);
        return fd;
    }

private:
    int m_fd = -1;
};

std::string received(int fd)
{
    char bytes[16];
    const ssize_t size = ::recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
    return size > 0 ? std::string(bytes, static_cast<std::size_t>(size)) : std::string();
}

void sleepEngine(const Region &region)
{
    region.header().tracer_sleeping.store(1, std::memory_order_seq_cst);
}

/// What `body` writes to `fd`.
template <class Body>
std::string captured(int fd, Body body)
{
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    const int saved = ::dup(fd);
    ::dup2(ends[1], fd);
    body();
    ::dup2(saved, fd);
    ::close(saved);
    ::close(ends[1]);
    std::string result;
    char bytes[256];
    for (ssize_t size; (size = ::read(ends[0], bytes, sizeof bytes)) > 0;)
        result.append(bytes, static_cast<std::size_t>(size));
    ::close(ends[0]);
    return result;
}

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

CT_CASE(silentWhenItWorksAndErrnoIsKept)
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

CT_CASE(bornBeforeInit)
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

CT_CASE(bornBeforeInitAndForkedIsReportedOnce)
{
    const Region region;
    inChild([&] {
        const PromiseMixin early;
        inChild([] { corotracer::InitTracer(); });
        corotracer::InitTracer();
        CHECK_EQUAL(region.header().extension.born_before_init.load(), 1U);
    });
}

CT_CASE(moreCoroutinesThanStations)
{
    RegionOptions options;
    options.stations = 3;
    const Region region(options);
    inChild([&] {
        corotracer::InitTracer();
        region.header().max_stations.store(2, std::memory_order_release);  // read live
        PromiseMixin promises[3];
        CHECK(promises[1].my_station != nullptr);
        CHECK(promises[2].my_station == nullptr);
        promises[2].write_trace(1, false);
        CHECK_EQUAL(region.allocated(), 3U);
        // Beyond what is reserved no promise of the header helps.
        region.header().max_stations.store(1000, std::memory_order_release);
        const PromiseMixin another;
        CHECK(another.my_station == nullptr);
        CHECK_EQUAL(region.allocated(), 4U);
    });
}

CT_CASE(underVersionOneEngine)
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

CT_CASE(forkedChildHasNoSay)
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
            // Even now: another session, other stations.
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

// ---------------------------------------------------------------- hostile regions

template <class Spoil>
void staysOff(Spoil spoil, const char *complaint)
{
    const Region region;
    inChild([&] {
        spoil(region);
        const std::string err = captured(STDERR_FILENO, [] { corotracer::InitTracer(); });
        if (err.find(complaint) == std::string::npos)
            check::fail(__FILE__, __LINE__, "said: " + err + ", expected: " + complaint);
        CHECK_EQUAL(std::count(err.begin(), err.end(), '\n'), 1);
        PromiseMixin promise;
        promise.write_trace(1, false);
        CHECK(promise.my_station == nullptr);
    });
}

CT_CASE(refusesWhatIsNoRegion)
{
    using corotracer::GlobalHeader;
    staysOff([](const Region &region) { REQUIRE(::truncate(region.path().c_str(), 0) == 0); }, "too short");
    staysOff([](const Region &region) { REQUIRE(::truncate(region.path().c_str(), 1023) == 0); }, "too short");
    staysOff([](const Region &region) { REQUIRE(::truncate(region.path().c_str(), 1024 + 63 * 1024) == 0); },
             "shorter than its header says");
    staysOff([](const Region &region) { region.header().magic_number = 1; }, "magic");
    staysOff([](const Region &region) { region.header().version = 2; }, "version");
    staysOff([](const Region &region) { region.header().max_stations.store(UINT32_MAX); }, "shorter than");
    staysOff([](const Region &) { ::setenv("CTP_SHM_PATH", "/nowhere/at/all", 1); }, "cannot be opened");
    staysOff([](const Region &) { ::setenv("CTP_SHM_PATH", "/dev/zero", 1); }, "not a regular file");
    staysOff([](const Region &) { ::setenv("CTP_SHM_PATH", "/tmp", 1); }, "cannot be opened");
    for (const char *text : {"", "0", "-1", "12x", "99999999999999999999", "nan"})
        staysOff([text](const Region &) { ::setenv("CTP_MAX_STATIONS", text, 1); }, "CTP_MAX_STATIONS");
}

/// A coroutine with one place to wait.
Task waitOnce()
{
    co_await std::suspend_always{};
}

template <class Spoil>
void tracesWithoutExtension(Spoil spoil)
{
    const Region region;
    inChild([&] {
        spoil(region.header().extension);
        corotracer::InitTracer();
        const Task task = waitOnce();
        CHECK_EQUAL(region.pattern(0), "S");
        CHECK_EQUAL(region.events(0)[0].site, 0U);
        CHECK_EQUAL(region.station(0).extension.mark.load(), 0U);
    });
}

CT_CASE(ignoresAnUnsoundExtension)
{
    using corotracer::ExtensionHeader;
    tracesWithoutExtension([](ExtensionHeader &e) { e.magic ^= 1; });
    tracesWithoutExtension([](ExtensionHeader &e) { e.version = 99; });
    tracesWithoutExtension([](ExtensionHeader &e) { e.size = 8; });
    tracesWithoutExtension([](ExtensionHeader &e) { e.stations_reserved = 1'000'000; });
    tracesWithoutExtension([](ExtensionHeader &e) { e.stations_reserved = ~std::uint64_t{0}; });
    tracesWithoutExtension([](ExtensionHeader &e) { e.site_table_offset = 1024; });
    tracesWithoutExtension([](ExtensionHeader &e) { e.site_table_offset = ~std::uint64_t{0} - 63; });
    tracesWithoutExtension([](ExtensionHeader &e) { e.site_table_offset += 1; });
    tracesWithoutExtension([](ExtensionHeader &e) { e.site_capacity = UINT32_MAX; });
    tracesWithoutExtension([](ExtensionHeader &e) { e.site_record_size = 32; });
    tracesWithoutExtension([](ExtensionHeader &e) { e.strings_offset = 0; });
    tracesWithoutExtension([](ExtensionHeader &e) { e.strings_capacity = ~std::uint64_t{0}; });
}

CT_CASE(garbageEverywhere)
{
    std::uint64_t random = 88172645463325252ULL;
    for (int round = 0; round < 24; ++round) {
        const Region region;
        inChild([&] {
            for (std::uint64_t i = round % 2 == 0 ? 0x40 : 0; i + 8 <= region.size(); i += 8) {
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                if (random % 4 != 0 || i > 0x200)
                    std::memcpy(region.bytes() + i, &random, 8);
            }
            ::close(STDERR_FILENO);
            corotracer::InitTracer();
            const Task task = waitOnce();
            PromiseMixin promise;
            for (std::uint64_t i = 0; i < 10; ++i)
                promise.write_trace(i, true);
        });
        random += static_cast<std::uint64_t>(round);
    }
}

CT_CASE(scribblingWhileTracing)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        std::memset(region.bytes() + 0x10, 0xFF, corotracer::kHeaderSize - 0x10);
        const Task task = waitOnce();
        const Task other = waitOnce();
        std::memset(region.bytes(), 0, region.size());
        const Task third = waitOnce();
        CHECK(true);
    });
}

CT_CASE(noRoomForStationsOnAFullFileSystem)
{
    if (!kernelKeepsItsWord())
        return;
    // A file that ends before its stations do cannot be mapped there: no SIGBUS, no station.
    RegionOptions options;
    options.extension = false;
    options.stations = 8;
    const Region region(options);
    inChild([&] {
        corotracer::InitTracer();
        REQUIRE(::truncate(region.path().c_str(), 4096) == 0);
        const PromiseMixin mapped[3];
        PromiseMixin beyond;
        beyond.write_trace(1, false);
        CHECK(mapped[2].my_station != nullptr);
        CHECK(beyond.my_station == nullptr);
    });
}

// ---------------------------------------------------------------- wake-up

CT_CASE(wakesASleepingEngineOnce)
{
    for (const bool engineFences : {true, false}) {
        RegionOptions options;
        options.engineFences = engineFences;
        const Region region(options);
        const Listener listener(region.socketPath());
        inChild([&] {
            corotracer::InitTracer();
            CHECK_EQUAL(corotracer::detail::page_v1.session.load() & 1U, engineFences ? 1U : 0U);
            const int fd = listener.accept();
            PromiseMixin promise;
            promise.write_trace(1, false);
            CHECK_EQUAL(received(fd), "");
            sleepEngine(region);
            errno = 4321;
            promise.write_trace(2, true);
            promise.write_trace(3, false);
            CHECK_EQUAL(errno, 4321);
            CHECK_EQUAL(region.header().tracer_sleeping.load(), 0U);
            CHECK_EQUAL(received(fd), "1");
        });
    }
}

CT_CASE(manyWakeUps)
{
    const Region region;
    const Listener listener(region.socketPath());
    inChild([&] {
        corotracer::InitTracer();
        const int fd = listener.accept();
        constexpr std::uint64_t kCycles = 5000;
        std::thread writer([&] {
            PromiseMixin promise;
            for (std::uint64_t i = 0; i < kCycles; ++i) {
                while (region.header().tracer_sleeping.load(std::memory_order_acquire) == 0)
                    std::this_thread::yield();
                promise.write_trace(i, false);
            }
        });
        for (std::uint64_t i = 0; i < kCycles; ++i) {
            sleepEngine(region);
            char byte = 0;
            REQUIRE(::recv(fd, &byte, 1, 0) == 1);
        }
        writer.join();
        CHECK_EQUAL(region.emitted(0), kCycles);
    });
}

CT_CASE(closedSocketNeitherKillsNorBlocks)
{
    const Region region;
    auto listener = std::make_unique<Listener>(region.socketPath());
    inChild([&] {
        ::signal(SIGPIPE, SIG_DFL);
        corotracer::InitTracer();
        ::close(listener->accept());
        listener.reset();
        ::unlink(region.socketPath().c_str());
        PromiseMixin promise;
        for (std::uint64_t i = 0; i < 5; ++i) {
            sleepEngine(region);
            promise.write_trace(i, false);
            CHECK_EQUAL(region.header().tracer_sleeping.load(), 0U);
        }
        CHECK_EQUAL(region.emitted(0), 5U);
    });
}

CT_CASE(fullSocketBufferDoesNotBlock)
{
    const Region region;
    const Listener listener(region.socketPath());
    inChild([&] {
        corotracer::InitTracer();
        PromiseMixin promise;
        for (std::uint64_t i = 0; i < 3000; ++i) {  // nobody reads
            sleepEngine(region);
            promise.write_trace(i, false);
        }
        CHECK_EQUAL(region.emitted(0), 3000U);
    });
}

CT_CASE(reconnectsToANewEngine)
{
    const Region region;
    auto first = std::make_unique<Listener>(region.socketPath());
    inChild([&] {
        corotracer::InitTracer();
        ::close(first->accept());
        first.reset();
        const Listener second(region.socketPath());
        PromiseMixin promise;
        // Attempts are limited in rate, not in number.
        bool connected = false;
        for (const std::uint64_t end = corotracer::get_ns() + 10'000'000'000; !connected;) {
            REQUIRE(corotracer::get_ns() < end);
            sleepEngine(region);
            promise.write_trace(1, false);
            connected = corotracer::detail::send_wake(corotracer::detail::state_v1.socket);
        }
        CHECK(received(second.accept()).find('1') != std::string::npos);
    });
}

CT_CASE(aReusedDescriptorIsNotWrittenTo)
{
    const Region region;
    const Listener listener(region.socketPath());
    inChild([&] {
        corotracer::InitTracer();
        const int theirs = corotracer::detail::state_v1.socket.fd.load();
        // As a daemon does: close everything, then open a socket of its own, which gets the number.
        int pair[2];
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
        REQUIRE(::dup2(pair[0], theirs) == theirs);
        PromiseMixin promise;
        sleepEngine(region);
        promise.write_trace(1, false);
        CHECK_EQUAL(received(pair[1]), "");
    });
}

CT_CASE(socketPathTooLongMeansNoSocket)
{
    const Region region;
    inChild([&] {
        ::setenv("CTP_SOCK_PATH", std::string(300, 'x').c_str(), 1);
        CHECK_EQUAL(captured(STDERR_FILENO, [] { corotracer::InitTracer(); }), "");
        PromiseMixin promise;
        sleepEngine(region);
        promise.write_trace(1, false);
        CHECK_EQUAL(region.emitted(0), 1U);
    });
}

CT_CASE(descriptorsAreNotInheritedByExec)
{
    const Region region;
    const Listener listener(region.socketPath());
    inChild([&] {
        corotracer::InitTracer();
        const int fd = corotracer::detail::state_v1.socket.fd.load();
        REQUIRE(fd >= 0);
        CHECK((::fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);
        CHECK((::fcntl(fd, F_GETFL) & O_NONBLOCK) != 0);
    });
}

}  // namespace
