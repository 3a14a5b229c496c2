// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "client.h"

namespace server {

namespace {

using namespace std::chrono_literals;

/// Returns a random duration between 0.5 and 1.5 times the mean.
[[nodiscard]] std::chrono::nanoseconds around(std::chrono::nanoseconds mean, std::minstd_rand &random)
{
    return mean * static_cast<int>(500 + random() % 1000) / 1000;
}

}  // namespace

sched::Task<> Client::run()
{
    const std::chrono::nanoseconds first = m_habit.within * static_cast<int>(m_random() % 1000) / 1000;
    co_await sleepFor(m_context.scheduler, first + around(m_habit.pause, m_random));
    while (!stopping()) {
        std::optional<sched::Socket> connection = tryConnect(m_context.scheduler.reactor(), m_address);
        if (connection)
            co_await session(std::move(*connection));
        connection.reset();
        co_await sleepFor(m_context.scheduler, around(m_habit.pause, m_random));
    }
}

sched::Task<> Client::session(sched::Socket connection)
{
    MessageBuffer buffer;
    for (std::uint64_t asked = 0; asked < m_habit.requestsPerSession && !stopping(); ++asked) {
        if (asked != 0)
            co_await sleepFor(m_context.scheduler, around(m_habit.think, m_random));
        const Message request{asked, m_random()};
        if (!co_await async_write(connection, bytesOf(request)))
            co_return;
        Message response;
        while (!buffer.take(response)) {
            const std::size_t received = co_await async_read(connection, buffer.room());
            if (received == 0)
                co_return;
            buffer.received(received);
        }
        m_wrongAnswers += response.value == answer(request).value ? 0 : 1;
    }
}

}  // namespace server
