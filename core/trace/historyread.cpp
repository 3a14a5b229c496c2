// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The readers of the History: copy, validate, then use the copy.
#include "core/trace/history.h"

#include "core/trace/historydata.h"

#include <algorithm>
#include <optional>

namespace ct {

using namespace history;

namespace {

/// The coroutine's first row in [row, slab.rows), found by linear search; slab.rows if there is none.
std::uint32_t nextRowOf(const SlabView &slab, CoroutineId id, std::uint32_t row)
{
    constexpr std::uint32_t kLow = (std::uint32_t{1} << kRowCoroutineBits) - 1;
    for (; row < slab.rows; ++row) {
        if (rowWord(slab.memory, row, 1) >> (32 - kRowCoroutineBits) == (id & kLow) && slab.coroutine(row) == id)
            break;
    }
    return row;
}

/// Finds the latest row with an event before `ts`. Returns false if there is none, or if the slab was evicted.
bool rowBefore(const History::Data &data, const SlabView &slab, CoroutineId id, std::uint64_t ts, std::uint32_t &row)
{
    data.index.prepare(slab, data.isBusy());
    for (const bool indexed : {true, false}) {
        const CoroutineRows run = indexed ? Index::rowsOfCoroutine(slab, id) : CoroutineRows();
        std::uint32_t found = kMaxRows;
        std::uint32_t orderIndex = run.begin;
        for (std::uint32_t after = run.end; orderIndex < after;) {
            const std::uint32_t middle = orderIndex + (after - orderIndex) / 2;
            if (slab.ts(Index::row(slab, middle)) < ts)
                orderIndex = middle + 1;
            else
                after = middle;
        }
        if (orderIndex > run.begin)
            found = Index::row(slab, orderIndex - 1);
        if (orderIndex == run.end) {
            for (std::uint32_t next = run.tail; (next = nextRowOf(slab, id, next)) < slab.rows; ++next) {
                if (slab.ts(next) >= ts)
                    break;
                found = next;
            }
        }
        if (!slab.isCurrent())
            return false;
        if (Index::isCurrent(slab, run)) {
            row = found;
            return found < kMaxRows;
        }
    }
    return false;
}

}  // namespace

namespace history {

bool copyEvents(const History::Data &data, const SlabView &slab, CoroutineId id, std::uint32_t firstRow,
                std::span<HistoryEvent> events, std::span<std::uint32_t> rows, Copied &copied)
{
    data.index.prepare(slab, data.isBusy());
    // Relaxed: the address was stored before the rows that refer to it.
    const std::uint64_t usualAddr = data.coroutines.heads[id].usualAddr.load(std::memory_order_relaxed);
    for (const bool indexed : {true, false}) {
        const CoroutineRows run = indexed ? Index::rowsOfCoroutine(slab, id) : CoroutineRows();
        copied = Copied();
        const auto copyRow = [&](std::uint32_t row) {
            events[copied.count] = slab.event(row, usualAddr);
            rows[copied.count++] = row;
            copied.nextRow = row + 1;
        };
        for (std::uint32_t orderIndex = Index::orderIndexOf(slab, run, firstRow); orderIndex < run.end; ++orderIndex) {
            if (copied.count == events.size())
                break;
            copyRow(Index::row(slab, orderIndex));
        }
        std::uint32_t row = std::max(firstRow, run.tail);
        while (copied.count < events.size() && (row = nextRowOf(slab, id, row)) < slab.rows)
            copyRow(row++);
        if (copied.count < events.size())
            copied.nextRow = std::max(slab.rows, run.tail);  // the index may cover more rows than the view
        if (!slab.isCurrent())
            return false;
        if (Index::isCurrent(slab, run))
            return true;
    }
    return true;  // the second round used no index that could have changed
}

RowPosition positionBefore(const History::Data &data, CoroutineId id, std::uint64_t ts)
{
    if (id >= data.coroutines.heads.size())
        return {};
    const std::uint32_t last = data.coroutines.heads[id].last.load(std::memory_order_acquire);
    const std::uint32_t first = data.coroutines.lives[id].first.load(std::memory_order_relaxed);
    SlabView slab;
    std::uint32_t row = 0;
    for (std::uint32_t number = last; number != 0 && number >= first; --number) {
        if (!data.log.view(number, slab)) {
            number = data.log.previousKept(number - 1) + 1;
            continue;
        }
        if (slab.minTs < ts && rowBefore(data, slab, id, ts, row))
            return {number, row};
    }
    return {last == 0 ? 0 : data.log.nextKept(first), 0};
}

}  // namespace history

std::vector<HistoryEvent> History::events(CoroutineId id, std::uint64_t from, std::uint64_t to, std::size_t limit) const
{
    std::vector<HistoryEvent> found;
    std::optional<HistoryEvent> before;
    Cursor cursor(*m_data, id, std::min(limit, Cursor::kPiece) + 2);
    cursor.start(positionBefore(*m_data, id, from));
    for (HistoryEvent event; found.size() < limit && cursor.next(event);) {
        if (event.ts < from) {
            before = event;
            continue;
        }
        if (before)
            found.push_back(*before);
        before.reset();
        if (event.ts >= to || found.size() >= limit)
            return found;
        found.push_back(event);
    }
    if (before && found.size() < limit)
        found.push_back(*before);
    return found;
}

std::size_t History::read(CoroutineId id, Position &position, std::span<HistoryEvent> events) const
{
    Cursor cursor(*m_data, id, events.size());
    if (position.known)
        cursor.start({position.slab, position.row}, position.nextN);
    else
        cursor.start(position.slab != 0 ? RowPosition{position.slab, position.row} : positionBefore(*m_data, id, 0));
    std::size_t got = 0;
    while (got < events.size() && cursor.next(events[got]))
        ++got;
    if (got != 0) {
        const RowPosition rowPosition = cursor.rowPosition();
        position.slab = rowPosition.slab;
        position.row = rowPosition.row;
        position.nextN = cursor.nextN();
        position.known = cursor.isKnown();
    }
    return got;
}

std::uint64_t History::firstKept(CoroutineId id) const
{
    Position position;
    std::array<HistoryEvent, 2> events;
    const std::size_t count = read(id, position, events);
    for (std::size_t i = 0; i < count; ++i)
        if (events[i].type != HistoryEvent::Type::Gap)
            return events[i].ts;
    return 0;
}

std::uint64_t History::veryFirst(CoroutineId id) const
{
    SlabView slab;
    if (id >= m_data->coroutines.heads.size() || m_data->coroutines.heads[id].last.load(std::memory_order_acquire) == 0)
        return 0;
    const bool isHere = m_data->log.view(m_data->coroutines.lives[id].first.load(std::memory_order_relaxed), slab);
    return isHere ? firstKept(id) : 0;
}

}  // namespace ct
