// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/databases/reading/streamrows.h"

#include "core/stream/causenames.h"
#include "core/stream/dialectname.h"
#include "core/stream/flagreason.h"
#include "core/stream/pointkind.h"
#include "core/stream/samplenames.h"

#include <algorithm>
#include <string>

namespace ct {

namespace {

constexpr std::array<std::string_view, 3> kGapKinds{"lost", "missed", "dropped"};
enum class GapKind : std::uint8_t { Lost, Missed, Dropped };
constexpr std::array<std::string_view, 3> kWaitModes{"one", "any", "all"};
constexpr std::array<std::string_view, 3> kCoroutineColumns{"coroutine", "by_coroutine", "target"};

void addParents(StreamParts &to)
{
    const auto end = to.childrenOfUnborn.lower_bound(to.born);
    for (auto known = to.childrenOfUnborn.begin(); known != end; ++known)
        to.batch.notes.parents.push_back({known->second, known->first});
    to.childrenOfUnborn.erase(to.childrenOfUnborn.begin(), end);
}

/// Adds the name and the parent with the birth, because their positions are not stored.
void putBirth(RowReader &row, StreamParts &to)
{
    Birth birth;
    std::uint64_t events = 0;
    std::uint64_t lost = 0;
    std::uint64_t missed = 0;
    std::string name;
    CoroutineId parent = kNoCoroutine;
    row.number(birth.coroutine).number(birth.probeId).known(birth.pid).number(birth.station).number(birth.generation);
    row.word(birth.dialect, kDialectNames).known(birth.birthTs).skip(2).number(events).number(lost);
    row.number(missed).skip().text(name);
    row.numberOr(parent, kNoCoroutine);
    to.events += events;
    to.lost += lost;
    to.missed += missed;
    to.born = std::max(to.born, birth.coroutine + 1);
    if (!name.empty())
        to.batch.notes.names.push_back({birth.coroutine, std::move(name)});
    if (parent != kNoCoroutine)
        to.childrenOfUnborn.emplace(parent, birth.coroutine);
    to.batch.births.push_back(birth);
    addParents(to);
}

void putDeath(RowReader &row, StreamParts &to)
{
    Death death;
    row.number(death.coroutine).skip(6).number(death.ts);
    to.batch.deaths.push_back(death);
}

void putFinish(RowReader &row, StreamParts &to)
{
    Finish finish;
    row.number(finish.coroutine).skip(14).number(finish.ts).known(finish.site);
    to.batch.notes.finishes.push_back(finish);
}

void putGap(RowReader &row, StreamParts &to)
{
    Loss loss;
    GapKind kind = GapKind::Lost;
    row.number(loss.coroutine).number(loss.firstN).number(loss.count).word(kind, kGapKinds);
    loss.beforeAttach = kind == GapKind::Missed;
    // A dropped event is a jump in the numbers, not a loss.
    if (kind != GapKind::Dropped)
        to.batch.losses.push_back(loss);
}

void putFlag(RowReader &row, StreamParts &to)
{
    Flag flag;
    row.number(flag.coroutine).word(flag.reason, kFlagReasonNames);
    to.batch.flags.push_back(flag);
}

void putProcess(RowReader &row, StreamParts &to)
{
    Process process;
    row.skip().number(process.pid).text(process.name).known(process.ts);
    to.batch.notes.processes.push_back(std::move(process));
}

void putProcessEnd(RowReader &row, StreamParts &to)
{
    ProcessEnd end;
    row.skip().number(end.pid).skip(2).number(end.ts);
    to.batch.notes.processEnds.push_back(end);
}

void putWait(RowReader &row, StreamParts &to)
{
    WaitsOn waits;
    std::uint32_t mode = 0;
    std::uint32_t position = 0;
    row.number(waits.coroutine).number(waits.n).word(waits.kind, kWaitKindNames).known(waits.object);
    row.numberOr(waits.target, kNoCoroutine).word(mode, kWaitModes).number(position);
    waits.part = mode == 0 ? 0 : 2 * position + mode;
    to.batch.notes.waits.push_back(waits);
}

void putWake(RowReader &row, StreamParts &to)
{
    Wake wake;
    row.number(wake.coroutine).number(wake.n).number(wake.ts).numberOr(wake.by, kNoCoroutine);
    row.known(wake.pid).known(wake.tid);
    to.batch.notes.wakes.push_back(wake);
}

void putUse(RowReader &row, StreamParts &to)
{
    Use use;
    row.word(use.kind, kUseKindNames).number(use.object).number(use.ts).numberOr(use.by, kNoCoroutine);
    row.number(use.n).known(use.site).known(use.pid).known(use.tid);
    to.batch.notes.uses.push_back(use);
}

void putWakersLeft(RowReader &row, StreamParts &to)
{
    WakersLeft left;
    row.number(left.coroutine).number(left.n).number(left.ts).number(left.count);
    to.batch.notes.wakersLeft.push_back(left);
}

void putDrop(RowReader &row, StreamParts &to)
{
    Drop drop;
    row.number(drop.pid).number(drop.tid).number(drop.records).number(drop.firstTs).number(drop.lastTs);
    to.batch.notes.drops.push_back(drop);
}

void putSwitch(RowReader &row, StreamParts &to)
{
    Switch change;
    row.number(change.pid).number(change.ts).flag(change.on);
    to.batch.notes.switches.push_back(change);
}

void putThreadSample(RowReader &row, StreamParts &to)
{
    ThreadSample sample;
    row.number(sample.pid).number(sample.tid).number(sample.ts).word(sample.state, kThreadStateNames);
    row.word(sample.call, kThreadCallNames).flag(sample.isTimed).known(sample.object).number(sample.cpuNs);
    row.known(sample.runDelayNs);
    to.batch.notes.threadSamples.push_back(sample);
}

void putDescriptorSample(RowReader &row, StreamParts &to)
{
    DescriptorSample sample;
    row.number(sample.pid).number(sample.descriptor).number(sample.epoll).number(sample.ts);
    row.word(sample.kind, kDescriptorKindNames).number(sample.events);
    row.numberOr(sample.pending, DescriptorSample::kUnknown).known(sample.deadline).known(sample.tcpState);
    row.flag(sample.readEnds).flag(sample.canWrite);
    to.batch.notes.descriptorSamples.push_back(sample);
}

void putProcessSample(RowReader &row, StreamParts &to)
{
    ProcessSample sample;
    row.number(sample.pid).number(sample.ts).known(sample.descriptorsTs).number(sample.threads);
    row.known(sample.stoppedSince).flag(sample.areThreadsKnown).flag(sample.areCallsKnown);
    row.flag(sample.areDescriptorsKnown).number(sample.machineSuspendedNs);
    to.batch.notes.processSamples.push_back(sample);
}

constexpr StreamTable kStreamTables[] = {
    {Table::Processes, "after_event", "after_event", putProcess},
    {Table::Coroutines, "coroutine", "born_after_event", putBirth},
    {Table::Gaps, "after_event", "after_event", putGap},
    {Table::Flags, "after_event", "after_event", putFlag},
    {Table::Waits, "after_event", "after_event", putWait},
    {Table::Wakes, "after_event", "after_event", putWake},
    {Table::Uses, "after_event", "after_event", putUse},
    {Table::WakersLeft, "after_event", "after_event", putWakersLeft},
    {Table::Drops, "after_event", "after_event", putDrop},
    {Table::Switches, "after_event", "after_event", putSwitch},
    {Table::ThreadSamples, "after_event", "after_event", putThreadSample},
    {Table::DescriptorSamples, "after_event", "after_event", putDescriptorSample},
    {Table::ProcessSamples, "after_event", "after_event", putProcessSample},
    {Table::Coroutines, "finished_after_event", "finished_after_event", putFinish},
    {Table::Coroutines, "died_after_event", "died_after_event", putDeath},
    {Table::Processes, "ended_after_event", "ended_after_event", putProcessEnd},
};

static_assert(kStreamTables[kFirstCauses].put == putWait &&
              kStreamTables[kFirstCauses + kCauses - 1].put == putWakersLeft);

}  // namespace

std::span<const StreamTable> streamTables()
{
    return kStreamTables;
}

void readEvent(RowReader &row, Transition &event)
{
    row.skip().number(event.tid).number(event.addr).number(event.seq).flag(event.active).number(event.ts);
    row.number(event.n).number(event.coroutine).skip().known(event.site).word(event.kind, kPointKindNames);
}

PositionedRows::PositionedRows(RowSource &source, const StreamTable &table, std::unique_ptr<RowCursor> cursor)
    : m_source(&source), m_table(&table), m_cursor(std::move(cursor))
{
    const std::span<const Column> columns = schemaOf(table.table).columns;
    while (columns[m_positionColumn].name != table.position)
        ++m_positionColumn;
    for (std::size_t i = 0; i < columns.size() && table.put != putBirth; ++i) {
        if (std::find(kCoroutineColumns.begin(), kCoroutineColumns.end(), columns[i].name) != kCoroutineColumns.end())
            m_coroutineColumns.push_back(i);
    }
}

Result<PositionedRows> PositionedRows::open(RowSource &source, const StreamTable &table)
{
    Result<std::unique_ptr<RowCursor>> cursor = source.read(table.table, table.order);
    if (!cursor)
        return cursor.error();
    PositionedRows rows(source, table, std::move(*cursor));
    if (Result<void> first = rows.advance(); !first)
        return first.error();
    return rows;
}

Result<void> PositionedRows::advance()
{
    const Result<bool> more = m_cursor->next(m_cells);
    if (!more)
        return more.error();
    m_position = kEnd;
    if (!*more)
        return {};
    RowReader row(schemaOf(m_table->table), m_cells);
    row.skip(m_positionColumn).number(m_position);
    if (!row.wrongColumn().empty())
        return wrongRow(*m_source, m_table->table, row.wrongColumn());
    // SQLite's integers are signed: such a position is a negative one, which another program has stored.
    constexpr std::uint64_t kNegative = std::uint64_t{1} << 63;
    return m_position < kNegative ? Result<void>() : wrongRow(*m_source, m_table->table, m_table->position);
}

Result<void> PositionedRows::checkCoroutines(const StreamParts &to) const
{
    for (const std::size_t column : m_coroutineColumns) {
        CoroutineId coroutine = 0;
        RowReader row(schemaOf(m_table->table), m_cells);
        if (!row.skip(column).isNull() && row.number(coroutine).wrongColumn().empty() && coroutine >= to.born)
            return unknownCoroutine(*m_source, m_table->table, m_table->position, m_position, coroutine);
    }
    return {};
}

Result<void> PositionedRows::take(StreamParts &to)
{
    if (Result<void> checked = checkCoroutines(to); !checked)
        return checked;
    RowReader row(schemaOf(m_table->table), m_cells);
    m_table->put(row, to);
    if (!row.wrongColumn().empty())
        return wrongRow(*m_source, m_table->table, row.wrongColumn());
    return advance();
}

}  // namespace ct
