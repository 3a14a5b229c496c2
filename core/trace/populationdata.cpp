// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The writer of the Population, without the transitions.
#include "core/trace/populationdata.h"

#include <algorithm>

namespace ct {

using namespace population;

void Population::Data::consume(const Batch &batch)
{
    for (const Site &site : batch.sites)
        addSite(site);
    beginTouching();
    applyNotesBefore(batch.notes);
    for (const Birth &birth : batch.births)
        addBirth(birth);
    for (const Loss &loss : batch.losses)
        applyLoss(loss);
    // Relaxed; the release stores of the transitions publish it. So who sees one of them sees a sum that includes it.
    increase(arrived, batch.transitions.size());
    applyTransitions(*this, batch.transitions);
    increase(captured, batch.transitions.size());
    overflow.addEvents(batch, records.sizeOfWriter());
    for (const Loss &loss : batch.losses)
        settleLoss(loss, batch.now);
    applyNotesAfter(batch.notes);
    notes.objects.consume(batch);
    notes.samples.consume(batch.notes);
    for (const Death &death : batch.deaths)
        applyDeath(death);
    for (const Flag &flag : batch.flags)
        applyFlag(flag, batch.now);
    publishTouched();
    coroutineEviction.evictOverLimit([this](std::uint32_t page) { evictPage(page); },
                                     [this](CoroutineId first, CoroutineId end) { release(first, end); });
    // Release; partner: now(). A reader of a batch's time sees at least that batch.
    if (batch.now > now.load(kRelaxed))
        now.store(batch.now, kRelease);
}

void Population::Data::beginTouching()
{
    if (++batchNumber == 0) {
        std::fill(touchedIn.begin(), touchedIn.end(), 0);
        batchNumber = 1;
    }
    touchedCount = 0;
}

// Release; partner: pageVersion(). A reader of the version sees the change.
void Population::Data::publishTouched()
{
    for (std::size_t i = 0; i < touchedCount; ++i) {
        Word &version = pages[touched[i]];
        version.store(version.load(kRelaxed) + 1, kRelease);
    }
    touchedCount = 0;
}

// Usually in the order of ids. A site that its thread filled in late comes after younger ones.
void Population::Data::addSite(const Site &site)
{
    if (site.id == kUnknownSite || site.id >= sites.kCapacity)
        return;
    while (sites.sizeOfWriter() <= site.id) {
        sites.prepare();
        sites.publish();
        if (statistics.size() <= kMostSitesWithStatistics)
            statistics.push_back(nullptr);
    }
    SiteEntry &entry = sites[site.id];
    if (!entry.site.load(kRelaxed))
        entry.site.store(new Site(site), kRelease);
}

// Release; partner: siteStatistics().
Statistics &Population::Data::statisticsOf(SiteId site, CoroutineId first)
{
    Statistics *&known = statistics[std::size_t{site} + 1];
    if (!known) {
        known = new Statistics;
        known->oneCoroutine.store(first, kRelaxed);
        sites[site].statistics.store(known, kRelease);
    }
    return *known;
}

bool Population::Data::makePage()
{
    if (!pages.prepare())
        return false;
    pages.publish();
    touchedIn.push_back(0);
    touched.resize(touchedIn.size() + 1);
    return true;
}

void Population::Data::addBirth(const Birth &birth)
{
    // Ids are dense, in order of discovery. If an id finds no room in the array, later ones find none either.
    if (birth.coroutine < records.sizeOfWriter())
        return;
    if (birth.coroutine > records.sizeOfWriter() || !makeRecord(birth))
        overflow.addCoroutine();
}

/// Adds the figures of the page's coroutines to the sums in overflow.
void Population::Data::evictPage(std::uint32_t page)
{
    overflow.beginEviction();
    for (CoroutineId id = page * kPageSize; id < (page + 1) * kPageSize; ++id) {
        const Record &record = records[id];
        const Missed *const missedOf = missed.find(id);
        overflow.addEnded(record.nextN.load(kRelaxed) - record.skipped.load(kRelaxed), origins[id].lost.load(kRelaxed),
                          missedOf ? missedOf->count.load(kRelaxed) : 0);
    }
    pages[page].store((pages[page].load(kRelaxed) + 1) | kWithoutRecords, kRelease);
    overflow.endEviction();
}

void Population::Data::release(CoroutineId first, CoroutineId end)
{
    records.release(first, end);
    origins.release(first, end);
    missed.release(first, end);
    notes.marks.release(first, end);
}

bool Population::Data::admit(CoroutineId id)
{
    return coroutineEviction.admit(
        id, [this](std::uint32_t page) { evictPage(page); },
        [this](CoroutineId first, CoroutineId end) { release(first, end); });
}

/// Where a coroutine gets no record, its id still counts: later coroutines may get one.
bool Population::Data::makeRecord(const Birth &birth)
{
    if (birth.coroutine / kPageSize >= pages.sizeOfWriter() && !makePage())
        return false;
    if (!admit(birth.coroutine)) {
        Word &version = pages[birth.coroutine / kPageSize];
        version.store((version.load(kRelaxed) + 1) | kWithoutRecords, kRelease);
        if (records.prepareHole() && origins.prepareHole()) {
            origins.publish();
            records.publish();
        }
        return false;
    }
    // Readers see neither before publish().
    Record *record = records.prepare();
    Origin *origin = origins.prepare();
    if (!record || !origin)
        return false;
    const std::uint32_t process = notes.processes.indexOf(birth.pid);
    origin->probeId.store(birth.probeId, kRelaxed);
    origin->birthTs.store(birth.birthTs, kRelaxed);
    origin->stationAndGeneration.store(std::uint64_t{birth.station} << 32 | birth.generation, kRelaxed);
    origin->process.store(process, kRelaxed);
    record->since.store(birth.birthTs, kRelaxed);
    record->lockAndBits.store(std::uint64_t{withDialect(0, birth.dialect)} << 32, kRelaxed);
    origins.publish();
    records.publish();
    notes.processes.born(process);
    increase(alive, 1);
    touch(birth.coroutine);
    return true;
}

void Population::Data::applyLoss(const Loss &loss)
{
    if (!loss.beforeAttach)
        increase(lost, loss.count);
    Record *record = recordOf(loss.coroutine);
    if (!record)
        overflow.addLoss(loss);
    if (!record || loss.count == 0)
        return;
    {
        const Writing writing(*record);
        Word *total = &origins[loss.coroutine].lost;
        if (loss.beforeAttach) {
            Missed &entry = missed.make(loss.coroutine);
            entry.end.store(std::max(entry.end.load(kRelaxed), loss.firstN + loss.count), kRelease);
            total = &entry.count;
        }
        total->store(total->load(kRelaxed) + loss.count, kRelease);
    }
    touch(loss.coroutine);
}

/// Sets the state to Unknown since `noticed` (ns).
void Population::Data::makeUnknown(Record &record, Writing &writing, std::uint64_t noticed)
{
    const CoroutineState state = stateOf(writing.bits);
    if (state == CoroutineState::Destroyed || state == CoroutineState::Unknown)
        return;
    writing.bits = withState(writing.bits, CoroutineState::Unknown);
    record.since.store(noticed, kRelease);
}

// After the transitions of the pass. If none came after the lost ones, the latest transition is not known.
void Population::Data::settleLoss(const Loss &loss, std::uint64_t noticed)
{
    Record *record = recordOf(loss.coroutine);
    if (!record)
        return;
    const std::uint64_t nextN = record->nextN.load(kRelaxed);
    const std::uint64_t end = loss.firstN + loss.count;
    if (loss.count == 0 || end <= nextN)
        return;
    {
        Writing writing(*record);
        record->skipped.store(record->skipped.load(kRelaxed) + (end - nextN), kRelease);
        record->nextN.store(end, kRelease);
        writing.bits &= ~kSeen;
        makeUnknown(*record, writing, noticed);
    }
    touch(loss.coroutine);
}

void Population::Data::applyDeath(const Death &death)
{
    Record *record = recordOf(death.coroutine);
    if (!record || stateOf(record->bits()) == CoroutineState::Destroyed)
        return;
    Origin &origin = origins[death.coroutine];
    {
        Writing writing(*record);
        writing.bits = withState(writing.bits, CoroutineState::Destroyed);
        record->since.store(death.ts, kRelease);
        origin.deathTs.store(std::max<std::uint64_t>(death.ts, 1), kRelease);
    }
    notes.processes.died(origin.process.load(kRelaxed));
    alive.store(alive.load(kRelaxed) - 1, kRelaxed);
    coroutineEviction.died(death.coroutine);
    touch(death.coroutine);
}

/// The body has ended, so the coroutine does not run any more. A finish from before the latest state change is out of
/// date. Through lanes, the target says when the run ended. Of other coroutines, the engine has found the finish some
/// time later, so the length of the run is unknown.
void Population::Data::applyFinish(const Finish &finish)
{
    Record *record = recordOf(finish.coroutine);
    if (!record)
        return;
    const std::uint32_t bits = record->bits();
    const std::uint64_t since = record->since.load(kRelaxed);
    if (stateOf(bits) == CoroutineState::Destroyed || (bits & kFlagged) != 0 || finish.ts < since)
        return;
    {
        Writing writing(*record);
        if (stateOf(bits) == CoroutineState::Running && dialectOf(bits) == Dialect::Lane)
            record->spent[0].store(record->spent[0].load(kRelaxed) + (finish.ts - since), kRelease);
        writing.bits = withState(writing.bits, CoroutineState::Finished);
        record->since.store(finish.ts, kRelease);
        if (finish.site != kUnknownSite)
            record->site.store(finish.site, kRelease);
    }
    touch(finish.coroutine);
}

void Population::Data::applyFlag(const Flag &flag, std::uint64_t noticed)
{
    Record *record = recordOf(flag.coroutine);
    if (!record)
        return;
    {
        Writing writing(*record);
        if ((writing.bits & kFlagged) == 0 && flag.reason == Flag::Reason::DialectContradiction)
            writing.bits |= kContradiction;
        writing.bits |= kFlagged;
        makeUnknown(*record, writing, noticed);
    }
    touch(flag.coroutine);
}

/// Notes that the transitions and births of the same batch depend on.
void Population::Data::applyNotesBefore(const Notes &batchNotes)
{
    for (const Process &process : batchNotes.processes)
        notes.processes.addReported(process, notes.names.addName(process.name));
    for (const Switch &change : batchNotes.switches) {
        notes.processes.setTracing(change);
        notes.switches.append({change.pid, change.ts, change.on ? 1U : 0U});
    }
}

void Population::Data::applyNotesAfter(const Notes &batchNotes)
{
    if (batchNotes.empty())
        return;
    for (const ThreadName &thread : batchNotes.threadNames)
        notes.threads.setName(thread.pid, thread.tid, notes.names.addName(thread.name));
    for (const CoroutineName &name : batchNotes.names)
        applyName(name);
    for (const Parent &parent : batchNotes.parents)
        applyParent(parent);
    const auto knownOrNone = [this](CoroutineId id) { return isKnown(id) ? id : kNoCoroutine; };
    for (WaitsOn waits : batchNotes.waits) {
        if (!isKnown(waits.coroutine))
            continue;
        waits.target = knownOrNone(waits.target);
        notes.marks.wait(waits);
        touch(waits.coroutine);
    }
    constexpr std::size_t kAhead = 12;
    const std::vector<Wake> &wakes = batchNotes.wakes;
    for (std::size_t i = 0; i < wakes.size(); ++i) {
        if (i + kAhead < wakes.size())
            notes.marks.prefetch(wakes[i + kAhead].coroutine);
        if (!isKnown(wakes[i].coroutine))
            continue;
        Wake wake = wakes[i];
        wake.by = knownOrNone(wake.by);
        notes.marks.wake(wake);
        touch(wake.coroutine);
    }
    for (const WakersLeft &left : batchNotes.wakersLeft) {
        if (!isKnown(left.coroutine))
            continue;
        notes.marks.wakersLeft(left);
        touch(left.coroutine);
    }
    for (const Finish &finish : batchNotes.finishes)
        applyFinish(finish);
    notes.threads.consume(batchNotes);
    for (const Drop &drop : batchNotes.drops)
        notes.drops.append({std::uint64_t{drop.pid} << 32 | drop.tid, drop.records, drop.firstTs, drop.lastTs});
    for (const ProcessEnd &end : batchNotes.processEnds)
        notes.processes.endProcess(end);
}

void Population::Data::applyName(const CoroutineName &name)
{
    if (!isKnown(name.coroutine))
        return;
    origins[name.coroutine].name.store(notes.names.addName(name.name), kRelease);
    touch(name.coroutine);
}

/// Walks from `of` to its ancestors. A walk longer than kMostStepsUp counts as a cycle.
bool Population::Data::isAncestor(CoroutineId older, CoroutineId of) const
{
    // A coroutine without children, for example one that was just born, is no ancestor. So chains of any depth grow at
    // their lower end without a walk.
    if (origins[older].children.load(kRelaxed) == 0)
        return older == of;
    for (int step = 0; step < kMostStepsUp; ++step) {
        if (of == older)
            return true;
        const std::uint32_t parent = origins[of].parent.load(kRelaxed);
        if (parent == 0)
            return false;
        of = parent - 1;
    }
    return true;
}

// Parents form a tree: a parent that would close a cycle is ignored. As long as every parent is older than its
// children, no cycle is possible.
void Population::Data::applyParent(const Parent &parent)
{
    const CoroutineId child = parent.coroutine;
    if (!isKnown(child) || !isKnown(parent.parent) || child == parent.parent)
        return;
    std::atomic<std::uint32_t> &known = origins[child].parent;
    if (known.load(kRelaxed) == parent.parent + 1)
        return;
    const bool backward = parent.parent > child;
    if ((backward || anyBackwardParent) && isAncestor(child, parent.parent))
        return;
    anyBackwardParent = anyBackwardParent || backward;
    const auto count = [this](CoroutineId id, std::uint32_t by) {
        if (!isKnown(id))
            return;
        std::atomic<std::uint32_t> &children = origins[id].children;
        children.store(children.load(kRelaxed) + by, kRelease);
        touch(id);
    };
    if (const std::uint32_t before = known.load(kRelaxed); before != 0)
        count(before - 1, ~0U);
    known.store(parent.parent + 1, kRelease);
    count(parent.parent, 1);
    touch(child);
}

}  // namespace ct
