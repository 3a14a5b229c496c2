// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
#include "core/recording/read/streamguard.h"

#include "core/recording/format/batchcodec.h"
#include "core/recording/format/ctrformat.h"
#include "core/stream/rowvisitor.h"

#include <algorithm>
#include <functional>
#include <string>

namespace ct::ctr {

namespace {

/// Limit for the younger sites that can come before a site whose target was slow to publish it.
constexpr std::uint64_t kSiteSlack = 65'536;
constexpr std::uint64_t kMostSites = 1U << 24;
/// Limit for the file and function names of all sites in a stream. A million sites with 250 bytes each reach it.
/// Without it, a few compressed kilobytes could expand to gigabytes of text.
constexpr std::uint64_t kMostSiteBytes = std::uint64_t{256} << 20;
/// Memory for the text of a frame in addition to its length, in bytes.
constexpr std::uint64_t kFrameTextCost = 64;
/// Limit for the births in a block: a block with fewer than kMostRestRows rows can get one more batch of that size.
constexpr std::uint64_t kMostBlockBirths = 2 * kMostRestRows;
/// Limit for all made-up births: 160 MiB in a batch. Without it, one jump of the sequence could request 2^32 births.
constexpr std::uint64_t kMostMadeUp = std::uint64_t{4} << 20;

/// Limit for the births in lost blocks. A file that was cut off counts as one block, however many it lost. So the first
/// lost block counts as a full section.
std::uint64_t mostMadeUp(std::uint64_t lostBlocks)
{
    if (lostBlocks == 0)
        return 0;
    return std::clamp(std::min(lostBlocks, kMostMadeUp) * kMostBlockBirths, kMostRows, kMostMadeUp);
}

}  // namespace

/// Collects the sites that are new in `added`.
bool StreamGuard::admitSites(const Batch &batch, std::vector<SiteId> &added)
{
    for (const Site &site : batch.sites) {
        const std::uint64_t most = m_siteCount + kSiteSlack + std::min(m_lostBlocks, kMostSites) * kMostRows;
        if (site.id == kUnknownSite || site.id > most || site.id >= kMostSites)
            return false;
        if (site.id >= m_sites.size())
            m_sites.resize(static_cast<std::size_t>(site.id) + 1);
        if (m_sites[site.id])
            continue;
        m_sites[site.id] = true;
        added.push_back(site.id);
        ++m_siteCount;
        m_siteBytes += site.file.size() + site.function.size();
        if (m_siteBytes > kMostSiteBytes)
            return false;
    }
    return true;
}

bool StreamGuard::admit(const std::vector<FrameLocation> &frames)
{
    const std::uint64_t bytes = m_frameBytes;
    std::vector<std::size_t> added;
    for (const FrameLocation &location : frames) {
        for (const std::string &text : {std::cref(location.file), std::cref(location.function)}) {
            const auto [hash, isNew] = m_frameTexts.insert(std::hash<std::string>()(text));
            if (!isNew)
                continue;
            added.push_back(*hash);
            m_frameBytes += text.size() + kFrameTextCost;
        }
        if (m_frameBytes > kMostFrameBytes) {
            for (const std::size_t one : added)
                m_frameTexts.erase(one);
            m_frameBytes = bytes;
            return false;
        }
    }
    return true;
}

/// Makes up births without data for the ids below `until`. Returns false when the lost blocks had fewer births.
bool StreamGuard::makeUp(CoroutineId until, std::vector<Birth> &births)
{
    const std::uint64_t count = until - m_coroutines;
    if (count > mostMadeUp(m_lostBlocks) - m_madeUp)
        return false;
    m_madeUp += count;
    for (; m_coroutines < until; ++m_coroutines) {
        Birth birth;
        birth.coroutine = m_coroutines;
        births.push_back(birth);
    }
    return true;
}

/// Checks that ids are dense, in the order of the births, and makes up missing births. Returns false on damage.
bool StreamGuard::admitBirths(Batch &batch)
{
    CoroutineId until = 0;
    bool good = true;
    const auto name = [&](CoroutineId id) {
        good &= id != kNoCoroutine;
        until = std::max(until, id == kNoCoroutine ? 0 : id + 1);
    };
    const auto nameAll = [&](const auto &rows) {
        for (const auto &row : rows)
            name(row.coroutine);
    };
    forEachCoroutinesRows(batch, nameAll);
    for (const Parent &parent : batch.notes.parents)
        name(parent.parent);
    for (const WaitsOn &waits : batch.notes.waits)
        until = std::max(until, waits.target + 1);  // kNoCoroutine + 1 is 0
    for (const Wake &wake : batch.notes.wakes)
        until = std::max(until, wake.by + 1);
    for (const Use &use : batch.notes.uses)
        until = std::max(until, use.by + 1);
    if (!good)
        return false;

    std::vector<Birth> births;
    const bool dense =
        std::all_of(batch.births.begin(), batch.births.end(),
                    [next = m_coroutines](const Birth &birth) mutable { return birth.coroutine == next++; });
    if (dense) {
        m_coroutines += static_cast<CoroutineId>(batch.births.size());
    } else {
        births.reserve(batch.births.size());
        for (const Birth &birth : batch.births) {
            if (birth.coroutine < m_coroutines || birth.coroutine == kNoCoroutine || !makeUp(birth.coroutine, births))
                return false;
            births.push_back(birth);
            ++m_coroutines;
        }
        batch.births.swap(births);
    }
    return until <= m_coroutines || makeUp(until, batch.births);
}

bool StreamGuard::admit(Batch &batch)
{
    const CoroutineId coroutines = m_coroutines;
    const std::uint64_t madeUp = m_madeUp;
    const std::uint64_t siteBytes = m_siteBytes;
    std::vector<SiteId> added;
    if (!admitSites(batch, added) || !admitBirths(batch)) {
        // The sinks never get this batch, so later batches must not rely on it.
        m_coroutines = coroutines;
        m_madeUp = madeUp;
        m_siteBytes = siteBytes;
        m_siteCount -= added.size();
        for (const SiteId site : added)
            m_sites[site] = false;
        return false;
    }
    for (Transition &event : batch.transitions) {
        if (event.site != kUnknownSite && (event.site >= m_sites.size() || !m_sites[event.site])) [[unlikely]]
            event.site = kUnknownSite;
    }
    count(batch);
    return true;
}

void StreamGuard::count(const Batch &batch)
{
    m_sums.captured += batch.transitions.size();
    m_sums.coroutines += batch.births.size();
    m_sums.flaggedStations += batch.flags.size();
    for (const Loss &loss : batch.losses)
        (loss.beforeAttach ? m_sums.missedBeforeAttach : m_sums.lost) += loss.count;
}

}  // namespace ct::ctr
