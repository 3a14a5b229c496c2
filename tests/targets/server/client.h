// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "scheduler/socket.h"
#include "scheduler/sync.h"
#include "server.h"

#include <chrono>
#include <cstdint>
#include <random>
#include <string>

namespace server {

/// Behaviour of a client: many short sessions, or one long one.
struct Habit {
    std::uint64_t requestsPerSession;
    std::chrono::milliseconds think;   ///< between a response and the next request, on average
    std::chrono::milliseconds pause;   ///< between two sessions, on average
    std::chrono::milliseconds within;  ///< period over which the first sessions start
};

/// A load generator. It connects, sends requests, checks the answers, disconnects and starts again, until the context
/// stops.
class Client {
public:
    Client(Context &context, std::string address, const Habit &habit, std::uint64_t seed)
        : m_context(context), m_address(std::move(address)), m_habit(habit), m_random(seed)
    {
    }

    [[nodiscard]] sched::Task<> run();
    [[nodiscard]] std::uint64_t wrongAnswers() const { return m_wrongAnswers; }

private:
    [[nodiscard]] sched::Task<> session(sched::Socket connection);
    [[nodiscard]] bool stopping() const { return m_context.stopping.load(std::memory_order_relaxed); }

    Context &m_context;
    const std::string m_address;
    const Habit m_habit;
    std::minstd_rand m_random;
    std::uint64_t m_wrongAnswers = 0;
};

}  // namespace server
