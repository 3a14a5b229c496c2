// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The list of tables, and the columns of those that are lists of notes.
#include "core/databases/storedsums.h"
#include "core/query/causecursor.h"
#include "core/query/coroutinecursors.h"
#include "core/query/eventcursor.h"
#include "core/query/findingcursors.h"
#include "core/query/gapcursor.h"
#include "core/query/listcursor.h"
#include "core/reporting/report.h"
#include "core/stream/causenames.h"
#include "core/stream/samplenames.h"

namespace ct::query {

namespace {

void putId(CoroutineId id, SqlValue &value)
{
    value.integerOrNull(id, id != kNoCoroutine);
}

/// Numbers stay numbers. Addresses have the form of those of events.
void putObject(const WaitsOn &waits, SqlValue &value)
{
    if (isNumberOfObject(waits.kind))
        value.integer(waits.object);
    else if (waits.object == 0)
        value.null();
    else
        value.hexText(waits.object);
}

void putWait(const WaitsOn &waits, int column, SqlValue &value)
{
    switch (column) {
    case 0: return value.integer(waits.coroutine);
    case 1: return value.integer(waits.n);
    case 2: return value.word(waitKindName(waits.kind));
    case 3: return putObject(waits, value);
    case 4: return putId(waits.kind == WaitKind::Coroutine ? waits.target : kNoCoroutine, value);
    case 5: return value.word(waitModeName(waits));
    default: return value.integer(waits.indexOfPart());
    }
}

void putWake(const Wake &wake, int column, SqlValue &value)
{
    switch (column) {
    case 0: return value.integer(wake.coroutine);
    case 1: return value.integer(wake.n);
    case 2: return value.integer(wake.ts);
    case 3: return putId(wake.by, value);
    case 4: return value.known(wake.pid);
    default: return value.known(wake.tid);
    }
}

void putUse(const Use &use, int column, SqlValue &value)
{
    switch (column) {
    case 0: return value.word(useKindName(use.kind));
    case 1: return value.hexText(use.object);
    case 2: return value.integer(use.ts);
    case 3: return putId(use.by, value);
    case 4: return value.integer(use.n);
    case 5: return value.known(use.site);
    case 6: return value.known(use.pid);
    default: return value.known(use.tid);
    }
}

void putWakersLeft(const WakersLeft &left, int column, SqlValue &value)
{
    switch (column) {
    case 0: return value.integer(left.coroutine);
    case 1: return value.integer(left.n);
    case 2: return value.integer(left.ts);
    default: return value.integer(left.count);
    }
}

struct NumberedProcess {
    std::uint64_t number = 0;
    ProcessSnapshot process;
};

std::vector<NumberedProcess> numbered(std::vector<ProcessSnapshot> processes)
{
    std::vector<NumberedProcess> rows;
    for (ProcessSnapshot &process : processes)
        rows.push_back({rows.size() + 1, std::move(process)});
    return rows;
}

void putProcess(const NumberedProcess &row, int column, SqlValue &value)
{
    const ProcessSnapshot &process = row.process;
    switch (column) {
    case 0: return value.integer(row.number);
    case 1: return value.integer(process.pid);
    case 2: return value.textOrNull(process.name);
    case 3: return value.known(process.firstTs);
    default: return value.known(process.endTs);
    }
}

void putThread(const ThreadName &thread, int column, SqlValue &value)
{
    switch (column) {
    case 0: return value.integer(thread.pid);
    case 1: return value.integer(thread.tid);
    default: return value.text(thread.name);
    }
}

void putDrop(const Drop &drop, int column, SqlValue &value)
{
    const std::uint64_t values[] = {drop.pid, drop.tid, drop.records, drop.firstTs, drop.lastTs};
    value.integer(values[column]);
}

void putSwitch(const Switch &change, int column, SqlValue &value)
{
    const std::uint64_t values[] = {change.pid, change.ts, change.on ? 1U : 0U};
    value.integer(values[column]);
}

void putThreadSample(const ThreadSample &sample, int column, SqlValue &value)
{
    // Descriptor 0 is valid. A futex object of 0 means several futexes.
    const bool hasDescriptor =
        sample.call == ThreadCall::Epoll || sample.call == ThreadCall::Descriptor || sample.call == ThreadCall::Ring;
    switch (column) {
    case 0: return value.integer(sample.pid);
    case 1: return value.integer(sample.tid);
    case 2: return value.integer(sample.ts);
    case 3: return value.word(threadStateName(sample.state));
    case 4: return value.word(threadCallName(sample.call));
    case 5: return value.integer(sample.isTimed ? 1 : 0);
    case 6: return value.integerOrNull(sample.object, sample.object != 0 || hasDescriptor);
    case 7: return value.integer(sample.cpuNs);
    default: return value.known(sample.runDelayNs);
    }
}

void putDescriptorSample(const DescriptorSample &sample, int column, SqlValue &value)
{
    switch (column) {
    case 0: return value.integer(sample.pid);
    case 1: return value.integer(static_cast<std::uint64_t>(sample.descriptor));
    case 2: return value.integer(static_cast<std::uint64_t>(sample.epoll));
    case 3: return value.integer(sample.ts);
    case 4: return value.word(descriptorKindName(sample.kind));
    case 5: return value.integer(sample.events);
    case 6: return value.integerOrNull(sample.pending, sample.pending != DescriptorSample::kUnknown);
    case 7: return value.known(sample.deadline);
    case 8: return value.known(sample.tcpState);
    case 9: return value.integer(sample.readEnds ? 1 : 0);
    default: return value.integer(sample.canWrite ? 1 : 0);
    }
}

void putProcessSample(const ProcessSample &sample, int column, SqlValue &value)
{
    switch (column) {
    case 0: return value.integer(sample.pid);
    case 1: return value.integer(sample.ts);
    case 2: return value.known(sample.descriptorsTs);
    case 3: return value.integer(sample.threads);
    case 4: return value.known(sample.stoppedSince);
    case 5: return value.integer(sample.areThreadsKnown ? 1 : 0);
    case 6: return value.integer(sample.areCallsKnown ? 1 : 0);
    case 7: return value.integer(sample.areDescriptorsKnown ? 1 : 0);
    default: return value.integer(sample.machineSuspendedNs);
    }
}

class InfoCursor final : public Cursor {
public:
    explicit InfoCursor(Snapshot &snapshot) : m_snapshot(snapshot), m_names(Snapshot::infoNames()) {}
    void start(const Filter &) override { m_at = 0; }
    bool next() override { return m_at++ < m_names.size(); }
    void put(int column, SqlValue &value) override
    {
        const std::string_view name = m_names[m_at - 1];
        if (column == 0)
            value.word(name);
        else
            value.integer(number(name));
    }

private:
    /// Judges the run, and counts what it lacks, only if a statement reads these values.
    std::uint64_t number(std::string_view name)
    {
        if (name == kJudgedName) {
            const Report *const report = m_snapshot.report();
            return report ? report->judgedAt : 0;
        }
        if (name == kObservedName)
            return m_snapshot.observedUntil();
        if (m_values.empty())
            m_values = m_snapshot.infoValues();
        return m_values[m_at - 1];
    }

