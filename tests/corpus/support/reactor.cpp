// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "reactor.h"

#include <algorithm>
#include <array>
#include <vector>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace corpus {

Reactor::Reactor(std::function<void(const Waiter &)> wake)
    : m_wake(std::move(wake)), m_epoll(::epoll_create1(EPOLL_CLOEXEC)), m_interrupt(::eventfd(0, EFD_CLOEXEC))
{
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = m_interrupt;
    ::epoll_ctl(m_epoll, EPOLL_CTL_ADD, m_interrupt, &event);
    m_thread = std::thread(&Reactor::run, this);
}

Reactor::~Reactor()
{
    {
        const std::lock_guard lock(m_mutex);
        m_isStopping = true;
    }
    interrupt();
    m_thread.join();
    ::close(m_interrupt);
    ::close(m_epoll);
}

Reactor::Timer Reactor::wakeAt(Clock::time_point when, const Waiter &waiter)
{
    Timer timer;
    bool isFirst = false;
    {
        const std::lock_guard lock(m_mutex);
        timer = {when, m_nextTimer++};
        m_timers.emplace(timer, waiter);
        isFirst = m_timers.begin()->first == timer;
    }
    if (isFirst)
        interrupt();
    return timer;
}

Waiter Reactor::cancel(const Timer &timer)
{
    const std::lock_guard lock(m_mutex);
    const auto found = m_timers.find(timer);
    if (found == m_timers.end())
        return {};
    const Waiter waiter = found->second;
    m_timers.erase(found);
    return waiter;
}

void Reactor::wakeWhenReadable(int fd, const Waiter &waiter, std::uint32_t flags)
{
    waitForEdge(fd, waiter);
    epoll_event event{};
    event.events = EPOLLIN | EPOLLRDHUP | (flags != 0 ? flags : std::uint32_t{EPOLLONESHOT});
    event.data.fd = fd;
    if (::epoll_ctl(m_epoll, EPOLL_CTL_MOD, fd, &event) != 0)
        ::epoll_ctl(m_epoll, EPOLL_CTL_ADD, fd, &event);
}

void Reactor::waitForEdge(int fd, const Waiter &waiter)
{
    const std::lock_guard lock(m_mutex);
    m_readers[fd] = waiter;
}

Waiter Reactor::remove(int fd)
{
    ::epoll_ctl(m_epoll, EPOLL_CTL_DEL, fd, nullptr);
    const std::lock_guard lock(m_mutex);
    const auto found = m_readers.find(fd);
    if (found == m_readers.end())
        return {};
    const Waiter waiter = found->second;
    m_readers.erase(found);
    return waiter;
}

void Reactor::interrupt()
{
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(m_interrupt, &one, sizeof(one));
}

void Reactor::run()
{
    std::array<epoll_event, 32> events{};
    for (;;) {
        const int timeout = fireTimers();
        {
            const std::lock_guard lock(m_mutex);
            if (m_isStopping)
                return;
        }
        const int count = ::epoll_wait(m_epoll, events.data(), static_cast<int>(events.size()), timeout);
        for (int i = 0; i < count; ++i)
            dispatch(events.at(static_cast<std::size_t>(i)).data.fd);
    }
}

void Reactor::dispatch(int fd)
{
    if (fd == m_interrupt) {
        std::uint64_t count = 0;
        [[maybe_unused]] const auto taken = ::read(m_interrupt, &count, sizeof(count));
        return;
    }
    Waiter waiter;
    {
        const std::lock_guard lock(m_mutex);
        if (const auto found = m_readers.find(fd); found != m_readers.end()) {
            waiter = found->second;
            m_readers.erase(found);
        }
    }
    if (waiter)
        m_wake(waiter);
}

/// Returns the time to the next timer in ms, -1 if there is none.
int Reactor::fireTimers()
{
    std::vector<Waiter> due;
    int timeout = -1;
    {
        const std::lock_guard lock(m_mutex);
        const Clock::time_point now = Clock::now();
        while (!m_timers.empty() && m_timers.begin()->first.first <= now) {
            due.push_back(m_timers.begin()->second);
            m_timers.erase(m_timers.begin());
        }
        if (!m_timers.empty()) {
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(m_timers.begin()->first.first - now);
            timeout = static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 3'600'000));
        }
    }
    for (const Waiter &waiter : due)
        m_wake(waiter);
    return timeout;
}

}  // namespace corpus
