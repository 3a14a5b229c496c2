// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/harvest/noteresolver.h"

#include "core/harvest/coroutineoutput.h"
#include "core/harvest/discovery.h"
#include "core/region/identity.h"

#include <optional>

namespace ct {

namespace {

std::uint64_t nearest(std::uint64_t next, std::uint32_t low)
{
    const auto ahead = static_cast<std::int64_t>(static_cast<std::int32_t>(low - static_cast<std::uint32_t>(next)));
    const auto n = static_cast<std::int64_t>(next) + ahead;
    return n < 0 ? low : static_cast<std::uint64_t>(n);
}

bool isWaitsOn(std::uint8_t kind)
{
    return (kind & 0xF0) == corotracer::kRecordWaitsOn;
}

WaitKind waitKindOf(std::uint8_t untrustedKind)
{
    const std::uint8_t kind = untrustedKind & 0x0F;
    return kind <= corotracer::kWaitOther ? static_cast<WaitKind>(kind) : WaitKind::Unknown;
}

bool isUse(std::uint8_t kind)
{
    return kind >= corotracer::kRecordAcquired && kind <= corotracer::kRecordSignalled;
}

bool isNote(std::uint8_t kind)
{
    switch (kind) {
    case corotracer::kRecordName:
    case corotracer::kRecordParent:
    case corotracer::kRecordWake:
    case corotracer::kRecordWakersLeft:
    case corotracer::kRecordFinished: return true;
    default: return isUse(kind) || isWaitsOn(kind);
    }
}

/// Returns the second coroutine that a note names, or kNoIdentity.
std::uint64_t otherOf(const RecordCopy &record)
{
    const bool names = record.kind() == corotracer::kRecordParent || record.kind() == corotracer::kRecordWake ||
                       (isWaitsOn(record.kind()) && waitKindOf(record.kind()) == WaitKind::Coroutine);
    return names ? record.arg : corotracer::kNoIdentity;
}

}  // namespace

NoteResolver::NoteResolver(const Region &region, HarvestState &harvestState, ProcessList &processes)
    : m_stations(region.compactStations().size()), m_harvestState(harvestState), m_processes(processes)
{
}

void NoteResolver::addNote(const LaneOrigin &origin, const RecordCopy &record, std::uint64_t ts, Discovery &coroutines,
                           Batch &batch)
{
    if (isNote(record.kind()))  // other kinds belong to a later version, or are damaged
        emitOrKeep({record, origin, ts}, false, coroutines, batch);
}

/// Emits a note, or keeps it if a coroutine that it names is not discovered. `last` means that no further coroutine
/// will be discovered.
void NoteResolver::emitOrKeep(PendingNote note, bool last, Discovery &coroutines, Batch &batch)
{
    const bool isAnonymous = isUse(note.record.kind()) && (last || note.record.identity == corotracer::kNoIdentity);
    if (note.subject == kNoCoroutine) {
        NoteSubject subject = coroutines.subjectOf(note.record.identity, batch);
        if (subject.coroutine == kNoCoroutine && note.record.kind() == corotracer::kRecordWake)
            subject = coroutines.endedSubject(note.record.identity);
        if (subject.coroutine == kNoCoroutine && !isAnonymous) {
            keepOrLose(note, note.record.identity, last, batch);
            return;
        }
        const std::uint64_t n = nearest(subject.next, note.record.n());
        // Events from before a finish may wait in the reorder buffer. They are settled before notes are.
        if (note.record.kind() == corotracer::kRecordFinished && n > subject.next && !last) {
            keepOrLose(note, note.record.identity, last, batch);
            return;
        }
        note.subject = subject.coroutine;
        note.n = n;
    }
    const std::uint64_t named = otherOf(note.record);
    const CoroutineId other = named != corotracer::kNoIdentity ? coroutines.idOf(named, batch) : kNoCoroutine;
    const bool isKnown = other != kNoCoroutine || named == corotracer::kNoIdentity;
    if (note.record.kind() == corotracer::kRecordFinished && !coroutines.markFinished(note.record.identity, batch))
        return;
    if (isKnown || (last && note.record.kind() != corotracer::kRecordParent))
        emit(note, other, batch);
    else
        keepOrLose(note, named, last, batch);
}

/// Keeps a note. Counts it as lost if the awaited coroutine cannot be discovered any more.
void NoteResolver::keepOrLose(const PendingNote &note, std::uint64_t awaited, bool last, const Batch &batch)
{
    PendingNote kept = note;
    kept.awaited = awaited;
    kept.due = dueAt(note.ts, batch);
    const bool isPossible = generationOf(awaited) != 0 && indexOf(awaited) < m_stations;
    // An earlier engine has emitted the notes that it drained.
    if ((last || !isPossible || !m_pending.keep(kept)) && !note.origin.drained)
        ++m_harvestState.sums.notesLost;
}

void NoteResolver::emit(const PendingNote &note, CoroutineId other, Batch &batch)
{
    const RecordCopy &record = note.record;
    switch (record.kind()) {
    case corotracer::kRecordName: batch.notes.names.push_back({note.subject, m_harvestState.text(record.arg)}); return;
    case corotracer::kRecordParent: batch.notes.parents.push_back({note.subject, other}); return;
    case corotracer::kRecordWake:
        batch.notes.wakes.push_back(
            {note.subject, other, note.n, note.ts, m_processes.at(note.origin.process, batch).pid, note.origin.tid});
        return;
    case corotracer::kRecordWakersLeft:
        batch.notes.wakersLeft.push_back({note.subject, note.n, record.arg, note.ts});
        return;
    case corotracer::kRecordFinished:
        batch.notes.finishes.push_back({note.subject, note.ts, m_harvestState.sites.resolve(record.site(), batch)});
        return;
    case corotracer::kRecordAcquired:
    case corotracer::kRecordReleased:
    case corotracer::kRecordSignalled:
        batch.notes.uses.push_back({note.subject, note.n,
                                    static_cast<UseKind>(record.kind() - corotracer::kRecordAcquired), record.arg,
                                    m_harvestState.sites.resolve(record.site(), batch), note.ts,
                                    m_processes.at(note.origin.process, batch).pid, note.origin.tid});
        return;
    default:
        batch.notes.waits.push_back(
            {note.subject, note.n, waitKindOf(record.kind()), record.arg, other, record.site()});
        return;
    }
}

void NoteResolver::addReady(PendingNote note)
{
    note.awaited = note.record.identity;
    note.due = note.ts;
    if (m_pending.keep(note))
        m_ready.push_back(note.awaited);
    else
        ++m_harvestState.sums.notesLost;
}

/// Collects the notes first, because a note may name further coroutines.
void NoteResolver::emitReady(Discovery &coroutines, Batch &batch)
{
    std::vector<PendingNote> notes;
    for (std::size_t i = 0; i < m_ready.size(); ++i) {
        notes.clear();
        while (const std::optional<PendingNote> note = m_pending.takeNoteOf(m_ready[i]))
            notes.push_back(*note);
        for (const PendingNote &note : notes)
            emitOrKeep(note, false, coroutines, batch);
    }
    m_ready.clear();
}

void NoteResolver::settle(std::uint64_t ns, Discovery &coroutines, Batch &batch)
{
    while (const std::optional<PendingNote> note = m_pending.takeDueNote(ns)) {
        // Events that wait may be the only trace of the coroutine. They discover it now.
        coroutines.discoverWaiting(note->awaited, batch);
        emitOrKeep(*note, true, coroutines, batch);
    }
    emitReady(coroutines, batch);
}

}  // namespace ct
