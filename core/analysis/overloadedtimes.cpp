// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/overloadedtimes.h"

#include <algorithm>

namespace ct {

Result<void> OverloadedTimes::consume(const Batch &batch)
{
    if (batch.notes.threadSamples.empty())
        return {};
    const std::scoped_lock lock(m_mutex);
    for (const ThreadSample &row : batch.notes.threadSamples)
        add(row);
    return {};
}

void OverloadedTimes::add(const ThreadSample &row)
{
    const auto key = std::pair(row.pid, row.tid);
    if (row.state == ThreadState::Ended) {
        // Its stretches still count; a thread that gets the same number begins anew.
        if (const auto known = m_threads.find(key); known != m_threads.end())
            known->second.latest = {};
        return;
    }
    if (m_threads.size() >= kMostThreads && !m_threads.contains(key))
        return;
    Thread &thread = m_threads[key];
    const ThreadSample before = std::exchange(thread.latest, row);
    if (before.ts == 0 || before.ts >= row.ts || before.runDelayNs == 0 || row.runDelayNs <= before.runDelayNs)
        return;
    const double delayed =
        static_cast<double>(row.runDelayNs - before.runDelayNs) / static_cast<double>(row.ts - before.ts);
    if (delayed < kLeastShare)
        return;
    if (thread.stretches.size() == kMostStretches)
        thread.stretches.erase(thread.stretches.begin(), thread.stretches.begin() + kMostStretches / 2);
    thread.stretches.push_back({{before.ts, row.ts}, delayed});
}

std::vector<OverloadedTimes::Interval> OverloadedTimes::of(std::uint32_t pid, double share,
                                                           const std::function<bool(std::uint32_t)> &isWanted) const
{
    std::vector<Interval> all;
    {
        const std::scoped_lock lock(m_mutex);
        for (auto entry = m_threads.lower_bound({pid, 0}); entry != m_threads.end() && entry->first.first == pid;
             ++entry) {
            if (!isWanted(entry->first.second))
                continue;
            for (const Stretch &stretch : entry->second.stretches)
                if (stretch.delayed > share)
                    all.push_back(stretch.time);
        }
    }
    std::sort(all.begin(), all.end(), [](const Interval &a, const Interval &b) { return a.from < b.from; });
    std::size_t used = 0;
    for (const Interval &interval : all) {
        if (used != 0 && interval.from <= all[used - 1].to)
            all[used - 1].to = std::max(all[used - 1].to, interval.to);
        else
            all[used++] = interval;
    }
    all.resize(used);
    return all;
}

}  // namespace ct
