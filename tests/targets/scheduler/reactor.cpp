// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "reactor.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace sched {

Reactor::Reactor(Schedule schedule, Registration registration)
    : m_schedule(std::move(schedule)),
      m_registration(registration),
      m_epoll(::epoll_create1(EPOLL_CLOEXEC)),
      m_wakeFd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))
{
    epoll_event event = {};
    event.events = EPOLLIN;
    event.data.fd = m_wakeFd;
    if (m_epoll < 0 || m_wakeFd < 0 || ::epoll_ctl(m_epoll, EPOLL_CTL_ADD, m_wakeFd, &event) != 0)
        throw std::system_error(errno, std::generic_category(), "reactor");
}

Reactor::~Reactor()
{
    stop();
    for (const Command &command : m_posted) {
        if (command.kind == Command::Kind::Close)
            ::close(command.fd);
    }
    ::close(m_wakeFd);
    ::close(m_epoll);
}

void Reactor::start()
{
    m_thread = std::thread(&Reactor::run, this);
}

void Reactor::stop()
{
    {
        const std::lock_guard lock(m_mutex);
        m_stopping = true;
    }
    wake();
    if (m_thread.joinable())
        m_thread.join();
}

void Reactor::watch(int fd)
{
    post({.kind = Command::Kind::Watch, .fd = fd});
}

void Reactor::close(int fd)
{
    post({.kind = Command::Kind::Close, .fd = fd});
}

void Reactor::submit(int fd, Direction direction, Operation &operation)
{
    post({.kind = Command::Kind::Submit, .direction = direction, .fd = fd, .operation = &operation});
}

void Reactor::resumeAt(Clock::time_point when, std::coroutine_handle<> waiting)
{
    post({.kind = Command::Kind::Timer, .when = when, .waiting = waiting});
}

void Reactor::post(const Command &command)
{
    bool first = false;
    {
        const std::lock_guard lock(m_mutex);
        first = m_posted.empty();
        m_posted.push_back(command);
    }
    // The reactor applies all posted commands at once, so only the first of a batch must wake it.
    if (first)
        wake();
}

void Reactor::wake()
{
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(m_wakeFd, &one, sizeof(one));
}

void Reactor::run()
{
    std::array<epoll_event, 128> events;
    for (;;) {
        const int count = ::epoll_wait(m_epoll, events.data(), static_cast<int>(events.size()), timeoutMs());
        for (int i = 0; i < count; ++i)
            dispatch(events[static_cast<std::size_t>(i)].data.fd, events[static_cast<std::size_t>(i)].events);
        {
            // Check m_stopping after the wake-up was read from its descriptor. An earlier stop() is then visible here,
            // and a later one wakes epoll_wait() again.
            const std::lock_guard lock(m_mutex);
            if (m_stopping)
                return;
        }
        applyPosted();
        fireTimers();
    }
}

int Reactor::timeoutMs() const
{
    if (m_timers.empty())
        return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(m_timers.top().when - Clock::now());
    return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000));
}

void Reactor::applyPosted()
{
    {
        const std::lock_guard lock(m_mutex);
        m_applying.swap(m_posted);
    }
    for (const Command &command : m_applying)
        apply(command);
    m_applying.clear();
}

void Reactor::apply(const Command &command)
{
    switch (command.kind) {
    case Command::Kind::Watch: {
        m_descriptors.resize(std::max(m_descriptors.size(), static_cast<std::size_t>(command.fd) + 1));
        m_descriptors[static_cast<std::size_t>(command.fd)] = {};
        epoll_event event = {};
        event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
        event.data.fd = command.fd;
        ::epoll_ctl(m_epoll, EPOLL_CTL_ADD, command.fd, &event);
        break;
    }
    case Command::Kind::Close:
        // This removes the descriptor from epoll. A late edge then finds no parked operation.
        m_descriptors[static_cast<std::size_t>(command.fd)] = {};
        ::close(command.fd);
        break;
    case Command::Kind::Submit: {
        Descriptor &descriptor = m_descriptors[static_cast<std::size_t>(command.fd)];
        Lane &lane = command.direction == Direction::Read ? descriptor.read : descriptor.write;
        lane.parked = command.operation;
        if (m_registration == Registration::RetryFirst || lane.ready)
            complete(lane);
        break;
    }
    case Command::Kind::Timer: m_timers.push({command.when, command.waiting}); break;
    }
}

void Reactor::dispatch(int fd, std::uint32_t events)
{
    if (fd == m_wakeFd) {
        std::uint64_t count = 0;
        [[maybe_unused]] const auto taken = ::read(m_wakeFd, &count, sizeof(count));
        return;
    }
    if (static_cast<std::size_t>(fd) >= m_descriptors.size())
        return;
    Descriptor &descriptor = m_descriptors[static_cast<std::size_t>(fd)];
    if ((events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) {
        // The peer is gone. Parked operations complete now. With RetryFirst, a later operation notices the hang-up when
        // it is submitted and tried. With TrustEdges it waits for ever: this was the last edge, and the reactor does
        // not store it.
        complete(descriptor.read);
        complete(descriptor.write);
        return;
    }
    if ((events & EPOLLIN) != 0)
        edge(descriptor.read);
    if ((events & EPOLLOUT) != 0)
        edge(descriptor.write);
}

void Reactor::edge(Lane &lane)
{
    lane.ready = true;
    complete(lane);
}

void Reactor::complete(Lane &lane)
{
    if (lane.parked == nullptr)
        return;
    lane.ready = false;
    if (lane.parked->perform())
        m_schedule(std::exchange(lane.parked, nullptr)->waiting);
}

void Reactor::fireTimers()
{
    const Clock::time_point now = Clock::now();
    while (!m_timers.empty() && m_timers.top().when <= now) {
        const std::coroutine_handle<> waiting = m_timers.top().waiting;
        m_timers.pop();
        m_schedule(waiting);
    }
}

}  // namespace sched
