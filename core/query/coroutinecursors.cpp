// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/query/coroutinecursors.h"

#include "core/stream/dialectname.h"
#include "core/stream/flagreason.h"

namespace ct::query {

namespace {

/// Number of coroutines whose addresses are resolved at once.
constexpr CoroutineId kAddressesAtOnce = 1024;

}  // namespace

void CoroutineCursor::start(const Filter &filter)
{
    setRange(filter, m_snapshot.coroutineCount(), m_next, m_end);
}

bool CoroutineCursor::next()
{
    while (m_next < m_end && !m_snapshot.hasRecord(m_next))
        ++m_next;
    if (m_next >= m_end || m_snapshot.isCancelled())
        return false;
    m_coroutine = m_snapshot.population().at(m_next);
    m_coroutine.id = m_next++;
    return true;
}

CoroutineId CoroutineCursor::parent() const
{
    const CoroutineId parent = m_snapshot.population().parentOf(m_coroutine.id);
    return m_snapshot.hasRecord(parent) ? parent : kNoCoroutine;
}

void CoroutineCursor::put(int column, SqlValue &value)
{
    const CoroutineId id = m_coroutine.id;
    const ExportedCoroutine &atStart = m_snapshot.coroutine(id);
    switch (column) {
    case 0: return value.integer(id);
    case 7: return value.known(atStart.deathTs);
    case 8: return value.integer(atStart.isFlagged() ? 1 : 0);
    case 9: return value.integer(atStart.captured);
    case 10: return value.integer(atStart.lost);
    case 11: return value.integer(atStart.missed);
    case 12: return value.integer(m_snapshot.unexplained(id));
    case 13:
        return value.textOrNull(m_snapshot.population().hasName(id) ? m_snapshot.population().notes(id).name
                                                                    : std::string());
    case 14: return value.integerOrNull(parent(), parent() != kNoCoroutine);
    case 15:
    case 16: return putFinish(column, value);
    default: return putOrigin(column, value);
    }
}

void CoroutineCursor::putFinish(int column, SqlValue &value)
{
    const Finish *const finish = m_snapshot.finishOf(m_coroutine.id);
    if (!finish)
        return value.null();
    value.known(column == 15 ? finish->ts : finish->site);
}

void CoroutineCursor::putOrigin(int column, SqlValue &value) const
{
    if (!m_coroutine.kept)
        return value.null();
    switch (column) {
    case 1: return value.decimalText(m_coroutine.probeId);
    case 2: return value.known(m_coroutine.pid);
    case 3: return value.integer(m_coroutine.station);
    case 4: return value.integer(m_coroutine.generation);
    case 5: return value.word(dialectName(m_coroutine.dialect));
    case 6: return value.known(m_coroutine.birthTs);
    default: return value.null();
    }
}

void FlagCursor::start(const Filter &filter)
{
    setRange(filter, m_snapshot.coroutineCount(), m_next, m_end);
}

bool FlagCursor::next()
{
    while (m_next < m_end && !m_snapshot.coroutine(m_next).isFlagged())
        ++m_next;
    return m_next++ < m_end;
}

void FlagCursor::put(int column, SqlValue &value)
{
    if (column == 0)
        value.integer(m_next - 1);
    else
        value.word(flagReasonName(m_snapshot.coroutine(m_next - 1).flagReason));
}

void SiteCursor::start(const Filter &filter)
{
    m_next = filter.key.value_or(1);
    m_last = filter.key ? std::min<std::uint64_t>(m_next, m_snapshot.siteCount()) : m_snapshot.siteCount();
}

bool SiteCursor::next()
{
    m_site = nullptr;
    while (!m_site && m_next <= m_last)
        m_site = m_snapshot.population().site(static_cast<SiteId>(m_next++));
    return m_site != nullptr;
}

void SiteCursor::put(int column, SqlValue &value)
{
    switch (column) {
    case 0: return value.integer(m_site->id);
    case 1: return value.text(m_site->file);
    case 2: return value.known(m_site->line);
    case 3: return value.known(m_site->column);
    case 4: return value.text(m_site->function);
    default: return value.null();
    }
}

void AddressCursor::start(const Filter &filter)
{
    m_piece.clear();
    m_at = m_depth = 0;
    setRange(filter, m_snapshot.coroutineCount(), m_next, m_end);
    if (!filter.key)
        return;
    if (m_next < m_end)
        m_piece = m_snapshot.addressesOf(m_next);
    m_next = m_end;
}

bool AddressCursor::next()
{
    for (;;) {
        if (m_at < m_piece.size()) {
            if (m_depth++ < std::max<std::size_t>(1, m_piece[m_at].answer->frames.size()))
                return true;
            ++m_at;
            m_depth = 0;
            continue;
        }
        if (m_next >= m_end || m_snapshot.isCancelled())
            return false;
        const CoroutineId first = m_next;
        m_next += std::min(kAddressesAtOnce, m_end - m_next);
        m_piece = m_snapshot.addresses(first, m_next);
        m_at = m_depth = 0;
    }
}

void AddressCursor::put(int column, SqlValue &value)
{
    static const SourceFrame kNothing;
    const auto &[address, answer] = m_piece[m_at];
    const SourceFrame &frame = m_depth <= answer->frames.size() ? answer->frames[m_depth - 1] : kNothing;
    switch (column) {
    case 0: return value.integer(address.coroutine);
    case 1: return value.hexText(address.addr);
    case 2: return value.integer(m_depth - 1);
    case 3: return value.textOrNull(frame.function);
    case 4: return value.textOrNull(frame.file);
    case 5: return value.known(frame.line);
    case 6: return value.known(frame.column);
    case 7: return value.textOrNull(answer->module);
    case 8: return value.known(address.since);
    case 9: return value.textOrNull(answer->remedy);
    default: return value.null();
    }
}

}  // namespace ct::query
