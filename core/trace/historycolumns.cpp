// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a timeline shows of a coroutine at any zoom: shares of equal columns of time.
#include "core/trace/historydata.h"

#include <algorithm>
#include <limits>

namespace ct {

using namespace history;

namespace {

/// Spreads intervals over equal columns of time. Remembers the latest column, because most intervals end in it.
class ColumnSums {
public:
    ColumnSums(std::uint64_t from, std::uint64_t step, std::vector<History::Column> &columns)
        : m_from(from), m_step(step), m_perNs(1.0 / static_cast<double>(step)), m_columns(columns)
    {
    }

    /// `running` and `suspended`: how much of [begin, end) was spent so, 0..1.
    void addInterval(std::uint64_t begin, std::uint64_t end, double running, double suspended, SiteId site)
    {
        spread(begin, end, [&](History::Column &column, std::uint64_t ns) {
            const double share = static_cast<double>(ns) * m_perNs;
            column.running += static_cast<float>(share * running);
            column.suspended += static_cast<float>(share * suspended);
            if (suspended > 0)
                column.site = site;
        });
    }
    void addRunning(std::uint64_t begin, std::uint64_t end)
    {
        spread(begin, end, [&](History::Column &column, std::uint64_t ns) {
            column.running += static_cast<float>(static_cast<double>(ns) * m_perNs);
        });
    }
    void addSuspended(std::uint64_t begin, std::uint64_t end, SiteId site)
    {
        spread(begin, end, [&](History::Column &column, std::uint64_t ns) {
            column.suspended += static_cast<float>(static_cast<double>(ns) * m_perNs);
            column.site = site;
        });
    }
    void addGap(std::uint64_t begin, std::uint64_t end)
    {
        spread(begin, end, [](History::Column &column, std::uint64_t) { column.gap = true; });
        if (History::Column *column = at(end))
            column->gap = true;
    }
    void addTransition(std::uint64_t ts)
    {
        if (History::Column *column = at(ts))
            ++column->transitions;
    }
    /// `count` transitions somewhere in [begin, end], which is hardly longer than a column.
    void addTransitions(std::uint64_t begin, std::uint64_t end, std::uint32_t count)
    {
        History::Column *first = at(begin);
        History::Column *last = at(end);
        if (first && last && first != last) {
            first->transitions += count / 2;
            count -= count / 2;
        }
        if (History::Column *column = last ? last : first)
            column->transitions += count;
    }
    void noteSite(std::uint64_t ts, SiteId site)
    {
        if (History::Column *column = at(ts))
            column->site = site;
    }

private:
    bool isInLatest(std::uint64_t ts) const { return m_latest && ts - m_latestBegin < m_step; }
    History::Column *at(std::uint64_t ts)
    {
        if (isInLatest(ts))
            return m_latest;
        if (ts < m_from || (ts - m_from) / m_step >= m_columns.size())
            return nullptr;
        const std::uint64_t index = (ts - m_from) / m_step;
        m_latest = &m_columns[index];
        m_latestBegin = m_from + index * m_step;
        return m_latest;
    }
    template <class Each>
    void spread(std::uint64_t begin, std::uint64_t end, Each &&each)
    {
        begin = std::max(begin, m_from);
        if (end <= begin)
            return;
        if (isInLatest(begin) && isInLatest(end - 1)) {
            each(*m_latest, end - begin);
            return;
        }
        for (std::size_t i = (begin - m_from) / m_step; i < m_columns.size(); ++i) {
            const std::uint64_t columnBegin = m_from + i * m_step;
            if (columnBegin >= end)
                return;
            const std::uint64_t lower = std::max(begin, columnBegin);
            const std::uint64_t upper = end - columnBegin < m_step ? end : columnBegin + m_step;
            each(m_columns[i], upper - lower);
        }
    }

    std::uint64_t m_from;
    std::uint64_t m_step;
    double m_perNs;
    std::vector<History::Column> &m_columns;
    History::Column *m_latest = nullptr;
    std::uint64_t m_latestBegin = 0;
};

/// What an event began and the next one ends.
struct Lasting {
    std::uint64_t ts = 0;
    Open open = Open::Nothing;
    SiteId site = kUnknownSite;
};

void addLasting(ColumnSums &sums, const Lasting &lasting, std::uint64_t until)
{
    if (lasting.open == Open::Running)
        sums.addRunning(lasting.ts, until);
    else if (lasting.open == Open::Suspended)
        sums.addSuspended(lasting.ts, until, lasting.site);
}

/// Adds a copied block entry by entry; returns what lasts after it. Reads the packed words itself: it runs for every
/// event in sight and needs neither address nor thread.
Lasting addEntries(ColumnSums &sums, const BlockCopy &block)
{
    Lasting lasting{block.openTs, block.open, block.openSite};
    for (std::uint32_t entry = 0; entry < block.count; ++entry) {
        const std::uint64_t flags = block.words[entry * 2 + 1];
        const std::uint64_t ts = unpackTs(block.baseTs, block.words[entry * 2]);
        if (flags & kGap) {
            sums.addGap(lasting.ts == 0 ? ts : lasting.ts, ts);
            lasting.open = Open::Nothing;
            lasting.ts = ts;
            continue;
        }
        addLasting(sums, lasting, ts);
        sums.addTransition(ts);
        const bool isWide = flags & kWide && entry + 1 < block.count;
        lasting.ts = ts;
        if (flags & kActive) {
            lasting.open = Open::Running;
        } else {
            lasting.open = kindOf(flags) == PointKind::Final ? Open::Nothing : Open::Suspended;
            lasting.site = isWide ? static_cast<SiteId>(block.words[entry * 2 + 3] >> 32) : siteOf(flags);
            sums.noteSite(ts, lasting.site);
        }
        entry += isWide;
    }
    return lasting;
}

void addSummary(ColumnSums &sums, const BlockCopy &block)
{
    const std::uint64_t begin = block.begin();
    if (block.closedTs > begin) {
        const auto span = static_cast<double>(block.closedTs - begin);
        sums.addInterval(begin, block.closedTs, static_cast<double>(block.runNs) / span,
                         static_cast<double>(block.suspendedNs) / span, block.lastSite);
    }
    if (block.gaps)
        sums.addGap(begin, block.closedTs);
    sums.addTransitions(block.baseTs, block.closedTs, block.transitions);
}

}  // namespace

void History::columns(CoroutineId id, std::uint64_t from, std::uint64_t step, std::vector<Column> &columns) const
{
    std::fill(columns.begin(), columns.end(), Column());
    if (step == 0 || columns.empty() || id >= m_data->heads.size())
        return;
    constexpr std::uint64_t kEndOfTime = std::numeric_limits<std::uint64_t>::max();
    const std::uint64_t room = kEndOfTime - from;
    const std::uint64_t to = room / step < columns.size() ? kEndOfTime : from + step * columns.size();
    ColumnSums sums(from, step, columns);
    const std::uint64_t death = m_data->heads[id].deathTs.load(std::memory_order_relaxed);
    const std::uint64_t now = m_data->now.load(std::memory_order_relaxed);
    for (BlockCopy &block : m_data->blocksBetween(id, from, to)) {
        if (block.closed && block.closedTs - block.begin() <= step) {
            addSummary(sums, block);
        } else if (m_data->copyEntries(block)) {
            const Lasting lasting = addEntries(sums, block);
            if (block.next == 0)
                addLasting(sums, lasting, death != 0 ? death : now);
        }
    }
    for (Column &column : columns) {
        column.running = std::min(column.running, 1.0F);
        column.suspended = std::min(column.suspended, 1.0F);
    }
}

}  // namespace ct
