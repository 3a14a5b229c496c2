// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exporting/tracestream.h"

#include "core/exporting/awaitrecording.h"

#include <algorithm>
#include <array>
#include <utility>

namespace ct {

namespace {

constexpr std::size_t kTransitionsPerBatch = 8192;
/// Coroutines per batch. Coroutines without events count for the progress as well.
constexpr std::uint32_t kCoroutinesPerBatch = 8192;

Error cancelled()
{
    return {ErrorCode::Cancelled, "the export was cancelled; nothing was changed"};
}

}  // namespace

TraceStream::TraceStream(const Population &population, const History &history, Sink &sink,
                         const ExportProgress &progress, const Accounting &sums,
                         std::shared_ptr<const StreamIndex> streamIndex)
    : m_population(population),
      m_history(history),
      m_sink(sink),
      m_progress(progress),
      m_streamIndex(std::move(streamIndex)),
      m_notes(population, history, m_coroutinesAtStart),
      m_capture(sums)
{
    m_sums.untraced = sums.untraced;
    m_sums.bornWhileOff = sums.bornWhileOff;
    m_sums.recordsDropped = sums.recordsDropped;
    m_sums.coroutinesMissed = sums.coroutinesMissed;
    m_sums.notesLost = sums.notesLost;
}

/// Fixes the extent of the export: later events are not part of it.
Result<void> TraceStream::fillCoroutines()
{
    const auto goOn = [this] { return !m_progress || m_progress(0); };
    if (!m_coroutinesAtStart.fill(m_population, goOn))
        return cancelled();
    awaitHistory(m_population, m_history, goOn);
    const ExportedCoroutines::Sums &kept = m_coroutinesAtStart.sums();
    const Overflow &overflow = m_coroutinesAtStart.overflow();
    overflow.addTo(m_sums);
    m_sums.lost += overflow.lost;
    m_sums.missedBeforeAttach += overflow.missed;
    addEventsOutsideTheTrace(overflow.lost + kept.lost, overflow.missed + kept.missed);
    m_notes.begin();
    m_samples.emplace(m_population);
    m_now = m_population.now();
    m_streamed = std::max(m_history.streamed(), m_population.arrived());
    m_next.resize(m_coroutinesAtStart.size());
    m_unreported.resize(m_coroutinesAtStart.size());
    m_isBorn.resize(m_coroutinesAtStart.size());
    m_isDead.resize(m_coroutinesAtStart.size());
    for (CoroutineId id = 0; id < m_coroutinesAtStart.size(); ++id) {
        if (!hasRecord(id))
            continue;
        m_next.make(id) = m_coroutinesAtStart[id].first;
        m_unreported.make(id) = m_coroutinesAtStart[id].lost + m_coroutinesAtStart[id].missed;
    }
    return {};
}

/// Adds events of generations that a flight recorder overwrote completely. The trace has no coroutine for them; only
/// the sums of the capture count them. `lost`, `missed`: of all coroutines, with or without a record.
void TraceStream::addEventsOutsideTheTrace(std::uint64_t lost, std::uint64_t missed)
{
    if (m_capture.captured != m_population.captured())
        return;  // the sums are of another moment
    m_sums.lostWithoutCoroutine = m_capture.lost - std::min(m_capture.lost, lost);
    m_sums.missedWithoutCoroutine = m_capture.missedBeforeAttach - std::min(m_capture.missedBeforeAttach, missed);
    m_sums.lost += m_sums.lostWithoutCoroutine;
    m_sums.missedBeforeAttach += m_sums.missedWithoutCoroutine;
}

void TraceStream::chooseSource()
{
    if (!m_streamIndex)
        return;
    m_isComplete = awaitRecording(m_streamIndex, m_streamed, [this] { return !m_progress || m_progress(0); });
    if (!m_isComplete && m_history.evictedEvents() == 0 && m_history.evictedNotes() == 0)
        return;
    m_reader.emplace(m_streamIndex);
    m_recorded = m_isComplete ? Recorded::All : Recorded::Part;
    m_isNextKnown.assign(m_coroutinesAtStart.size(), m_isComplete);
}

Result<ExportReport> TraceStream::run()
{
    if (Result<void> done = fillCoroutines(); !done)
        return done.error();
    chooseSource();
    m_notes.addProcesses(m_batch.notes);
    countDrops();
    if (m_recorded == Recorded::All)
        m_batch.notes.switches.clear();
    if (m_recorded == Recorded::Part) {
        if (Result<void> done = exportBirths(); !done)
            return done.error();
    }
    if (m_recorded != Recorded::Nothing) {
        if (Result<void> done = exportRecorded(); !done)
            return done.error();
    }
    for (CoroutineId id = 0; id < m_coroutinesAtStart.size(); ++id) {
        if (Result<void> done = exportCoroutine(id); !done)
            return done.error();
    }
    if (Result<void> done = exportCauses(); !done)
        return done.error();
    for (CoroutineId id = 0; id < m_coroutinesAtStart.size(); ++id) {
        if (Result<void> done = exportEnd(id); !done)
            return done.error();
    }
    if (Result<void> done = exportSamples(); !done)
        return done.error();
    m_notes.addProcessEnds(m_batch.notes);
    if (m_recorded == Recorded::All)
        m_notes.addSwitches(m_latestSwitch, m_batch.notes);
    // The run was observed after its last event, too.
    m_batch.now = std::max(m_batch.now, m_now);
    if (Result<void> done = flush(); !done)
        return done.error();
    m_sums.notesEvicted = m_notes.evicted();
    m_sums.overflowNames = m_population.overflowNames();
    if (Result<void> done = m_sink.finish(m_sums); !done)
        return done.error();
    return ExportReport{m_sums.captured,
                        m_sums.coroutines,
                        m_sums.lost,
                        missingEvents(),
                        m_sums.notesEvicted,
                        m_samples->missing(),
                        m_sums.overflowCoroutines,
                        m_sums.overflowEvents,
                        m_causes,
                        0,
                        {},
                        {},
                        m_isComplete || m_sums.coroutines < 2};
}

/// Events of the exported coroutines, without those whose records were evicted.
std::uint64_t TraceStream::expectedEvents() const
{
    return m_coroutinesAtStart.sums().captured - m_eventsOfEvictedRecords;
}

/// Events that were captured when the export began, but are not exported.
std::uint64_t TraceStream::missingEvents() const
{
    const bool evicted = m_history.evictedEvents() != 0 || m_history.overflow().events != 0;
    // At the beginning, the population may have had events of an unfinished batch. They can be behind the end of the
    // export and are not missing.
    return evicted && !m_isComplete ? expectedEvents() - std::min(expectedEvents(), m_sums.captured) : 0;
}

/// Emits all births that were not emitted, before a stream in which coroutines alternate.
Result<void> TraceStream::exportBirths()
{
    for (CoroutineId id = 0; id < m_coroutinesAtStart.size(); ++id) {
        if (hasRecord(id))
            (void)addBirthOnce(m_population.at(id));
        if (m_batch.births.size() < kCoroutinesPerBatch)
            continue;
        if (Result<void> done = flush(); !done)
            return done;
    }
    return flush();
}

/// Exports the recording in the order of the stream.
Result<void> TraceStream::exportRecorded()
{
    for (std::size_t i = 0, count = m_streamIndex->blocks(); i < count; ++i) {
        const StreamIndex::Block block = m_streamIndex->block(i);
        if (block.first >= m_streamed && block.first != block.end)
            break;
        if (Result<void> done = exportBlock(block); !done)
            return done;
    }
    return {};
}

Result<void> TraceStream::exportBlock(const StreamIndex::Block &block)
{
    if (!m_reader->readBlock(block)) {
        // Losses in this block cannot be distinguished from older losses, and its births are unknown.
        m_isComplete = false;
        m_isNextKnown.assign(m_coroutinesAtStart.size(), false);
        return exportBirths();
    }
    for (const RangeReader::RecordedBatch &batch : m_reader->batches()) {
        if (batch.first >= m_streamed && (batch.first != batch.end || batch.others.now > m_now))
            break;
        if (Result<void> done = exportBatch(batch); !done)
            return done;
    }
    return {};
}

/// Keeps the boundaries of the batches: the run can be judged between two of them.
Result<void> TraceStream::exportBatch(const RangeReader::RecordedBatch &batch)
{
    if (m_recorded == Recorded::All) {
        for (const Birth &birth : batch.others.births) {
            if (hasRecord(birth.coroutine) && !m_isBorn[birth.coroutine])
                addBirth(birth);
        }
    }
    if (Result<void> done = exportEvents(m_reader->eventsOf(batch, m_streamed)); !done)
        return done;
    if (m_recorded == Recorded::All)
        addRecorded(batch.others);
    m_samples->addRecorded(batch.others.notes, m_batch.notes);
    m_batch.now = std::max(m_batch.now, std::min(batch.others.now, m_now));
    return flush();
}

/// Adds what has its place among the events. The rest comes from memory: it has everything.
void TraceStream::addRecorded(const Batch &recorded)
{
    m_notes.addRecorded(recorded.notes, m_batch.notes);
    for (const Switch &change : recorded.notes.switches) {
        m_batch.notes.switches.push_back(change);
        m_latestSwitch = std::max(m_latestSwitch, change.ts);
    }
    for (const Death &death : recorded.deaths) {
        if (!hasRecord(death.coroutine) || m_isDead[death.coroutine])
            continue;
        m_batch.deaths.push_back(death);
        m_isDead[death.coroutine] = true;
    }
}

/// Exports events of the recording. Where numbers are missing, the events that memory has come first.
Result<void> TraceStream::exportEvents(std::span<const Transition> events)
{
    for (const Transition &event : events) {
        const CoroutineId id = event.coroutine;
        if (!hasRecord(id) || event.n >= m_coroutinesAtStart[id].end)
            continue;
        if (event.n > m_next[id]) {
            if (m_isNextKnown[id])
                addLoss(id, m_next[id], event.n - m_next[id]);
            else if (Result<void> done = exportMemory(m_population.at(id), event.n); !done)
                return done;
        }
        m_next.make(id) = event.n + 1;
        m_isNextKnown[id] = true;
        addTransition(event);
    }
    return {};
}

/// Exports the events of a coroutine that memory has, from the next number up to `end`.
Result<void> TraceStream::exportMemory(const CoroutineSnapshot &snapshot, std::uint64_t end)
{
    std::array<HistoryEvent, 256> events;
    History::Position position;
    std::uint64_t &next = m_next.make(snapshot.id);
    const std::uint64_t first = next;
    std::uint64_t rows = 0;
    while (rows < snapshot.events) {
        const std::size_t count = m_history.read(snapshot.id, position, events);
        if (count == 0)
            break;
        for (const HistoryEvent &event : std::span(events).first(count)) {
            if (event.n >= end)
                return {};
            if (event.n < first || event.type == HistoryEvent::Type::Absent)
                continue;
            if (event.type == HistoryEvent::Type::Gap) {
                next = std::min(end, event.n + event.count);
                addLoss(snapshot.id, event.n, next - event.n);
                continue;
            }
            const bool active = event.type == HistoryEvent::Type::Resume;
            addTransition({event.ts, event.addr, event.n, slotSeq(snapshot.dialect, event.n), snapshot.id, event.tid,
                           event.site, event.kind, active});
            next = event.n + 1;
            ++rows;
        }
        if (m_batch.transitions.size() >= kTransitionsPerBatch) {
            if (Result<void> done = flush(); !done)
                return done;
        }
    }
    return {};
}

/// Adds the birth of a coroutine, unless that was done. Returns false if the record was evicted before: such a
/// coroutine is not exported, only counted.
bool TraceStream::addBirthOnce(const CoroutineSnapshot &snapshot)
{
    const CoroutineId id = snapshot.id;
    if (m_isBorn[id])
        return true;
    if (snapshot.kept) {
        addBirth({id, snapshot.station, snapshot.generation, snapshot.pid, snapshot.dialect, snapshot.probeId,
                  snapshot.birthTs});
        return true;
    }
    const ExportedCoroutine atStart = m_coroutinesAtStart[id];
    m_coroutinesAtStart.remove(id);
    ++m_sums.overflowCoroutines;
    m_sums.overflowEvents += atStart.captured;
    m_sums.missedBeforeAttach += atStart.missed;
    m_sums.lost += atStart.lost;
    return false;
}

/// Counts events whose record was evicted during the export of their coroutine.
void TraceStream::addOverflowEvents(std::uint64_t count)
{
    m_sums.overflowEvents += count;
    m_eventsOfEvictedRecords += count;
}

Result<void> TraceStream::exportCoroutine(CoroutineId id)
{
    // Evicted coroutines can be millions, and have nothing to flush.
    if (++m_coroutinesDone % kCoroutinesPerBatch == 0) {
        if (Result<void> done = report(); !done)
            return done;
    }
    if (!hasRecord(id))
        return {};
    // One copy decides whether it is exported or counted as evicted: a second one could differ, and count it twice.
    const CoroutineSnapshot snapshot = m_population.at(id);
    if (!addBirthOnce(snapshot))
        return {};
    const std::uint64_t before = m_sums.captured;
    if (m_next[id] < m_coroutinesAtStart[id].end) {
        if (Result<void> done = exportMemory(snapshot, m_coroutinesAtStart[id].end); !done)
            return done;
    }
    // The record may have been evicted while its events were read.
    if (m_recorded == Recorded::Nothing && !m_population.isKept(id))
        addOverflowEvents(m_coroutinesAtStart[id].captured -
                          std::min(m_coroutinesAtStart[id].captured, m_sums.captured - before));
    addEndOfLosses(id);
    return m_batch.births.size() >= kCoroutinesPerBatch ? flush() : Result<void>();
}

/// Exports everything that comes after the events and causes of a coroutine.
Result<void> TraceStream::exportEnd(CoroutineId id)
{
    if (!hasRecord(id))
        return {};
    m_notes.addLatest(id, m_batch.notes);
    // The state at the beginning of the export replaces a record that was evicted since.
    const CoroutineSnapshot snapshot = m_population.at(id);
    const ExportedCoroutine &atStart = m_coroutinesAtStart[id];
    if (snapshot.kept ? snapshot.flagged : atStart.isFlagged())
        m_batch.flags.push_back({id, snapshot.kept ? snapshot.flagReason : atStart.flagReason});
    if (const std::uint64_t ts = snapshot.kept ? snapshot.deathTs : atStart.deathTs; ts != 0 && !m_isDead[id])
        m_batch.deaths.push_back({id, ts});
    const bool isFull = m_batch.deaths.size() + m_batch.notes.causes() >= kCoroutinesPerBatch;
    return isFull ? flush() : Result<void>();
}

/// Counts the records in all drops, which the sums of the capture may lack.
void TraceStream::countDrops()
{
    std::uint64_t dropped = 0;
    for (const Drop &drop : m_batch.notes.drops)
        dropped += drop.records;
    m_sums.recordsDropped = std::max(m_sums.recordsDropped, dropped);
}

/// Exports all causes (Notes::causes()) that the history has, unless the recording was their source.
Result<void> TraceStream::exportCauses()
{
    if (m_recorded == Recorded::All) {
        if (!m_isComplete)
            m_notes.endRecorded();
        return {};
    }
    while (m_notes.addNext(m_batch.notes)) {
        if (Result<void> done = flush(); !done)
            return done;
    }
    return {};
}

/// Exports the samples of threads, descriptors and processes. Memory keeps only the latest ones. So the older ones are
/// read from the recording, even if memory has all events.
Result<void> TraceStream::exportSamples()
{
    if (m_recorded == Recorded::Nothing && m_streamIndex) {
        RangeReader reader(m_streamIndex);
        for (std::size_t i = 0, count = m_streamIndex->blocks(); i < count; ++i) {
            if (!reader.readBlock(m_streamIndex->block(i)))
                continue;
            m_samples->addRecorded(reader.notes(), m_batch.notes);
            if (Result<void> done = m_batch.notes.hasSamples() ? flush() : report(); !done)
                return done;
        }
    }
    m_samples->addRemembered(m_batch.notes);
    return {};
}

void TraceStream::addBirth(const Birth &birth)
{
    m_batch.births.push_back(birth);
    m_isBorn[birth.coroutine] = true;
    ++m_sums.coroutines;
    // With the birth, so the first row has the name.
    m_notes.addNameAndParent(birth.coroutine, m_batch.notes);
}

/// An evicted record explains nothing. Missed events have the lowest numbers, so they come first.
MissingEvents TraceStream::whyMissing(CoroutineId id, std::uint64_t firstN, std::uint64_t count) const
{
    MissingEvents why = m_population.whyMissing(id, firstN, count);
    // Asked afterwards: the record may be evicted at any time.
    if (m_population.isKept(id)) {
        // Only what the sums have is lost: the coroutine may have jumps without a loss, too.
        const std::uint64_t rest = m_unreported[id] - std::min(m_unreported[id], why.missed);
        why.unexplained += why.lost - std::min(why.lost, rest);
        why.lost = std::min(why.lost, rest);
        return why;
    }
    const std::uint64_t explained = std::min(count, m_unreported[id]);
    why.missed = std::min(explained, m_unreported[id] - std::min(m_unreported[id], m_coroutinesAtStart[id].lost));
    why.lost = explained - why.missed;
    why.unexplained = count - explained;
    return why;
}

void TraceStream::addLoss(CoroutineId id, std::uint64_t firstN, std::uint64_t count)
{
    const MissingEvents why = whyMissing(id, firstN, count);
    if (why.missed != 0)
        m_batch.losses.push_back({id, firstN, why.missed, true});
    // Unexplained numbers stay a jump.
    if (why.lost != 0)
        m_batch.losses.push_back({id, firstN + count - why.lost, why.lost, false});
    m_sums.missedBeforeAttach += why.missed;
    m_sums.lost += why.lost;
    m_unreported.make(id) -= std::min(m_unreported[id], why.missed + why.lost);
}

/// Adds losses after the last event, which the history does not show. Once events were evicted, these losses cannot be
/// distinguished from the evicted events.
void TraceStream::addEndOfLosses(CoroutineId id)
{
    const bool isKnown = m_recorded == Recorded::Nothing ? m_history.evictedEvents() == 0 : m_isComplete;
    if (m_unreported[id] != 0 && isKnown)
        addLoss(id, m_next[id], m_unreported[id]);
}

void TraceStream::addTransition(const Transition &transition)
{
    m_batch.now = std::max(m_batch.now, transition.ts);
    m_batch.transitions.push_back(transition);
    ++m_sums.captured;
}

Result<void> TraceStream::flush()
{
    // Sites last: all sites that the events of this batch refer to are known now.
    for (const SiteId count = m_population.siteCount(); m_sitesSent < count;) {
        if (const Site *site = m_population.site(++m_sitesSent))
            m_batch.sites.push_back(*site);
    }
    m_causes += m_batch.notes.causes();
    Result<void> consumed = m_sink.consume(m_batch);
    m_batch.clear();
    return consumed ? report() : consumed;
}

/// Reports progress. Returns an error if the export was cancelled.
Result<void> TraceStream::report() const
{
    const double events = static_cast<double>(m_sums.captured) / std::max(1.0, static_cast<double>(expectedEvents()));
    const double coroutines =
        static_cast<double>(m_coroutinesDone) / std::max(1.0, static_cast<double>(m_coroutinesAtStart.size()));
    if (m_progress && !m_progress(std::min(1.0, std::max(events, coroutines)) * kRowsWritten))
        return cancelled();
    return {};
}

}  // namespace ct
