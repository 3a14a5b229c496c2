// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/databases/noterows.h"

#include "core/stream/causenames.h"
#include "core/stream/samplenames.h"

namespace ct {

namespace {

/// Adds one row per item: put(row, item) adds the cells, and the position in the stream follows.
template <class Item, class Put>
Result<void> addAll(RowStore &store, Table table, const std::vector<Item> &items, std::uint64_t events, Put put)
{
    for (const Item &item : items) {
        Row row;
        put(row, item);
        if (Result<void> added = store.add(table, row.number(events)); !added)
            return added;
    }
    return {};
}

Row &addId(Row &row, CoroutineId id)
{
    return row.numberIf(id != kNoCoroutine, id);
}

/// Numbers stay numbers. Addresses have the form of those of events.
Row &addObject(Row &row, const WaitsOn &waits)
{
    if (isNumberOfObject(waits.kind))
        return row.number(waits.object);
    return waits.object == 0 ? row.null() : row.address(waits.object);
}

bool hasDescriptor(ThreadCall call)
{
    return call == ThreadCall::Epoll || call == ThreadCall::Descriptor || call == ThreadCall::Ring;
}

Result<void> addCauses(RowStore &store, const Notes &notes, std::uint64_t events)
{
    Result<void> added = addAll(store, Table::Waits, notes.waits, events, [](Row &row, const WaitsOn &waits) {
        row.number(waits.coroutine).number(waits.n).text(waitKindName(waits.kind));
        addObject(row, waits);
        addId(row, waits.kind == WaitKind::Coroutine ? waits.target : kNoCoroutine);
        row.text(waitModeName(waits)).number(waits.indexOfPart());
    });
    if (!added)
        return added;
    added = addAll(store, Table::Wakes, notes.wakes, events, [](Row &row, const Wake &wake) {
        row.number(wake.coroutine).number(wake.n).number(wake.ts);
        addId(row, wake.by).known(wake.pid).known(wake.tid);
    });
    if (!added)
        return added;
    added = addAll(store, Table::Uses, notes.uses, events, [](Row &row, const Use &use) {
        row.text(useKindName(use.kind)).address(use.object).number(use.ts);
        addId(row, use.by).number(use.n).known(use.site).known(use.pid).known(use.tid);
    });
    if (!added)
        return added;
    return addAll(store, Table::WakersLeft, notes.wakersLeft, events, [](Row &row, const WakersLeft &left) {
        row.number(left.coroutine).number(left.n).number(left.ts).number(left.count);
    });
}

Result<void> addDropsAndSwitches(RowStore &store, const Notes &notes, std::uint64_t events)
{
    Result<void> added = addAll(store, Table::Drops, notes.drops, events, [](Row &row, const Drop &drop) {
        row.number(drop.pid).number(drop.tid).number(drop.records).number(drop.firstTs).number(drop.lastTs);
    });
    if (!added)
        return added;
    return addAll(store, Table::Switches, notes.switches, events, [](Row &row, const Switch &change) {
        row.number(change.pid).number(change.ts).number(change.on ? 1 : 0);
    });
}

void putThreadSample(Row &row, const ThreadSample &sample)
{
    row.number(sample.pid).number(sample.tid).number(sample.ts);
    row.text(threadStateName(sample.state)).text(threadCallName(sample.call)).number(sample.isTimed ? 1 : 0);
    // Descriptor 0 is valid. A futex object of 0 means several futexes.
    row.numberIf(sample.object != 0 || hasDescriptor(sample.call), sample.object);
    row.number(sample.cpuNs).known(sample.runDelayNs);
}

void putDescriptorSample(Row &row, const DescriptorSample &sample)
{
    row.number(sample.pid).number(sample.descriptor).number(sample.epoll).number(sample.ts);
    row.text(descriptorKindName(sample.kind)).number(sample.events);
    row.numberIf(sample.pending != DescriptorSample::kUnknown, sample.pending).known(sample.deadline);
    row.known(sample.tcpState).number(sample.readEnds ? 1 : 0).number(sample.canWrite ? 1 : 0);
}

void putProcessSample(Row &row, const ProcessSample &sample)
{
    row.number(sample.pid).number(sample.ts).known(sample.descriptorsTs).number(sample.threads);
    row.known(sample.stoppedSince).number(sample.areThreadsKnown ? 1 : 0).number(sample.areCallsKnown ? 1 : 0);
    row.number(sample.areDescriptorsKnown ? 1 : 0).number(sample.machineSuspendedNs);
}

Result<void> addSamples(RowStore &store, const Notes &notes, std::uint64_t events)
{
    Result<void> added = addAll(store, Table::ThreadSamples, notes.threadSamples, events, &putThreadSample);
    if (added)
        added = addAll(store, Table::DescriptorSamples, notes.descriptorSamples, events, &putDescriptorSample);
    return added ? addAll(store, Table::ProcessSamples, notes.processSamples, events, &putProcessSample) : added;
}

}  // namespace

Result<void> addNoteRows(RowStore &store, const Notes &notes, std::uint64_t events)
{
    Result<void> added = addCauses(store, notes, events);
    if (added)
        added = addDropsAndSwitches(store, notes, events);
    return added ? addSamples(store, notes, events) : added;
}

}  // namespace ct
