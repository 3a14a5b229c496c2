// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Says when the finishes of a batch end runs. A batch lists finishes apart from events. But slices of a thread that
// have equal times are nested by their order in the file, so a run must be ended before the next one of its thread
// begins.
#pragma once

#include "core/stream/stream.h"

#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <unordered_map>

namespace ct::viewers {

class FinishOrder {
public:
    /// Before all runs.
    void addBatch(const Batch &batch)
    {
        if (batch.transitions.empty() || batch.notes.finishes.empty())
            return;
        for (const Finish &finish : batch.notes.finishes)
            m_finishes.try_emplace(finish.coroutine, Last{finish, std::nullopt});
        for (const Transition &transition : batch.transitions) {
            if (const auto last = m_finishes.find(transition.coroutine); last != m_finishes.end())
                last->second.n = transition.n;
        }
    }
    void clear()
    {
        m_finishes.clear();
        m_runs.clear();
    }
    bool empty() const { return m_finishes.empty(); }

    /// Adds a run that began at `since` with event `n` of the batch, or in an earlier batch. `thread`: the id of its
    /// track. Of runs that began together, the outer one comes first.
    void addRun(CoroutineId coroutine, std::optional<std::uint64_t> n, std::uint32_t thread, std::uint64_t since)
    {
        const auto last = m_finishes.find(coroutine);
        if (last == m_finishes.end() || last->second.n != n)
            return;  // an event ends it
        m_runs[thread].emplace(since, last->second.finish);
    }

    /// Takes the next finish that comes before `event`. `thread`: the id of the event's track. `since`: when the run
    /// began that a suspension ends.
    std::optional<Finish> takeBefore(const Transition &event, std::uint32_t thread, std::uint64_t since)
    {
        const auto runs = m_runs.find(thread);
        if (runs == m_runs.end() || runs->second.empty())
            return std::nullopt;
        const auto innermost = std::prev(runs->second.end());
        const auto [begin, finish] = *innermost;
        const bool isNested = !event.active && since > begin;
        if (finish.ts > event.ts || isNested)
            return std::nullopt;
        runs->second.erase(innermost);
        return finish;
    }

private:
    struct Last {
        Finish finish;
        std::optional<std::uint64_t> n;  ///< number of the coroutine's last event in the batch; none: it has no events
    };
    /// Finishes by the begin of the run that they end.
    using Runs = std::multimap<std::uint64_t, Finish>;

    std::unordered_map<CoroutineId, Last> m_finishes;
    std::unordered_map<std::uint32_t, Runs> m_runs;  ///< of each thread
};

}  // namespace ct::viewers
