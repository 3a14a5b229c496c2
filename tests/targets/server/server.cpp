// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "server.h"

namespace server {

sched::Task<> Acceptor::run()
{
    for (;;) {
        co_await m_context.connections.acquire();
        std::optional<sched::Socket> connection = co_await async_accept(m_listener);
        if (!connection)
            break;
        if (m_context.stopping.load(std::memory_order_relaxed))
            m_context.connections.release();  // the socket's destructor hangs up
        else
            m_context.scheduler.spawn(handleConnection(m_context, std::move(*connection)));
    }
}

void Acceptor::close()
{
    m_listener.close();
    // The acceptor may be waiting for a permit instead of a client.
    m_context.connections.release();
}

sched::Task<> handleConnection(Context &context, sched::Socket connection)
{
    context.open.fetch_add(1, std::memory_order_relaxed);
    MessageBuffer buffer;
    for (bool alive = true; alive;) {
        const std::size_t received = co_await async_read(connection, buffer.room());
        alive = received != 0;
        buffer.received(received);
        for (Message request; alive && buffer.take(request);) {
            const Message response = answer(request);
            alive = co_await async_write(connection, bytesOf(response));
            context.requests.fetch_add(1, std::memory_order_relaxed);
            context.log.add(request);
        }
    }
    context.open.fetch_sub(1, std::memory_order_relaxed);
    context.connections.release();
}

}  // namespace server
