// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/target/cputime.h"

#include <ctime>
#include <iterator>
#include <optional>

namespace ct {

namespace {

/// Returns the time (ns) that all threads of a process have used, ended ones included. nullopt: there is no process.
std::optional<std::uint64_t> usedBy(pid_t pid)
{
    clockid_t clock{};
    timespec used{};
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) != 0)
        return std::nullopt;
    return static_cast<std::uint64_t>(used.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(used.tv_nsec);
}

}  // namespace

void CpuTime::add(pid_t pid, bool fromStart)
{
    const auto [process, isNew] = m_processes.try_emplace(pid);
    if (!isNew)
        return;
    process->second.from = fromStart ? 0 : usedBy(pid).value_or(0);
    process->second.latest = process->second.from;
}

std::uint64_t CpuTime::sample()
{
    std::uint64_t sum = 0;
    for (auto known = m_processes.begin(); known != m_processes.end();) {
        auto &[pid, process] = *known;
        const std::optional<std::uint64_t> used = usedBy(pid);
        if (used && *used < process.latest) {  // another process has the pid now
            process.counted += process.latest - process.from;
            process.from = 0;
        }
        process.latest = used.value_or(process.latest);
        const std::uint64_t counted = process.counted + process.latest - process.from;
        // A target may start very many processes. So those that have ended must not be asked again.
        (used ? sum : m_endedNs) += counted;
        known = used ? std::next(known) : m_processes.erase(known);
    }
    return sum + m_endedNs;
}

}  // namespace ct
