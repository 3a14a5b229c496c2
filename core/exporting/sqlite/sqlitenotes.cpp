// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exporting/sqlite/sqlitenotes.h"

#include "core/exporting/sqlite/sqliteschema.h"
#include "core/exporting/sqlite/sqlrows.h"
#include "core/stream/causenames.h"
#include "core/stream/samplenames.h"

namespace ct {

namespace {

/// Writes one row for each item; put(rows, item) writes its values.
template <class Item, class Put>
Result<void> writeAll(SqliteConnection &connection, const std::vector<Item> &items, const SqlStatement &statement,
                      Put &&put)
{
    if (items.empty())
        return {};
    SqlRows rows(statement.head, statement.tail);
    for (const Item &item : items) {
        rows.beginRow();
        put(rows, item);
        rows.endRow();
        if (!rows.isFull())
            continue;
        if (Result<void> written = connection.run(rows.takeStatement()); !written)
            return written;
    }
    return rows.isEmpty() ? Result<void>() : connection.run(rows.takeStatement());
}

void putId(SqlRows &rows, CoroutineId id)
{
    rows.integerOrNull(id, id != kNoCoroutine);
}

/// Numbers stay numbers. Addresses look like those of the events.
void putObject(SqlRows &rows, const WaitsOn &waits)
{
    if (isNumberOfObject(waits.kind))
        rows.integer(waits.object);
    else if (waits.kind == WaitKind::Coroutine || waits.object == 0)
        rows.integerOrNull(0, false);
    else
        rows.hexText(waits.object);
}

bool hasDescriptor(ThreadCall call)
{
    return call == ThreadCall::Epoll || call == ThreadCall::Descriptor || call == ThreadCall::Ring;
}

Result<void> writeOfCoroutines(SqliteConnection &connection, const Notes &notes)
{
    const auto putName = [](SqlRows &rows, const CoroutineName &name) {
        rows.integer(name.coroutine);
        rows.text(name.name);
    };
    if (Result<void> written = writeAll(connection, notes.names, kUpdateNames, putName); !written)
        return written;
    const auto putParent = [](SqlRows &rows, const Parent &parent) {
        rows.integer(parent.coroutine);
        putId(rows, parent.parent);
    };
    if (Result<void> written = writeAll(connection, notes.parents, kUpdateParents, putParent); !written)
        return written;
    const auto putWait = [](SqlRows &rows, const WaitsOn &waits) {
        rows.integer(waits.coroutine);
        rows.integer(waits.n);
        rows.word(waitKindName(waits.kind));
        putObject(rows, waits);
        putId(rows, waits.kind == WaitKind::Coroutine ? waits.target : kNoCoroutine);
        rows.word(waitModeName(waits));
        rows.integer(waits.indexOfPart());
    };
    if (Result<void> written = writeAll(connection, notes.waits, kInsertWaits, putWait); !written)
        return written;
    return writeAll(connection, notes.wakes, kInsertWakes, [](SqlRows &rows, const Wake &wake) {
        rows.integer(wake.coroutine);
        rows.integer(wake.n);
        rows.integer(wake.ts);
        putId(rows, wake.by);
        rows.known(wake.pid);
        rows.known(wake.tid);
    });
}

Result<void> writeUsesAndFinishes(SqliteConnection &connection, const Notes &notes)
{
    const auto putUse = [](SqlRows &rows, const Use &use) {
        rows.word(useKindName(use.kind));
        rows.hexText(use.object);
        rows.integer(use.ts);
        putId(rows, use.by);
        rows.integer(use.n);
        rows.known(use.site);
        rows.known(use.pid);
        rows.known(use.tid);
    };
    if (Result<void> written = writeAll(connection, notes.uses, kInsertUses, putUse); !written)
        return written;
    const auto putLeft = [](SqlRows &rows, const WakersLeft &left) {
        rows.integer(left.coroutine);
        rows.integer(left.n);
        rows.integer(left.ts);
        rows.integer(left.count);
    };
    if (Result<void> written = writeAll(connection, notes.wakersLeft, kInsertWakersLeft, putLeft); !written)
        return written;
    return writeAll(connection, notes.finishes, kUpdateFinishes, [](SqlRows &rows, const Finish &finish) {
        rows.integer(finish.coroutine);
        rows.integer(finish.ts);
    });
}

Result<void> writeOfProcesses(SqliteConnection &connection, const Notes &notes)
{
    const auto putProcess = [](SqlRows &rows, const Process &process) {
        rows.integer(process.pid);
        rows.text(process.name);
        rows.known(process.ts);
    };
    if (Result<void> written = writeAll(connection, notes.processes, kInsertProcesses, putProcess); !written)
        return written;
    const auto putThread = [](SqlRows &rows, const ThreadName &thread) {
        rows.integer(thread.pid);
        rows.integer(thread.tid);
        rows.text(thread.name);
    };
    if (Result<void> written = writeAll(connection, notes.threadNames, kInsertThreads, putThread); !written)
        return written;
    const auto putDrop = [](SqlRows &rows, const Drop &drop) {
        rows.integer(drop.pid);
        rows.integer(drop.tid);
        rows.integer(drop.records);
        rows.integer(drop.firstTs);
        rows.integer(drop.lastTs);
    };
    if (Result<void> written = writeAll(connection, notes.drops, kInsertDrops, putDrop); !written)
        return written;
    return writeAll(connection, notes.switches, kInsertSwitches, [](SqlRows &rows, const Switch &change) {
        rows.integer(change.pid);
        rows.integer(change.ts);
        rows.integer(change.on ? 1 : 0);
    });
}

Result<void> writeSamples(SqliteConnection &connection, const Notes &notes)
{
    const auto putThread = [](SqlRows &rows, const ThreadSample &sample) {
        rows.integer(sample.pid);
        rows.integer(sample.tid);
        rows.integer(sample.ts);
        rows.word(threadStateName(sample.state));
        rows.word(threadCallName(sample.call));
        rows.integer(sample.isTimed ? 1 : 0);
        // Descriptor 0 is a descriptor; futexes without an address are several.
        rows.integerOrNull(sample.object, sample.object != 0 || hasDescriptor(sample.call));
        rows.integer(sample.cpuNs);
        rows.known(sample.runDelayNs);
    };
    if (Result<void> written = writeAll(connection, notes.threadSamples, kInsertThreadSamples, putThread); !written)
        return written;
    const auto putDescriptor = [](SqlRows &rows, const DescriptorSample &sample) {
        rows.integer(sample.pid);
        rows.integer(sample.descriptor);
        rows.integer(sample.epoll);
        rows.integer(sample.ts);
        rows.word(descriptorKindName(sample.kind));
        rows.integer(sample.events);
        rows.integerOrNull(sample.pending, sample.pending != DescriptorSample::kUnknown);
        rows.known(sample.deadline);
        rows.known(sample.tcpState);
        rows.integer(sample.readEnds ? 1 : 0);
        rows.integer(sample.canWrite ? 1 : 0);
    };
    if (Result<void> written = writeAll(connection, notes.descriptorSamples, kInsertDescriptorSamples, putDescriptor);
        !written)
        return written;
    return writeAll(connection, notes.processSamples, kInsertProcessSamples,
                    [](SqlRows &rows, const ProcessSample &sample) {
                        rows.integer(sample.pid);
                        rows.integer(sample.ts);
                        rows.known(sample.descriptorsTs);
                        rows.integer(sample.threads);
                        rows.known(sample.stoppedSince);
                        rows.integer(sample.areThreadsKnown ? 1 : 0);
                        rows.integer(sample.areCallsKnown ? 1 : 0);
                        rows.integer(sample.areDescriptorsKnown ? 1 : 0);
                    });
}

}  // namespace

Result<void> writeNotes(SqliteConnection &connection, const Notes &notes)
{
    if (notes.empty())
        return {};
    if (Result<void> written = writeOfCoroutines(connection, notes); !written)
        return written;
    if (Result<void> written = writeUsesAndFinishes(connection, notes); !written)
        return written;
    if (Result<void> written = writeOfProcesses(connection, notes); !written)
        return written;
    if (Result<void> written = writeSamples(connection, notes); !written)
        return written;
    for (const ProcessEnd &end : notes.processEnds) {
        // One at a time: of several processes with the same pid, the oldest ends first.
        const std::string values = std::to_string(end.ts) + kUpdateProcessEnd + std::to_string(end.pid) + ")";
        if (Result<void> written = connection.run("UPDATE processes SET end_ts = " + values); !written)
            return written;
    }
    return {};
}

Result<void> completeProcesses(SqliteConnection &connection)
{
    return connection.run(kCompleteProcesses);
}

}  // namespace ct