    Snapshot &m_snapshot;
    const std::vector<std::string_view> m_names;
    std::vector<std::uint64_t> m_values;  ///< in the order of m_names; empty: not needed so far
    std::size_t m_at = 0;                 ///< one past the present row
};

struct Session {
    std::uint64_t firstTs = 0;
    std::uint64_t lastTs = 0;
};

void putSession(const Session &session, int column, SqlValue &value)
{
    switch (column) {
    case 5: return value.known(session.firstTs);
    case 6: return value.known(session.lastTs);
    default: return value.null();
    }
}

template <class CursorType>
std::unique_ptr<Cursor> openCursor(Snapshot &snapshot)
{
    return std::make_unique<CursorType>(snapshot);
}

template <auto kRows, auto kPut>
std::unique_ptr<Cursor> openCauses(Snapshot &snapshot)
{
    using Row = typename std::remove_cvref_t<decltype(std::declval<Notes>().*kRows)>::value_type;
    return std::make_unique<CauseCursor<Row>>(snapshot, kRows, kPut);
}

template <auto kRows, auto kPut>
std::unique_ptr<Cursor> openNotes(Snapshot &snapshot)
{
    using Row = typename std::remove_cvref_t<decltype(std::declval<Notes>().*kRows)>::value_type;
    return std::make_unique<ListCursor<Row>>(snapshot.fewNotes().*kRows, kPut);
}

std::unique_ptr<Cursor> openProcesses(Snapshot &snapshot)
{
    return std::make_unique<ListCursor<NumberedProcess>>(numbered(snapshot.processes()), putProcess);
}

std::unique_ptr<Cursor> openSessions(Snapshot &snapshot)
{
    const History &history = snapshot.history();
    return std::make_unique<ListCursor<Session>>(std::vector<Session>{{history.firstTs(), history.lastTs()}},
                                                 putSession);
}

std::uint64_t eventRows(const Snapshot &snapshot)
{
    return snapshot.events();
}
std::uint64_t coroutineRows(const Snapshot &snapshot)
{
    return snapshot.coroutineCount();
}
std::uint64_t siteRows(const Snapshot &snapshot)
{
    return snapshot.siteCount();
}
std::uint64_t causeRows(const Snapshot &snapshot)
{
    return snapshot.causes();
}
std::uint64_t fewRows(const Snapshot &)
{
    return 100;
}

constexpr VirtualTable kVirtualTables[] = {
    {Table::Events, openCursor<EventCursor>, eventRows, EventCursor::Coroutine, false, EventCursor::Ts,
     EventCursor::Tid, EventCursor::N, EventCursor::Id},
    {Table::Coroutines, openCursor<CoroutineCursor>, coroutineRows, 0, true},
    {Table::Sites, openCursor<SiteCursor>, siteRows, 0, true},
    {Table::Addresses, openCursor<AddressCursor>, coroutineRows, 0},
    {Table::Processes, openProcesses, fewRows},
    {Table::Threads, openNotes<&Notes::threadNames, putThread>, fewRows},
    {Table::Waits, openCauses<&Notes::waits, putWait>, causeRows, 0},
    {Table::Wakes, openCauses<&Notes::wakes, putWake>, causeRows, 0},
    {Table::Uses, openCauses<&Notes::uses, putUse>, causeRows, 3},
    {Table::WakersLeft, openCauses<&Notes::wakersLeft, putWakersLeft>, causeRows, 0},
    {Table::Gaps, openCursor<GapCursor>, coroutineRows, 0},
    {Table::Drops, openNotes<&Notes::drops, putDrop>, fewRows},
    {Table::Flags, openCursor<FlagCursor>, fewRows, 0, true},
    {Table::Switches, openNotes<&Notes::switches, putSwitch>, fewRows},
    {Table::ThreadSamples, openNotes<&Notes::threadSamples, putThreadSample>, fewRows},
    {Table::DescriptorSamples, openNotes<&Notes::descriptorSamples, putDescriptorSample>, fewRows},
    {Table::ProcessSamples, openNotes<&Notes::processSamples, putProcessSample>, fewRows},
    {Table::Findings, openCursor<FindingCursor>, fewRows, 0, true},
    {Table::FindingCoroutines, openCursor<FindingCoroutineCursor>, fewRows, 0},
    {Table::Sessions, openSessions, fewRows},
    {Table::TraceInfo, openCursor<InfoCursor>, fewRows},
};

}  // namespace

std::span<const VirtualTable> tables()
{
    return kVirtualTables;
}

}  // namespace ct::query
