// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The probe's end of the socket: the wake-up of the engine, and a missing engine.
#include "probetest.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>
#include <thread>

#include <poll.h>

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
        REQUIRE(::poll(&ready, 1, 95'000) == 1);
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

/// Returns errno after the event if it was ERANGE before.
template <class Event>
int errnoAfter(Event &&event)
{
    errno = ERANGE;
    event();
    return errno;
}

void sleepEngine(const Region &region)
{
    region.header().tracer_sleeping.store(1, std::memory_order_seq_cst);
}

CT_CASE(wakesASleepingEngineOnce)
{
    for (const bool engineFences : {true, false}) {
        RegionOptions options;
        options.engineFences = engineFences;
        const Region region(options);
        const Listener listener(region.socketPath());
        inChild([&] {
            corotracer::InitTracer();
            CHECK_EQUAL(corotracer::detail::page_v2.session.load() & 1U, engineFences ? 1U : 0U);
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

CT_CASE(wakesTheEngineThousandsOfTimes)
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
            CHECK_EQUAL(errnoAfter([&] { promise.write_trace(i, false); }), ERANGE);
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
        for (std::uint64_t i = 0; i < 3000; ++i) {  // the bytes are never read
            sleepEngine(region);
            CHECK_EQUAL(errnoAfter([&] { promise.write_trace(i, false); }), ERANGE);
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
        for (const std::uint64_t end = corotracer::get_ns() + 95'000'000'000; !connected;) {
            REQUIRE(corotracer::get_ns() < end);
            sleepEngine(region);
            promise.write_trace(1, false);
            connected = corotracer::detail::send_wake(corotracer::detail::state_v2.socket);
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
        const int theirs = corotracer::detail::state_v2.socket.fd.load();
        // Closes everything as a daemon does, then opens its own socket, which gets the same number.
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
        const int fd = corotracer::detail::state_v2.socket.fd.load();
        REQUIRE(fd >= 0);
        CHECK((::fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);
        CHECK((::fcntl(fd, F_GETFL) & O_NONBLOCK) != 0);
    });
}

}  // namespace
