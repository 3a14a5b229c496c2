// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The rare records of lanes. Notes that name a coroutine wait until it is discovered.
#include "core/harvest/merger.h"
#include "core/region/identity.h"

#include <algorithm>

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

/// Returns the second coroutine that a note names, or kNoIdentity.
std::uint64_t otherOf(const LaneItem &item)
{
    const bool names = item.kind == corotracer::kRecordParent || item.kind == corotracer::kRecordWake ||
                       (isWaitsOn(item.kind) && waitKindOf(item.kind) == WaitKind::Coroutine);
    return names ? item.arg : corotracer::kNoIdentity;
}

}  // namespace

void Merger::mergeRare(const LaneOrigin &origin, const LaneItem &item, std::uint64_t ts, Batch &batch)
{
    switch (item.kind) {
    case corotracer::kRecordBirth: mergeBirth(origin, item, ts, batch); return;
    case corotracer::kRecordDeath: mergeDeath(origin, item, ts, batch); return;
    case corotracer::kRecordDrops: {
        const HarvestedProcess &process = m_processes.at(origin.process, batch);
        batch.notes.drops.push_back({process.pid, origin.tid, item.identity, ts, process.clock.ns(item.arg)});
        m_dropsReported += item.identity;
        m_needsSweep = true;
        return;
    }
    case corotracer::kRecordThreadName:
        batch.notes.threadNames.push_back(
            {m_processes.at(origin.process, batch).pid, origin.tid, m_books.text(item.arg)});
        return;
    case corotracer::kRecordSwitchOff:
    case corotracer::kRecordSwitchOn:
        // Coroutines may have died while tracing was off. Only their compact stations show that.
        m_needsSweep = true;
        batch.notes.switches.push_back(
            {m_processes.at(origin.process, batch).pid, ts, item.kind == corotracer::kRecordSwitchOn});
        return;
    default: mergeNote(origin, item, ts, batch); return;
    }
}

void Merger::mergeNote(const LaneOrigin &origin, const LaneItem &item, std::uint64_t ts, Batch &batch)
{
    const bool isNote = item.kind == corotracer::kRecordName || item.kind == corotracer::kRecordParent ||
                        item.kind == corotracer::kRecordWake || isWaitsOn(item.kind);
    if (isNote)  // other kinds belong to a later version, or are damaged
        emitOrKeep({item, origin, ts}, false, batch);
}

/// Emits a note, or keeps it if a coroutine that it names is not discovered. `last` means that no further coroutine
/// will be discovered.
void Merger::emitOrKeep(PendingNote note, bool last, Batch &batch)
{
    if (note.subject == kNoCoroutine) {
        const Subject subject = subjectOf(note.item.identity, batch);
        if (subject.coroutine == kNoCoroutine) {
            keepOrLose(note, note.item.identity, last, batch);
            return;
        }
        note.subject = subject.coroutine;
        note.n = nearest(subject.next, note.item.n);
    }
    const std::uint64_t named = otherOf(note.item);
    const CoroutineId other = named != corotracer::kNoIdentity ? idOf(named, batch) : kNoCoroutine;
    const bool isKnown = other != kNoCoroutine || named == corotracer::kNoIdentity;
    if (isKnown || (last && note.item.kind != corotracer::kRecordParent))
        emitPending(note, other, batch);
    else
        keepOrLose(note, named, last, batch);
}

/// Keeps a note. Counts it as lost if the awaited coroutine cannot be discovered any more.
void Merger::keepOrLose(const PendingNote &note, std::uint64_t awaited, bool last, const Batch &batch)
{
    PendingNote kept = note;
    kept.awaited = awaited;
    kept.due = dueAt(note.ts, batch);
    const bool isPossible = generationOf(awaited) != 0 && indexOf(awaited) < m_states.size();
    // An earlier engine has emitted the notes that it drained.
    if ((last || !isPossible || !m_pending.keep(kept)) && !note.origin.drained)
        ++m_books.sums.notesLost;
}

void Merger::emitPending(const PendingNote &note, CoroutineId other, Batch &batch)
{
    const LaneItem &item = note.item;
    switch (item.kind) {
    case corotracer::kRecordName: batch.notes.names.push_back({note.subject, m_books.text(item.arg)}); return;
    case corotracer::kRecordParent: batch.notes.parents.push_back({note.subject, other}); return;
    case corotracer::kRecordWake:
        batch.notes.wakes.push_back(
            {note.subject, other, note.n, note.ts, m_processes.at(note.origin.process, batch).pid, note.origin.tid});
        return;
    default: batch.notes.waits.push_back({note.subject, note.n, waitKindOf(item.kind), item.arg, other}); return;
    }
}

/// Keeps a note about a coroutine that is being discovered. emitReady() emits it.
void Merger::keepReady(PendingNote note)
{
    note.awaited = note.item.identity;
    note.due = note.ts;
    if (m_pending.keep(note))
        m_ready.push_back(note.awaited);
    else
        ++m_books.sums.notesLost;
}

/// Emits the notes that waited for coroutines discovered by now. Collects them first, because a note may name further
/// coroutines.
void Merger::emitReady(Batch &batch)
{
    std::vector<PendingNote> notes;
    for (std::size_t i = 0; i < m_ready.size(); ++i) {
        notes.clear();
        while (const std::optional<PendingNote> note = m_pending.takeOf(m_ready[i]))
            notes.push_back(*note);
        for (const PendingNote &note : notes)
            emitOrKeep(note, false, batch);
    }
    m_ready.clear();
}

/// Every lane was read up to `ns`: gives up notes whose coroutines no earlier record has discovered, then emits deaths.
void Merger::settleNotes(std::uint64_t ns, Batch &batch)
{
    emitReady(batch);
    // A coroutine whose birth was overwritten may still be discovered by an event in an unread lane.
    const bool isFirstLook = m_attaching && ns != ~std::uint64_t{0};
    if (!isFirstLook) {
        while (const std::optional<PendingNote> note = m_pending.takeDue(ns))
            giveUp(*note, batch);
        emitReady(batch);
    }
    if (!isFirstLook || m_pending.empty())
        m_pendingDeaths.emitPending(ns, batch);
}

void Merger::giveUp(const PendingNote &note, Batch &batch)
{
    // Events that wait may be the only trace of the coroutine. They discover it now.
    if (WaitList *const waitList = m_reorderBuffer.find(note.awaited); waitList && !cursorOf(*waitList).isBorn()) {
        discoverUnseen(*waitList, batch);
        if (m_reorderBuffer.find(note.awaited) == waitList) {
            const CoroutineEntry entry{&cursorOf(*waitList), waitList};
            release(entry, 0, batch);
            tidy(entry, batch);
        }
    }
    emitOrKeep(note, true, batch);
}

/// Finds the coroutine of a note. A coroutine whose death was emitted gets no more notes.
Merger::Subject Merger::subjectOf(std::uint64_t identity, Batch &batch)
{
    const CoroutineEntry entry = find(identity, batch);
    if (entry.cursor && entry.cursor->isBorn() && !entry.cursor->isEnded())
        return {entry.cursor->coroutine, entry.cursor->next()};
    const PendingDeaths::One *const one = m_pendingDeaths.find(identity);
    return one ? Subject{one->death.coroutine, one->next} : Subject{};
}

CoroutineId Merger::idOf(std::uint64_t identity, Batch &batch)
{
    if (const CoroutineEntry entry = find(identity, batch); entry.cursor)
        return entry.cursor->coroutine;
    const PendingDeaths::One *const one = m_pendingDeaths.find(identity);
    return one ? one->death.coroutine : kNoCoroutine;
}

}  // namespace ct
