// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Samples the descriptors of the test itself.
#include "core/target/descriptorsampler.h"

#include "core/base/monotonic.h"
#include "tests/support/check.h"

#include <array>
#include <csignal>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <optional>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

using namespace ct;

namespace {

constexpr std::uint64_t kHour = 3'600'000'000'000;

struct Scene {
    Scene()
    {
        sampler.emplace(static_cast<std::uint32_t>(::getpid()), directory, sockets);
        sampler->addEpoll(number(epoll));
    }
    static std::uint32_t number(const ProcFile &file) { return static_cast<std::uint32_t>(file.fd()); }
    void add(int descriptor, std::uint32_t events = EPOLLIN)
    {
        epoll_event event{};
        event.events = events;
        ::epoll_ctl(epoll.fd(), EPOLL_CTL_ADD, descriptor, &event);
    }
    /// Samples once, and returns the new rows.
    std::vector<DescriptorSample> sample()
    {
        std::vector<DescriptorSample> rows;
        sampler->sample(++now, rows);
        for (const DescriptorSample &row : rows)
            latest[row.descriptor] = row;
        return rows;
    }
    const DescriptorSample &of(int descriptor)
    {
        sample();
        return latest[static_cast<std::uint32_t>(descriptor)];
    }

    const ProcFile directory{AT_FDCWD, "/proc/self", O_DIRECTORY};
    const ProcFile epoll = ProcFile::adopt(::epoll_create1(EPOLL_CLOEXEC));
    SocketQueues sockets;
    std::optional<DescriptorSampler> sampler;
    std::uint64_t now = 0;
    std::map<std::uint32_t, DescriptorSample> latest;
};

/// Sockets that are connected over the loopback device.
struct Connection {
    explicit Connection(int family)
    {
        sockaddr_in6 address6{};
        sockaddr_in address4{};
        address6.sin6_family = AF_INET6;
        address6.sin6_addr = in6addr_loopback;
        address4.sin_family = AF_INET;
        address4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        auto *const address =
            family == AF_INET ? reinterpret_cast<sockaddr *>(&address4) : reinterpret_cast<sockaddr *>(&address6);
        socklen_t length = family == AF_INET ? sizeof address4 : sizeof address6;
        listener = ProcFile::adopt(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
        client = ProcFile::adopt(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
        isMade = ::bind(listener.fd(), address, length) == 0 && ::listen(listener.fd(), 4) == 0 &&
                 ::getsockname(listener.fd(), address, &length) == 0 && ::connect(client.fd(), address, length) == 0;
    }
    void accept() { server = ProcFile::adopt(::accept(listener.fd(), nullptr, nullptr)); }

    ProcFile listener;
    ProcFile client;
    ProcFile server;
    bool isMade = false;
};

void setTimer(const ProcFile &timer, std::uint64_t ns)
{
    itimerspec spec{};
    spec.it_value.tv_sec = static_cast<time_t>(ns / 1'000'000'000);
    spec.it_value.tv_nsec = static_cast<long>(ns % 1'000'000'000);
    ::timerfd_settime(timer.fd(), 0, &spec, nullptr);
}

}  // namespace

CT_CASE(seesWhetherATimerIsArmed)
{
    Scene scene;
    const auto timer = ProcFile::adopt(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC));
    scene.add(timer.fd());
    CHECK(scene.of(timer.fd()).kind == DescriptorKind::Timer);
    CHECK_EQUAL(scene.of(timer.fd()).deadline, 0U);
    CHECK_EQUAL(scene.of(timer.fd()).epoll, Scene::number(scene.epoll));
    const std::uint64_t before = monotonicNow();
    setTimer(timer, kHour);
    const std::uint64_t deadline = scene.of(timer.fd()).deadline;
    CHECK(deadline >= before + kHour && deadline <= monotonicNow() + kHour);
    CHECK(scene.sample().empty());  // less time is left, but the deadline is the same
    setTimer(timer, 1);
    while (scene.of(timer.fd()).pending == 0) {
    }
    CHECK_EQUAL(scene.of(timer.fd()).pending, 1U);
    CHECK_EQUAL(scene.of(timer.fd()).deadline, 0U);
}

CT_CASE(seesACounterThatIsNotFetched)
{
    Scene scene;
    const auto event = ProcFile::adopt(::eventfd(0, EFD_CLOEXEC));
    scene.add(event.fd(), EPOLLIN | EPOLLET);
    CHECK(scene.of(event.fd()).kind == DescriptorKind::Event);
    CHECK_EQUAL(scene.of(event.fd()).pending, 0U);
    CHECK_EQUAL(scene.of(event.fd()).events, static_cast<std::uint32_t>(EPOLLIN | EPOLLET) | EPOLLERR | EPOLLHUP);
    ::eventfd_write(event.fd(), 300);
    CHECK_EQUAL(scene.of(event.fd()).pending, 300U);
}

CT_CASE(seesTheQueuesOfSockets)
{
    for (const int family : {AF_INET, AF_INET6}) {
        Connection connection(family);
        if (!connection.isMade)
            CHECK_SKIP("this machine has no such network");
        Scene scene;
        scene.add(connection.listener.fd());
        scene.add(connection.client.fd());
        CHECK(scene.of(connection.listener.fd()).kind == DescriptorKind::Listener);
        CHECK_EQUAL(scene.of(connection.listener.fd()).pending, 1U);  // not accepted yet
        connection.accept();
        CHECK_EQUAL(scene.of(connection.listener.fd()).pending, 0U);
        CHECK(scene.of(connection.client.fd()).kind == DescriptorKind::Socket);
        CHECK_EQUAL(scene.of(connection.client.fd()).pending, 0U);
        CHECK_EQUAL(int{scene.of(connection.client.fd()).tcpState}, int{TCP_ESTABLISHED});
        CHECK_EQUAL(::send(connection.server.fd(), "12345", 5, 0), 5);
        while (scene.of(connection.client.fd()).pending == 0) {
        }
        CHECK_EQUAL(scene.of(connection.client.fd()).pending, 5U);
        CHECK(!scene.of(connection.client.fd()).readEnds);
        CHECK(scene.of(connection.client.fd()).canWrite);
        CHECK(!scene.of(connection.listener.fd()).canWrite);
        connection.server = {};
        while (scene.of(connection.client.fd()).tcpState != TCP_CLOSE_WAIT) {
        }
        CHECK(scene.of(connection.client.fd()).readEnds);
        CHECK(!scene.sampler->areKnown());  // it has not searched for epolls
    }
}

CT_CASE(seesTheQueuesOfLocalSockets)
{
    std::array<int, 2> ends{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
    const auto here = ProcFile::adopt(ends[0]);
    auto there = ProcFile::adopt(ends[1]);
    Scene scene;
    scene.add(here.fd());
    CHECK(scene.of(here.fd()).kind == DescriptorKind::Socket);
    CHECK_EQUAL(scene.of(here.fd()).pending, 0U);
    CHECK_EQUAL(int{scene.of(here.fd()).tcpState}, 0);
    CHECK_EQUAL(::send(there.fd(), "123", 3, 0), 3);
    CHECK_EQUAL(scene.of(here.fd()).pending, 3U);
    CHECK(scene.of(here.fd()).canWrite && !scene.of(here.fd()).readEnds);
    CHECK_EQUAL(::send(here.fd(), "1", 1, 0), 1);
    CHECK(!scene.of(here.fd()).canWrite);  // not fetched yet
    there = {};
    CHECK(scene.of(here.fd()).canWrite && scene.of(here.fd()).readEnds);  // a write fails at once
}

CT_CASE(seesOtherKinds)
{
    std::array<int, 2> ends{};
    REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
    const auto from = ProcFile::adopt(ends[0]);
    const auto to = ProcFile::adopt(ends[1]);
    sigset_t set;
    sigemptyset(&set);
    const auto signal = ProcFile::adopt(::signalfd(-1, &set, SFD_CLOEXEC));
    const auto inner = ProcFile::adopt(::epoll_create1(EPOLL_CLOEXEC));
    Scene scene;
    for (const ProcFile *file : {&from, &signal, &inner})
        scene.add(file->fd());
    CHECK(scene.of(from.fd()).kind == DescriptorKind::Pipe);
    CHECK_EQUAL(scene.of(from.fd()).pending, DescriptorSample::kUnknown);
    CHECK(scene.of(signal.fd()).kind == DescriptorKind::Signal);
    CHECK(scene.of(inner.fd()).kind == DescriptorKind::Epoll);
}

CT_CASE(saysWhyARegistrationIsGone)
{
    Scene scene;
    auto removed = ProcFile::adopt(::eventfd(0, EFD_CLOEXEC));
    auto closed = ProcFile::adopt(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC));
    scene.add(removed.fd());
    scene.add(closed.fd());
    CHECK_EQUAL(scene.sample().size(), 2U);
    CHECK(scene.sample().empty());
    ::epoll_ctl(scene.epoll.fd(), EPOLL_CTL_DEL, removed.fd(), nullptr);
    const int wasClosed = closed.fd();
    closed = ProcFile();
    CHECK_EQUAL(scene.sample().size(), 2U);
    CHECK(scene.latest[Scene::number(removed)].kind == DescriptorKind::Removed);
    CHECK(scene.latest[static_cast<std::uint32_t>(wasClosed)].kind == DescriptorKind::Closed);
    CHECK(scene.sample().empty());
}

CT_CASE(aNumberMayBeUsedAgain)
{
    Scene scene;
    std::array<int, 2> ends{};
    {
        const auto event = ProcFile::adopt(::eventfd(0, EFD_CLOEXEC));
        scene.add(event.fd());
        CHECK(scene.of(event.fd()).kind == DescriptorKind::Event);
        ends[0] = event.fd();
    }
    const auto timer = ProcFile::adopt(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC));
    REQUIRE(timer.fd() == ends[0]);
    scene.add(timer.fd());
    CHECK(scene.of(timer.fd()).kind == DescriptorKind::Timer);
}

CT_CASE(anotherFileThatIsNotRegisteredMayHaveTheNumber)
{
    Scene scene;
    auto timer = ProcFile::adopt(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC));
    const int number = timer.fd();
    scene.add(number);
    CHECK(scene.of(number).kind == DescriptorKind::Timer);
    timer = ProcFile();
    const auto event = ProcFile::adopt(::eventfd(0, EFD_CLOEXEC));
    REQUIRE(event.fd() == number);  // timers and events have the same inode
    CHECK(scene.of(number).kind == DescriptorKind::Closed);
}

CT_CASE(findsAllEpolls)
{
    Scene scene;
    const auto other = ProcFile::adopt(::epoll_create1(EPOLL_CLOEXEC));
    const auto event = ProcFile::adopt(::eventfd(7, EFD_CLOEXEC));
    epoll_event wanted{};
    wanted.events = EPOLLIN;
    ::epoll_ctl(other.fd(), EPOLL_CTL_ADD, event.fd(), &wanted);
    CHECK(scene.sample().empty());
    scene.sampler->findEpolls();
    CHECK_EQUAL(scene.of(event.fd()).pending, 7U);
    CHECK_EQUAL(scene.of(event.fd()).epoll, Scene::number(other));
    CHECK(scene.sampler->areKnown());
}
