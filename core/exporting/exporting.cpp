// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exporting/exporting.h"

#include "core/exporting/csvwriter.h"
#include "core/exporting/replacefile.h"
#include "core/exporting/sqlitewriter.h"
#include "core/recording/jsonlwriter.h"

#include <algorithm>
#include <array>
#include <vector>

namespace ct {

namespace {

/// It goes on as it is, for those who read it.
Result<std::shared_ptr<Sink>> makeJsonl(const std::string &path, std::shared_ptr<AddressLookup>)
{
    return makeJsonlWriter(path);
}

constexpr std::array<ExportFormat, 3> kFormats = {{
    {"JSONL", "jsonl", &makeJsonl},
    {"CSV", "csv", &makeCsvWriter},
    {"SQLite", "sqlite", &makeSqliteWriter},
}};

constexpr std::size_t kTransitionsPerBatch = 8192;
/// Coroutines without events count for the progress as well.
constexpr std::uint32_t kCoroutinesPerBatch = 8192;

char lower(char character)
{
    return character >= 'A' && character <= 'Z' ? static_cast<char>(character - 'A' + 'a') : character;
}

bool hasEnding(std::string_view path, std::string_view extension)
{
    if (path.size() <= extension.size() || path[path.size() - extension.size() - 1] != '.')
        return false;
    return std::equal(extension.begin(), extension.end(), path.end() - static_cast<std::ptrdiff_t>(extension.size()),
                      [](char a, char b) { return a == lower(b); });
}

/// Turns the present content of a trace back into a stream, coroutine by coroutine.
class TraceReplay {
public:
    TraceReplay(const Population &population, const History &history, Sink &sink, const ExportProgress &progress,
                const Accounting &sums)
        : m_population(population),
          m_history(history),
          m_sink(sink),
          m_progress(progress),
          m_coroutines(population.size()),
          m_eventsExpected(std::max<std::uint64_t>(history.eventCount(), 1))
    {
        m_sums.untraced = sums.untraced;
        m_sums.bornWhileOff = sums.bornWhileOff;
        m_sums.recordsDropped = sums.recordsDropped;
        m_sums.coroutinesMissed = sums.coroutinesMissed;
        m_sums.notesLost = sums.notesLost;
        population.notKept().addTo(m_sums);
    }

    Result<ExportReport> run()
    {
        addProcesses();
        for (CoroutineId id = 0; id < m_coroutines; ++id) {
            if (Result<void> done = replay(id); !done)
                return done.error();
        }
        if (Result<void> done = replayWakesAndWaits(); !done)
            return done.error();
        for (CoroutineId id = 0; id < m_coroutines; ++id) {
            if (Result<void> done = replayNotes(id); !done)
                return done.error();
        }
        addProcessEnds();
        if (Result<void> done = flush(); !done)
            return done.error();
        if (Result<void> done = m_sink.finish(m_sums); !done)
            return done.error();
        const bool dropped = m_history.droppedEvents() != 0 || m_history.notKept().events != 0;
        return ExportReport{m_sums.captured,     m_coroutines,
                            m_sums.lost,         dropped ? m_droppedEvents : 0,
                            m_sums.notesDropped, m_sums.coroutinesNotKept,
                            m_sums.eventsNotKept};
    }

private:
    Result<void> replay(CoroutineId id);
    Result<void> replayWakesAndWaits();
    Result<void> replayNotes(CoroutineId id);
    bool isExported(CoroutineId other) const { return other == kNoCoroutine || other < m_coroutines; }
    void addProcesses();
    void addProcessEnds();
    void addBirth(const CoroutineSnapshot &snapshot);
    void addLoss(const CoroutineSnapshot &snapshot, std::uint64_t firstN, std::uint64_t count);
    void addEndOfLosses(const CoroutineSnapshot &snapshot, std::uint64_t nextN);
    void addTransition(const CoroutineSnapshot &snapshot, const HistoryEvent &event);
    Result<void> flush();

