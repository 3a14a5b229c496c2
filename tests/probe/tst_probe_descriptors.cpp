// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A program that was started without standard streams. The probe's descriptors must not get their numbers.
#include "probetest.h"

#include <cstring>
#include <fstream>
#include <iterator>

#include <poll.h>

namespace {

using namespace probetest;

void closeStreams()
{
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        ::close(fd);
}

bool areStreamsClosed()
{
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(fd, F_GETFD) != -1)
            return false;
    }
    return true;
}

/// Runs `body` in a child without standard streams. Fails here if it returns false.
void withoutStreams(const std::function<bool()> &body)
{
    inChild([&] {
        const int errors = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 100);
        closeStreams();
        const bool passed = body();
        ::dup2(errors, STDERR_FILENO);
        CHECK(passed);
    });
}

int listenAt(const std::string &path)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    REQUIRE(path.size() < sizeof address.sun_path);
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    ::unlink(path.c_str());
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    REQUIRE(::bind(fd, reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0 && ::listen(fd, 8) == 0);
    return fd;
}

/// Accepts one connection and closes it.
void dropConnection(int listener)
{
    pollfd ready{listener, POLLIN, 0};
    REQUIRE(::poll(&ready, 1, 95'000) == 1);
    ::close(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
}

std::string textOf(const std::string &path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

CT_CASE(theSocketIsNoStandardStream)
{
    const Region region;
    const int listener = listenAt(region.socketPath());
    withoutStreams([] {
        corotracer::InitTracer();
        const int fd = corotracer::detail::state_v2.socket.fd.load();
        return fd > STDERR_FILENO && (::fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0 &&
               (::fcntl(fd, F_GETFL) & O_NONBLOCK) != 0 && areStreamsClosed();
    });
    ::close(listener);
}

/// Connects again after the program has closed every descriptor it knew, including the probe's socket.
CT_CASE(theSocketOfALaterConnectionIsNoStandardStream)
{
    const Region region;
    const int listener = listenAt(region.socketPath());
    withoutStreams([&] {
        corotracer::InitTracer();
        corotracer::detail::socket_state &socket = corotracer::detail::state_v2.socket;
        dropConnection(listener);
        for (const bool closed : {false, true}) {
            if (closed)
                ::close(socket.fd.load());
            corotracer::detail::connect_engine(socket);
            dropConnection(listener);
            if (socket.fd.load() <= STDERR_FILENO || !areStreamsClosed())
                return false;
        }
        return true;
    });
    ::close(listener);
}

/// Error messages go to standard error. Without it they are dropped, and must not end up in the file.
CT_CASE(messagesAreNotWrittenIntoTheRegionFile)
{
    const ct::test::TempDir directory;
    const std::string path = directory.file("precious.txt");
    const std::string precious(2000, 'p');
    std::ofstream(path) << precious;
    const Region region;
    withoutStreams([&] {
        ::setenv("CTP_SHM_PATH", path.c_str(), 1);
        // With the first two numbers in use, the file would get the third.
        const int reserved[] = {::dup(100), ::dup(100)};
        corotracer::InitTracer();
        for (const int fd : reserved)
            ::close(fd);
        return areStreamsClosed();
    });
    CHECK(textOf(path) == precious);
}

CT_CASE(aFlightRecorderLeavesTheStreamsClosed)
{
    const ct::test::TempDir directory;
    for (const std::string &path : {directory.file("recording.shm"), directory.path()}) {
        withoutStreams([&] {
            corotracer::flight_recorder_options options;
            options.path = path.c_str();
            const bool traced = corotracer::start_flight_recorder(options);
            corotracer::PromiseMixin promise;
            promise.write_trace(1, false);
            return traced && promise.is_traced() && areStreamsClosed();
        });
    }
    std::uint64_t magic = 0;
    std::ifstream(directory.file("recording.shm"), std::ios::binary)
        .read(reinterpret_cast<char *>(&magic), sizeof magic);
    CHECK_EQUAL(magic, corotracer::kMagic);
}

CT_CASE(everyFileIsOpenedAboveTheStreams)
{
    withoutStreams([] {
        const int fd = corotracer::detail::open_file("/proc/self/stat", O_RDONLY);
        const bool above = fd > STDERR_FILENO && (::fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0 && areStreamsClosed();
        ::close(fd);
        return above && corotracer::detail::open_file("/proc/self/none", O_RDONLY) == -1 && errno == ENOENT;
    });
}

}  // namespace
