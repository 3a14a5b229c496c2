// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A stream of short-lived coroutines, for recordings that rotate.
#pragma once

#include "tests/core/recording/recordingtest.h"

namespace recordingtest {

inline constexpr std::uint64_t kSecond = 1'000'000'000;
inline constexpr std::uint64_t kStart = 5'000 * kSecond;

/// A simulated program. Each batch covers 0.1 s; one coroutine is born per batch, and most die after a while.
class SimulatedProgram {
public:
    explicit SimulatedProgram(std::size_t longLived) : m_longLived(longLived) {}

    Batch next()
    {
        m_batch = Batch();
        m_batch.now = kStart + m_round * kSecond / 10;
        if (m_round == 0)
            createFirstCoroutines();
        createCoroutine();
        for (const CoroutineId id : m_living)
            emitEvents(id);
        if (m_living.size() > m_longLived + 5) {
            m_batch.deaths.push_back({m_living[m_longLived], m_batch.now});
            m_living.erase(m_living.begin() + static_cast<std::ptrdiff_t>(m_longLived));
        }
        ++m_round;
        return m_batch;
    }
    const std::vector<CoroutineId> &living() const { return m_living; }

private:
    void createFirstCoroutines()
    {
        m_batch.sites = {{1, 10, 0, "a.cpp", "one"}, {2, 20, 4, "b.cpp", "two"}};
        m_batch.notes.processes.push_back({77, kStart, "program"});
        m_batch.notes.threadNames.push_back({77, 78, "worker"});
        for (std::size_t i = 1; i < m_longLived; ++i)
            createCoroutine();
    }
    void createCoroutine()
    {
        const auto id = static_cast<CoroutineId>(m_numbers.size());
        m_batch.births.push_back({id, id, 1, 77, Dialect::Lane, 1000 + std::uint64_t{id}, m_batch.now});
        m_batch.notes.names.push_back({id, "task " + std::to_string(id)});
        if (id > 0)
            m_batch.notes.parents.push_back({id, id - 1});
        m_numbers.push_back(0);
        m_living.push_back(id);
    }
    void emitEvents(CoroutineId id)
    {
        std::uint64_t &n = m_numbers[id];
        if (n != 0 && (id + m_round) % 7 == 0) {
            m_batch.losses.push_back({id, n, 3, false});
            n += 4;  // one more is missing without a Loss row
        }
        for (int i = 0; i < 1 + static_cast<int>(id % 2); ++i, ++n) {
            Transition event;
            event.coroutine = id;
            event.ts = m_batch.now - 1000 + n;
            event.n = n;
            event.seq = n;
            event.addr = 0x1000 + id;
            event.tid = 78;
            event.site = 1 + id % 2;
            event.active = n % 2 != 0;
            m_batch.transitions.push_back(event);
        }
        if (id % 3 == 0) {
            m_batch.notes.waits.push_back({id, n - 1, WaitKind::Channel, 0xC0FFEE, id ? id - 1 : kNoCoroutine});
            m_batch.notes.wakes.push_back({id, id ? id - 1 : kNoCoroutine, n, m_batch.now, 77, 78});
        }
    }

    const std::size_t m_longLived;
    std::uint64_t m_round = 0;
    std::vector<std::uint64_t> m_numbers;
    std::vector<CoroutineId> m_living;
    Batch m_batch;
};

}  // namespace recordingtest
