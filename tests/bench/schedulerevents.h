// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Generates the events of a simulated scheduler, for programs that measure recordings.
#pragma once

#include "core/stream/stream.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <random>
#include <utility>
#include <vector>

namespace bench {

using namespace ct;

inline constexpr std::size_t kBatch = 8192;  ///< transitions; the batch size of the lane harvest

template <class Work>
double secondsOf(Work &&work)
{
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

struct Storm {
    const char *name;
    std::uint32_t coroutines;
    std::uint32_t threads;
    bool ownAddresses;  ///< each coroutine has its own frame address; else all have the same suspension address
    bool random;        ///< the next coroutine is random; else they queue
};

/// Threads resume coroutines and suspend them again. Times jitter by some tens of ns, and sometimes by hundreds.
class StormStream {
public:
    explicit StormStream(const Storm &storm) : m_storm(storm), m_next(storm.coroutines), m_threads(storm.threads)
    {
        for (CoroutineId id = 0; id < storm.coroutines; ++id)
            m_ready.push_back(id);
        for (std::uint32_t i = 0; i < storm.threads; ++i)
            m_threads[i].now = 1'000'000'000'000 + i * 17;
    }

    /// Returns the next batch. The first batch also has all births.
    Batch next(std::size_t transitions)
    {
        Batch batch;
        if (!std::exchange(m_born, true))
            createCoroutine(batch);
        batch.transitions.resize(transitions);
        for (Transition &event : batch.transitions)
            event = nextEvent();
        batch.now = transitions == 0 ? 0 : batch.transitions.back().ts;
        return batch;
    }

private:
    struct Thread {
        std::uint64_t now = 0;
        CoroutineId running = kNoCoroutine;
    };

    void createCoroutine(Batch &batch) const
    {
        for (CoroutineId id = 0; id < m_storm.coroutines; ++id) {
            Birth birth;
            birth.coroutine = id;
            birth.dialect = Dialect::Lane;
            batch.births.push_back(birth);
        }
        batch.sites.push_back({1, 10, 5, "schedulerevents.cpp", "Job suspendRepeatedly()"});
    }

    Transition nextEvent()
    {
        const auto thread =
            std::min_element(m_threads.begin(), m_threads.end(), [](auto &a, auto &b) { return a.now < b.now; });
        Transition event;
        event.active = thread->running == kNoCoroutine;
        if (event.active) {
            const std::size_t index = m_storm.random ? m_random() % std::min<std::size_t>(m_ready.size(), 4096) : 0;
            std::swap(m_ready[index], m_ready.front());
            thread->running = m_ready.front();
            m_ready.pop_front();
        }
        const CoroutineId id = thread->running;
        event.coroutine = id;
        event.n = m_next[id]++;
        event.seq = slotSeq(Dialect::Lane, event.n);
        event.ts = thread->now;
        event.tid = 4000 + static_cast<std::uint32_t>(thread - m_threads.begin());
        event.site = event.active ? kUnknownSite : 1;
        event.addr = m_storm.ownAddresses ? 0x5600'0000'1000 + std::uint64_t{id} * 208 : event.active ? 0 : 0x401234;
        if (!event.active) {
            m_ready.push_back(id);
            thread->running = kNoCoroutine;
        }
        thread->now += 25 + m_random() % 30 + (m_random() % 50 == 0 ? m_random() % 1000 : 0);
        return event;
    }

    const Storm m_storm;
    std::mt19937 m_random{1};
    std::deque<CoroutineId> m_ready;
    std::vector<std::uint64_t> m_next;
    std::vector<Thread> m_threads;
    bool m_born = false;
};

}  // namespace bench
