// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/region/calendartime.h"

#include "corotracer/calendartime.h"

namespace ct {

namespace {

/// About 146 years. A greater reading of either clock comes from a stray write.
constexpr std::uint64_t kImplausibleNs = std::uint64_t{1} << 62;

}  // namespace

void RegionTime::keep(std::uint64_t nowNs, bool anyAlive)
{
    m_keptNs = nowNs;
    corotracer::GlobalHeader *const header = m_region.writableHeader();
    if (!header || !m_region.hasExtension() || (m_region.isAdopted() && !anyAlive))
        return;
    // In overwrite mode, processes write readings as well. Otherwise the owner is the only writer.
    const bool alone = m_region.laneMode() != corotracer::kLanesOverwrite;
    const bool counts = corotracer::detail::has_invariant_counter();
    corotracer::detail::publish_moment(header->extension, corotracer::detail::read_moment(counts), alone);
}

std::optional<std::uint64_t> realtimeOf(const Region &region, std::uint64_t monotonicNs)
{
    if (!region.hasExtension())
        return std::nullopt;
    const corotracer::ExtensionHeader &extension = region.header().extension;
    corotracer::detail::clock_moment untrusted;
    if (!corotracer::detail::read_published(extension, untrusted))
        untrusted = {0, extension.created_monotonic_ns, extension.created_realtime_ns};
    if (untrusted.realtime_ns == 0 || untrusted.realtime_ns >= kImplausibleNs ||
        untrusted.monotonic_ns >= kImplausibleNs || monotonicNs >= kImplausibleNs)
        return std::nullopt;
    // The sum fits 63 bits.
    const std::uint64_t ahead = untrusted.realtime_ns + monotonicNs;
    if (ahead <= untrusted.monotonic_ns)
        return std::nullopt;
    return ahead - untrusted.monotonic_ns;
}

}  // namespace ct
