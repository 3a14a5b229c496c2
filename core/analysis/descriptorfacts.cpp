// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/descriptorfacts.h"

#include "core/analysis/facts.h"

#include <algorithm>

namespace ct {

namespace {

/// What happened to a descriptor that is ready: "received 12 bytes".
std::string arrivalText(const DescriptorSample &row)
{
    const bool hasPending = row.pending != 0 && row.pending != DescriptorSample::kUnknown;
    switch (row.kind) {
    case DescriptorKind::Timer: return "expired";
    case DescriptorKind::Listener: return "received " + countText(row.pending, "connection", "connections");
    case DescriptorKind::Socket:
        if (row.readEnds && !hasPending)
            return "was hung up by its peer";
        return hasPending ? "received " + countText(row.pending, "byte", "bytes") : "became writable";
    default: return "became ready";
    }
}

}  // namespace

DescriptorFacts::DescriptorFacts(const Population &population, std::uint32_t pid, std::uint64_t now) : m_now(now)
{
    const std::optional<ProcessSample> process = population.samples().processSample(pid);
    if (!process || process->threads == 0 || process->stoppedSince != 0 || !process->areDescriptorsKnown)
        return;
    m_knownUntil = std::min(process->descriptorsTs, now);
    for (const WatchedDescriptor &descriptor : population.samples().descriptors(pid)) {
        const DescriptorSample &row = descriptor.latest;
        if (row.ts > now)
            continue;
        Known &known = m_known[row.descriptor];
        known.canCome = known.canCome || (row.isRegistered() && row.isArmed() && !row.isReady());
        known.isWatched = known.isWatched || (row.isRegistered() && row.isArmed());
        if (row.ts > known.latest.latest.ts)
            known.latest = descriptor;
    }
}

bool DescriptorFacts::areKnownUntil(std::uint64_t ts) const
{
    constexpr std::uint64_t kShortlyNs = 3'000'000'000;
    return m_knownUntil >= ts || m_knownUntil + kShortlyNs > m_now;
}

bool DescriptorFacts::isIdle(std::uint64_t descriptor) const
{
    const auto found = m_known.find(descriptor);
    return found != m_known.end() && found->second.canCome;
}

bool DescriptorFacts::mayHaveQuietSources(std::uint64_t count, std::uint64_t since, std::uint64_t longNs) const
{
    std::uint64_t sources = 0;
    for (const auto &[number, known] : m_known) {
        const WatchedDescriptor &descriptor = known.latest;
        if (!known.isWatched || descriptor.latest.kind == DescriptorKind::Event ||
            descriptor.latest.kind == DescriptorKind::Timer)
            continue;
        if (descriptor.readySince > since && descriptor.readySince + longNs < m_now)
            return false;
        ++sources;
    }
    return sources >= count;
}

std::optional<OverDescriptor> DescriptorFacts::over(std::uint64_t descriptor) const
{
    const auto found = m_known.find(descriptor);
    if (found == m_known.end() || found->second.canCome)
        return std::nullopt;
    const DescriptorSample &row = found->second.latest.latest;
    const std::string name = "descriptor " + std::to_string(descriptor);
    if (row.kind == DescriptorKind::Closed)
        return OverDescriptor{row.ts, name + " was closed"};
    if (row.kind == DescriptorKind::Removed)
        return OverDescriptor{row.ts, name + " was removed from its epoll"};
    if (!row.isArmed())
        return OverDescriptor{row.ts, name + " became ready, and is not armed any more,"};
    return OverDescriptor{found->second.latest.readySince, name + " " + arrivalText(row), true};
}

}  // namespace ct
