// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/query/snapshot.h"

#include "core/databases/storedsums.h"

#include <iterator>
#include <set>

namespace ct::query {

namespace {

constexpr CoroutineId kCoroutinesAtOnce = 8192;

std::uint64_t above(std::uint64_t value, std::uint64_t part)
{
    return value - std::min(value, part);
}

}  // namespace

Snapshot::Snapshot(const QueriedTrace &trace, const std::atomic<bool> &cancelled)
    : m_trace(trace),
      m_cancelled(cancelled),
      m_blocks(*trace.history, trace.streamIndex, cancelled),
      m_recordedEvents(m_blocks, m_coroutines),
      m_notes(*trace.population, *trace.history, m_coroutines)
{
}

bool Snapshot::fill()
{
    const auto goOn = [this] { return !isCancelled(); };
    if (!m_coroutines.fill(population(), goOn))
        return false;
    awaitHistory(population(), history(), goOn);
    m_blocks.begin();
    m_notes.begin();
    m_streamed = std::max(history().streamed(), population().arrived());
    m_causes = above(history().noteCount(), history().evictedNotes());
    m_siteCount = population().siteCount();
    m_overflowNames = population().overflowNames();
    const ExportedCoroutines::Sums &sums = m_coroutines.sums();
    const Overflow &overflow = m_coroutines.overflow();
    // Otherwise, the sums belong to another moment.
    if (m_trace.sums.captured == population().captured()) {
        m_lostWithoutCoroutine = above(m_trace.sums.lost, sums.lost + overflow.lost);
        m_missedWithoutCoroutine = above(m_trace.sums.missedBeforeAttach, sums.missed + overflow.missed);
    }
    m_firstEventIds.reserve(m_coroutines.size());
    std::uint64_t next = 1;
    for (CoroutineId id = 0; id < m_coroutines.size(); ++id) {
        m_firstEventIds.push_back(next);
        if (hasRecord(id))
            next += m_coroutines[id].captured;
    }
    return true;
}

bool Snapshot::areCausesRecorded()
{
    if (!m_areCausesRecorded)
        m_areCausesRecorded = history().evictedNotes() != 0 && m_blocks.awaitAll(m_streamed);
    return *m_areCausesRecorded;
}

std::uint64_t Snapshot::missingCauses() const
{
    return m_blocks.isReadable({0, m_streamed}) ? 0 : history().evictedNotes();
}

/// The numbers of a flagged coroutine may also jump back, so only its gaps show how many are missing.
std::uint64_t Snapshot::unexplainedOfFlagged(CoroutineId id)
{
    const ExportedCoroutine &atStart = m_coroutines[id];
    CoroutineEvents reader = makeReader();
    reader.open(id, atStart, id + 1);
    CoroutineEvents::Entries entries;
    std::uint64_t missing = 0;
    while (const std::size_t count = reader.read(entries)) {
        for (const HistoryEvent &event : std::span(entries).first(count))
            missing += event.type == HistoryEvent::Type::Gap ? event.count : 0;
    }
    return missing - std::min(missing, atStart.lost + atStart.missed);
}

std::uint64_t Snapshot::unexplained(CoroutineId id)
{
    const ExportedCoroutine &atStart = m_coroutines[id];
    if (atStart.isFlagged())
        return unexplainedOfFlagged(id);
    return atStart.end - atStart.first - atStart.captured - atStart.lost - atStart.missed;
}

const Notes &Snapshot::fewNotes()
{
    if (!m_fewNotes) {
        m_fewNotes.emplace();
        m_notes.addProcesses(*m_fewNotes);
        m_notes.addSamples(*m_fewNotes);
    }
    return *m_fewNotes;
}

/// Returns the processes that a note has named, in the order of the notes, and then the other processes with
/// coroutines, by pid.
std::vector<ProcessSnapshot> Snapshot::processes() const
{
    std::vector<ProcessSnapshot> all = population().processes();
    const auto isReported = [](const ProcessSnapshot &process) {
        return process.firstTs != 0 || process.endTs != 0 || !process.name.empty();
    };
    std::erase_if(all, [&](const ProcessSnapshot &process) {
        return !isReported(process) && (process.pid == 0 || process.coroutines == 0);
    });
    const auto unreported = std::stable_partition(all.begin(), all.end(), isReported);
    std::sort(unreported, all.end(), [](const auto &one, const auto &other) { return one.pid < other.pid; });
    return all;
}

const Finish *Snapshot::finishOf(CoroutineId id)
{
    if (!m_finishes) {
        m_finishes.emplace();
        CauseReader reader(*this);
        Notes causes;
        while (reader.next(causes))
            m_finishes->insert(m_finishes->end(), causes.finishes.begin(), causes.finishes.end());
        std::stable_sort(m_finishes->begin(), m_finishes->end(),
                         [](const Finish &one, const Finish &other) { return one.coroutine < other.coroutine; });
    }
    const auto behind =
        std::upper_bound(m_finishes->begin(), m_finishes->end(), id,
                         [](CoroutineId value, const Finish &finish) { return value < finish.coroutine; });
    return behind != m_finishes->begin() && (behind - 1)->coroutine == id ? &*(behind - 1) : nullptr;
}

const Report *Snapshot::report()
{
    if (!m_report)
        m_report = m_trace.report ? m_trace.report() : nullptr;
    return m_report->get();
}

std::vector<std::string_view> Snapshot::infoNames()
{
    std::vector<std::string_view> names{kFormatName,  kCompleteName, kJudgedName,
                                        kDroppedName, kObservedName, "events_evicted"};
    for (const StoredSum &sum : storedSums())
        names.push_back(sum.name);
    return names;
}

std::vector<std::uint64_t> Snapshot::infoValues()
{
    const ExportedCoroutines::Sums &sums = m_coroutines.sums();
    const Overflow &overflow = m_coroutines.overflow();
    std::uint64_t allUnexplained = 0;
    for (CoroutineId id = 0; id < m_coroutines.size(); ++id)
        allUnexplained += hasRecord(id) ? unexplained(id) : 0;
    std::uint64_t dropped = 0;
    for (const Drop &drop : fewNotes().drops)
        dropped += drop.records;
    CauseReader reader(*this);
    if (history().evictedNotes() != 0) {
        for (Notes causes; reader.next(causes);) {
        }
    }
    Accounting all = m_trace.sums;
    all.captured = sums.captured;
    all.lostWithoutCoroutine = m_lostWithoutCoroutine;
    all.missedWithoutCoroutine = m_missedWithoutCoroutine;
    all.lost = sums.lost + overflow.lost + m_lostWithoutCoroutine;
    all.missedBeforeAttach = sums.missed + overflow.missed + m_missedWithoutCoroutine;
    all.notesEvicted = reader.evicted();
    all.coroutines = sums.coroutines;
    all.overflowCoroutines = overflow.coroutines;
    all.overflowEvents = overflow.events;
    all.overflowNames = m_overflowNames;
    all.eventsNotWritten = 0;
    all.coroutinesNotWritten = 0;
    all.recordsDropped = std::max(dropped, all.recordsDropped);
    std::vector<std::uint64_t> values{kFormat, 1, 0, allUnexplained, observedUntil(), missingEvents()};
    for (const StoredSum &sum : storedSums())
        values.push_back(sum.get(all));
    return values;
}

/// Appends the distinct addresses of a coroutine's suspensions without a site, in the order of their first events.
void Snapshot::addAddressesOf(CoroutineId id, CoroutineId end, std::vector<EventAddress> &to)
{
    if (!hasRecord(id) || m_coroutines[id].captured == 0)
        return;
    const std::uint32_t pid = population().at(id).pid;
    std::set<std::uint64_t> noted;
    std::uint64_t latest = 0;
    CoroutineEvents reader = makeReader();
    reader.open(id, m_coroutines[id], end);
    CoroutineEvents::Entries entries;
    while (const std::size_t count = reader.read(entries)) {
        for (const HistoryEvent &event : std::span(entries).first(count)) {
            if (event.type != HistoryEvent::Type::Suspend || event.site != kUnknownSite || event.addr == latest)
                continue;
            latest = event.addr;
            if (event.addr != 0 && noted.insert(event.addr).second)
                to.push_back({id, pid, event.addr, 0});
        }
    }
}

std::vector<Snapshot::Address> Snapshot::addresses(CoroutineId first, CoroutineId end)
{
    std::vector<Address> found;
    if (!resolver())
        return found;
    std::vector<EventAddress> all;
    for (CoroutineId id = first; id < end; ++id)
        addAddressesOf(id, end, all);
    std::vector<EventAddress> unknown;
    std::copy_if(all.begin(), all.end(), std::back_inserter(unknown),
                 [this](const EventAddress &address) { return !resolver()->known(address); });
    if (!unknown.empty() && !isCancelled())
        resolver()->resolve(unknown);
    for (EventAddress &address : all) {
        address.since = resolver()->lineSince(address);
        if (ExportResolver::Answer answer = resolver()->known(address))
            found.push_back({address, std::move(answer)});
    }
    return found;
}

const std::vector<Snapshot::Address> &Snapshot::addressesOf(CoroutineId id)
{
    if (m_addressesOf != id) {
        m_addresses = addresses(id, id + 1);
        m_addressesOf = id;
    }
    return m_addresses;
}

bool CauseReader::nextRecorded(Notes &to)
{
    RecordedBlocks &blocks = m_snapshot.recordedBlocks();
    while (m_block < blocks.blocks() && !m_snapshot.isCancelled()) {
        const StreamIndex::Block block = blocks.block(m_block++);
        if (block.first >= m_snapshot.streamed() && block.first != block.end)
            break;
        Notes causes;
        if (blocks.readCauses(block, causes)) {
            m_notes.addRecorded(causes, to);
            return true;
        }
        m_isComplete = false;
    }
    if (!m_isComplete)
        m_notes.endRecorded();
    return false;
}

bool CauseReader::next(Notes &to)
{
    to.clear();
    if (m_snapshot.isCancelled())
        return false;
    if (!m_isHistoryRead && (m_isRecorded ? nextRecorded(to) : m_notes.addNext(to)))
        return true;
    m_isHistoryRead = true;
    if (m_notes.evicted() == 0 || m_coroutine == m_snapshot.coroutineCount())
        return false;
    const CoroutineId end = m_coroutine + std::min(kCoroutinesAtOnce, m_snapshot.coroutineCount() - m_coroutine);
    while (m_coroutine < end)
        m_notes.addLatest(m_coroutine++, to);
    return true;
}

}  // namespace ct::query
