// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "accesslog.h"
#include "corotracer/traced.h"
#include "scheduler/socket.h"
#include "scheduler/sync.h"

#include <atomic>
#include <cstdint>

namespace server {

/// The state that the server's coroutines share and the status line shows.
struct Context {
    Context(sched::Scheduler &owner, std::size_t maxConnections) : scheduler(owner), connections(owner, maxConnections)
    {
    }

    sched::Scheduler &scheduler;
    corotracer::Traced<sched::Semaphore> connections;  ///< one permit per further connection
    AccessLog log;
    std::atomic<bool> stopping{false};
    std::atomic<std::uint64_t> requests{0};  ///< requests answered so far
    std::atomic<int> open{0};                ///< connections being served
};

/// Accepts connections as long as the context has permits, and starts a handler for each.
class Acceptor {
public:
    explicit Acceptor(Context &context) : m_context(context), m_listener(context.scheduler.reactor(), kBacklog) {}

    [[nodiscard]] sched::Task<> run();
    void close();
    [[nodiscard]] const std::string &address() const { return m_listener.address(); }

private:
    static constexpr int kBacklog = 2;

    Context &m_context;
    sched::Listener m_listener;
};

/// Answers requests until the client closes the connection. Then releases its permit.
[[nodiscard]] sched::Task<> handleConnection(Context &context, sched::Socket connection);

}  // namespace server