    const Population &m_population;
    const History &m_history;
    Sink &m_sink;
    const ExportProgress &m_progress;
    const std::uint32_t m_coroutines;
    const std::uint64_t m_eventsExpected;
    Batch m_batch;
    Accounting m_sums;
    std::uint64_t m_droppedEvents = 0;
    std::uint64_t m_lostHere = 0;                                    ///< of the present coroutine
    std::vector<bool> m_waitTold = std::vector<bool>(m_coroutines);  ///< by coroutine
    std::vector<bool> m_wakeTold = std::vector<bool>(m_coroutines);
    SiteId m_sitesSent = 0;
    std::uint32_t m_coroutinesDone = 0;
};

Result<void> TraceReplay::replay(CoroutineId id)
{
    const CoroutineSnapshot snapshot = m_population.at(id);
    addBirth(snapshot);
    std::array<HistoryEvent, 256> events;
    History::Position position;
    std::uint64_t rows = 0;
    // The target may go on: what it does from now on is not part of the export.
    while (rows < snapshot.events) {
        const std::size_t count = m_history.read(id, position, events);
        if (count == 0)
            break;
        for (std::size_t i = 0; i < count && rows < snapshot.events; ++i) {
            if (events[i].type == HistoryEvent::Type::Gap) {
                addLoss(snapshot, events[i].n, events[i].count);
            } else if (events[i].type != HistoryEvent::Type::Absent) {
                addTransition(snapshot, events[i]);
                ++rows;
            }
        }
        if (m_batch.transitions.size() >= kTransitionsPerBatch) {
            if (Result<void> done = flush(); !done)
                return done;
        }
    }
    m_droppedEvents += snapshot.events - rows;
    addEndOfLosses(snapshot, position.nextN);
    if (snapshot.flagged)
        m_batch.flags.push_back({id, Flag::Reason::TwoWriters});
    if (snapshot.deathTs != 0)
        m_batch.deaths.push_back({id, snapshot.deathTs});
    ++m_coroutinesDone;
    return m_batch.births.size() < kCoroutinesPerBatch ? Result<void>() : flush();
}

/// What concerns no coroutine. Processes that only their coroutines tell of are told by these again.
void TraceReplay::addProcesses()
{
    for (ProcessSnapshot &process : m_population.processes()) {
        if (process.firstTs != 0 || process.endTs != 0 || !process.name.empty())
            m_batch.notes.processes.push_back({process.pid, process.firstTs, std::move(process.name)});
    }
    m_batch.notes.threadNames = m_population.threadNames();
    m_batch.notes.drops = m_population.drops();
    std::uint64_t dropped = 0;
    for (const Drop &drop : m_batch.notes.drops)
        dropped += drop.records;
    m_sums.recordsDropped = std::max(m_sums.recordsDropped, dropped);
    m_batch.notes.switches = m_population.switches();
}

void TraceReplay::addProcessEnds()
{
    for (const ProcessSnapshot &process : m_population.processes()) {
        if (process.endTs != 0)
            m_batch.notes.processEnds.push_back({process.pid, process.endTs});
    }
}

/// All that the history keeps.
Result<void> TraceReplay::replayWakesAndWaits()
{
    // The target may go on: what it does from now on is not part of the export.
    const std::uint64_t end = m_history.noteCount();
    std::uint64_t kept = 0;
    Notes notes;
    for (std::uint64_t position = 0; position < end; notes.clear()) {
        const std::uint64_t most = std::min<std::uint64_t>(kTransitionsPerBatch, end - position);
        if (!m_history.readNotes(position, most, notes))
            break;
        const std::uint64_t behind = position - std::min(position, end);  // so much was dropped meanwhile
        const std::uint64_t count = notes.waits.size() + notes.wakes.size();
        kept += count - std::min(count, behind);
        std::erase_if(notes.waits, [this](const WaitsOn &waits) {
            return waits.coroutine >= m_coroutines || !isExported(waits.target);
        });
        std::erase_if(notes.wakes,
                      [this](const Wake &wake) { return wake.coroutine >= m_coroutines || !isExported(wake.by); });
        for (const WaitsOn &waits : notes.waits)
            m_waitTold[waits.coroutine] = true;
        for (const Wake &wake : notes.wakes)
            m_wakeTold[wake.coroutine] = true;
        std::swap(m_batch.notes.waits, notes.waits);
        std::swap(m_batch.notes.wakes, notes.wakes);
        if (Result<void> done = flush(); !done)
            return done;
    }
    m_sums.notesDropped = end - std::min(end, kept);
    return {};
}

/// What names other coroutines, which may be younger: after all of them. The latest wake and wait of each coroutine are
/// known even if the history has dropped them.
Result<void> TraceReplay::replayNotes(CoroutineId id)
{
    CoroutineNotes notes = m_population.notes(id);
    if (notes.parent != kNoCoroutine && notes.parent > id && isExported(notes.parent))
        m_batch.notes.parents.push_back({id, notes.parent});
    if (m_sums.notesDropped != 0 && notes.waitsOn && !m_waitTold[id] && isExported(notes.waitsOn->target)) {
        m_batch.notes.waits.push_back(*notes.waitsOn);
        --m_sums.notesDropped;
    }
    if (m_sums.notesDropped != 0 && notes.lastWake && !m_wakeTold[id] && isExported(notes.lastWake->by)) {
        m_batch.notes.wakes.push_back(*notes.lastWake);
        --m_sums.notesDropped;
    }
    const bool isFull = m_batch.notes.wakes.size() + m_batch.notes.waits.size() >= kTransitionsPerBatch;
    return isFull ? flush() : Result<void>();
}

void TraceReplay::addBirth(const CoroutineSnapshot &snapshot)
{
    Birth birth;
    birth.coroutine = snapshot.id;
    birth.station = snapshot.station;
    birth.generation = snapshot.generation;
    birth.pid = snapshot.pid;
    birth.dialect = snapshot.dialect;
    birth.probeId = snapshot.probeId;
    birth.birthTs = snapshot.birthTs;
    m_batch.births.push_back(birth);
    ++m_sums.coroutines;
    // With the birth, so that the first row knows.
    if (m_population.hasName(birth.coroutine))
        m_batch.notes.names.push_back({birth.coroutine, m_population.notes(birth.coroutine).name});
    const CoroutineId parent = m_population.parentOf(birth.coroutine);
    if (parent < birth.coroutine)
        m_batch.notes.parents.push_back({birth.coroutine, parent});
}

void TraceReplay::addLoss(const CoroutineSnapshot &snapshot, std::uint64_t firstN, std::uint64_t count)
{
    const MissingEvents why = m_population.whyMissing(snapshot.id, firstN, count);
    if (why.missed != 0)
        m_batch.losses.push_back({snapshot.id, firstN, why.missed, true});
    // What was dropped before stays a jump that nothing explains.
    if (why.lost != 0)
        m_batch.losses.push_back({snapshot.id, firstN + count - why.lost, why.lost, false});
    m_sums.missedBeforeAttach += why.missed;
    m_sums.lost += why.lost;
    m_lostHere += why.missed + why.lost;
}

/// What is missing behind the last event shows nowhere in the history. (Once events were dropped, nobody can tell
/// these losses from the ones that were dropped with them.)
void TraceReplay::addEndOfLosses(const CoroutineSnapshot &snapshot, std::uint64_t nextN)
{
    const std::uint64_t missing = snapshot.lost + snapshot.missed;
    if (missing > m_lostHere && m_history.droppedEvents() == 0)
        addLoss(snapshot, nextN, missing - m_lostHere);
    m_lostHere = 0;
}

void TraceReplay::addTransition(const CoroutineSnapshot &snapshot, const HistoryEvent &event)
{
    Transition transition;
    transition.ts = event.ts;
    transition.addr = event.addr;
    transition.n = event.n;
    transition.seq = slotSeq(snapshot.dialect, event.n);
    transition.coroutine = snapshot.id;
    transition.tid = event.tid;
    transition.site = event.site;
    transition.kind = event.kind;
    transition.active = event.type == HistoryEvent::Type::Resume;
    m_batch.transitions.push_back(transition);
    m_batch.now = std::max(m_batch.now, event.ts);
    ++m_sums.captured;
}

Result<void> TraceReplay::flush()
{
    // Sites last: whatever the events of this batch name is known by now.
    for (const SiteId count = m_population.siteCount(); m_sitesSent < count;) {
        if (const Site *site = m_population.site(++m_sitesSent))
            m_batch.sites.push_back(*site);
    }
    Result<void> consumed = m_sink.consume(m_batch);
    m_batch.clear();
    if (!consumed)
        return consumed;
    const double events = static_cast<double>(m_sums.captured) / static_cast<double>(m_eventsExpected);
    const double coroutines = static_cast<double>(m_coroutinesDone) / std::max(1.0, static_cast<double>(m_coroutines));
    // The rest belongs to finish(), which may have to build indexes.
    if (m_progress && !m_progress(std::min(0.95, std::max(events, coroutines) * 0.95)))
        return Error{ErrorCode::Cancelled, "the export was cancelled, nothing was changed"};
    return {};
}

}  // namespace

std::span<const ExportFormat> exportFormats()
{
    return kFormats;
}

const ExportFormat *exportFormatFor(std::string_view path)
{
    for (const ExportFormat &format : kFormats) {
        if (hasEnding(path, format.extension))
            return &format;
    }
    return nullptr;
}

Result<ExportReport> exportTrace(const Population &population, const History &history, const ExportFormat &format,
                                 const std::string &path, const ExportProgress &progress, const Accounting &sums,
                                 std::shared_ptr<AddressLookup> lookup)
{
    if (progress && !progress(0))
        return Error{ErrorCode::Cancelled, "the export was cancelled, nothing was changed"};
    Result<ReplaceFile> file = ReplaceFile::prepare(path);
    if (!file)
        return file.error();
    Result<std::shared_ptr<Sink>> sink = format.makeSink(file->temporaryPath(), std::move(lookup));
    if (!sink)
        return ofNothingWritten(sink.error(), file->temporaryPath(), path);
    Result<ExportReport> report = TraceReplay(population, history, **sink, progress, sums).run();
    // Closed before the file is renamed or removed.
    sink->reset();
    if (!report && report.error().code == ErrorCode::Cancelled)
        return report;
    if (!report)
        return ofNothingWritten(report.error(), file->temporaryPath(), path);
    if (progress && !progress(0.99))
        return Error{ErrorCode::Cancelled, "the export was cancelled, nothing was changed"};
    if (Result<void> replaced = file->commit(); !replaced)
        return replaced.error();
    if (progress)
        (void)progress(1);
    return report;
}

}  // namespace ct
