// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A run that is longer than memory, with its recording, and the same run in a memory that holds all of it.
#pragma once

#include "core/recording/read/rangereader.h"
#include "core/recording/write/recordingwriter.h"
#include "tests/core/exporting/exportsupport.h"

#include <memory>
#include <random>
#include <utility>

namespace exporttest {

inline constexpr CoroutineId kCoroutines = 60;
inline constexpr int kEvents = 300'000;  ///< more than the smallest budget holds
inline constexpr std::uint64_t kRoomy = 256U << 20;

/// A trace that evicts events, with a budget for restored ones.
struct SmallBudgetTrace {
    explicit SmallBudgetTrace(const RecordLimits &limits)
        : population(Population::kMostCoroutines, limits), history(1, 0, History::kMostCoroutines, 64U << 20, limits)
    {
    }
    Population population;
    History history;
    void consume(const Batch &batch)
    {
        QVERIFY(population.consume(batch));
        QVERIFY(history.consume(batch));
    }
};

/// A run with losses, wakes, waits, names and deaths. It goes to a small trace, a large trace and a recording.
struct RecordedRun {
    QTemporaryDir dir;
    SmallBudgetTrace smallBudget;
    Trace whole{kRoomy};
    std::shared_ptr<StreamIndex> streamIndex = std::make_shared<StreamIndex>();
    std::shared_ptr<RecordingWriter> writer;
    std::vector<std::uint64_t> next = std::vector<std::uint64_t>(kCoroutines);
    std::mt19937 random{11};
    static constexpr std::uint64_t kBegun = 1'000'000;
    std::uint64_t now = kBegun;
    bool isRecording = true;

    explicit RecordedRun(const RecordingLimits &limits = {}, const RecordLimits &records = {}) : smallBudget(records)
    {
        const Result<std::shared_ptr<RecordingWriter>> opened =
            RecordingWriter::open(recording().toStdString(), limits);
        if (!opened)
            return;
        writer = *opened;
        writer->setStreamIndex(streamIndex);
        Batch batch;
        batch.sites.push_back({1, 7, 3, "a.cpp", "run()"});
        for (CoroutineId id = 0; id < kCoroutines; ++id) {
            batch.births.push_back({id, id, 1, 4242, Dialect::Lane, 100 + std::uint64_t{id}, now});
            batch.notes.names.push_back({id, "job " + std::to_string(id)});
        }
        consume(batch);
    }
    QString recording() const { return dir.filePath(QStringLiteral("run.ctr")); }
    void consume(const Batch &batch)
    {
        smallBudget.consume(batch);
        whole.consume(batch);
        QVERIFY(!isRecording || writer->consume(batch));
    }
    void run(int events, CoroutineId coroutines = kCoroutines)
    {
        Batch batch;
        for (int i = 0; i < events; ++i) {
            const CoroutineId id = random() % coroutines;
            if (random() % 5000 == 0) {
                batch.losses.push_back({id, next[id], 2, false});
                next[id] += 2;
            }
            now += 1 + random() % 1000;
            Transition event{now, 0, next[id]++, 0, id, 77 + id % 2, 0, PointKind::Await, false};
            event.seq = slotSeq(Dialect::Lane, event.n);
            event.active = event.n % 2 != 0;
            event.addr = event.active ? 0 : 0x401000 + id;
            event.site = event.active ? kUnknownSite : 1;
            batch.transitions.push_back(event);
            if (random() % 20 == 0)
                batch.notes.wakes.push_back({id, (id + 1) % kCoroutines, event.n, now, 4242, 78});
            if (batch.transitions.size() < 5000 && i + 1 < events)
                continue;
            batch.now = now;
            consume(batch);
            batch.clear();
        }
    }
    /// Reports a loss after a coroutine's last event, ends ten coroutines and finishes the recording.
    void end()
    {
        Batch batch;
        batch.now = now += 1000;
        batch.losses.push_back({5, next[5], 4, false});
        for (CoroutineId id = 0; id < 10; ++id)
            batch.deaths.push_back({id, now});
        consume(batch);
        QVERIFY(writer->finish({}));
    }
    /// Ends all coroutines of the first page of records. The coroutines of the second page are born and live on.
    void endFirstPage()
    {
        Batch batch;
        batch.now = now += 1000;
        for (CoroutineId id = kCoroutines; id < 2 * Population::kPageSize; ++id)
            batch.births.push_back({id, id, 1, 4242, Dialect::Lane, 100 + std::uint64_t{id}, now});
        for (CoroutineId id = 0; id < Population::kPageSize; ++id)
            batch.deaths.push_back({id, now});
        consume(batch);
    }
    /// Adds coroutines that are born and end at once. They are not recorded.
    void runShortLived(CoroutineId count)
    {
        Batch batch;
        batch.now = now += 1000;
        const CoroutineId first = smallBudget.population.size();
        for (CoroutineId id = first; id < first + count; ++id) {
            batch.births.push_back({id, id, 1, 4242, Dialect::Lane, 100 + std::uint64_t{id}, now});
            batch.deaths.push_back({id, now});
        }
        smallBudget.consume(batch);
    }
    /// Restores all missing pieces that begin at event `from` of the stream or later.
    void restore(std::uint64_t from)
    {
        RangeReader rangeReader(streamIndex);
        const History::Needed needed = smallBudget.history.neededFor(1, smallBudget.history.evictedBefore());
        QVERIFY(needed.missing.size() > 1);
        Transitions events;
        for (const History::Missing &piece : needed.missing) {
            if (piece.firstEvent < from)
                continue;
            QVERIFY(rangeReader.read(piece.firstEvent, piece.endEvent, events));
            QVERIFY(smallBudget.history.restore(piece, events, needed));
        }
    }
    /// Damages the block with this event of the stream, so it cannot be read.
    void damage(std::uint64_t position) const
    {
        const std::optional<StreamIndex::Block> block = streamIndex->blockAt(position);
        QVERIFY(block);
        QFile file(QString::fromStdString(block->path));
        QVERIFY(file.open(QIODevice::ReadWrite) && file.seek(static_cast<qint64>(block->offset) + 200));
        const QByteArray was = file.peek(1);
        QVERIFY(file.putChar(static_cast<char>(was[0] ^ 1)));
    }
    /// Exports in the format of the file's extension.
    Result<ExportReport> exportSmallBudget(const QString &path, const ExportProgress &progress = {}) const
    {
        const std::string name = path.toStdString();
        return exportTrace(smallBudget.population, smallBudget.history, *exportFormatFor(name), name, progress, {}, {},
                           streamIndex);
    }
    /// Exports while the run continues, until memory has evicted all events that it had.
    Result<ExportReport> exportWhileRunning(const QString &path)
    {
        int left = kEvents;
        bool hasBegun = false;
        return exportSmallBudget(path, [&](double) {
            const int events = std::exchange(hasBegun, true) ? std::min(left, 100'000) : 0;
            left -= events;
            run(events);
            return true;
        });
    }
};

}  // namespace exporttest
