// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A trace that evicts records of ended coroutines.
#pragma once

#include "tests/core/exporting/exportsupport.h"

#include <utility>

namespace exporttest {

/// A run of coroutines. Each loses three events, emits one and ends. Memory has room for `mostRecords` records.
struct EvictingTrace {
    explicit EvictingTrace(std::uint32_t mostRecords = 20'480)
        : population(1U << 22, {mostRecords, mostRecords}),
          history(Trace::kUsualBudget, 0, 1U << 22, 0, {mostRecords, mostRecords})
    {
    }
    Population population;
    History history;
    Accounting sums;

    void consume(const Batch &batch)
    {
        QVERIFY(bool(population.consume(batch)));
        QVERIFY(bool(history.consume(batch)));
        sums.captured += batch.transitions.size();
        sums.coroutines += batch.births.size();
    }
    void run(CoroutineId count)
    {
        Batch batch;
        const auto first = static_cast<CoroutineId>(sums.coroutines);
        for (CoroutineId id = first; id < first + count; ++id) {
            batch.births.push_back(birth(id, id, Dialect::Lane));
            batch.losses.push_back({id, 0, 3, false});
            batch.transitions.push_back(transition(id, 3, 5000, false, kUnknownSite, PointKind::Await, Dialect::Lane));
            batch.deaths.push_back({id, 6000});
        }
        batch.now = 7000;
        sums.lost += 3 * std::uint64_t{count};
        consume(batch);
    }
    /// Adds coroutines without events. They only use up records.
    void runIdle(CoroutineId count)
    {
        Batch batch;
        const auto first = static_cast<CoroutineId>(sums.coroutines);
        for (CoroutineId id = first; id < first + count; ++id) {
            batch.births.push_back(birth(id, id, Dialect::Lane));
            batch.deaths.push_back({id, 6000});
        }
        batch.now = 7000;
        consume(batch);
    }
    Result<ExportReport> exportTo(const QString &path, const ExportProgress &progress = {}) const
    {
        return exportTrace(population, history, format("sqlite"), path.toStdString(), progress, sums);
    }
    /// Exports. The run continues as soon as the first rows are written.
    Result<ExportReport> exportWhileRunning(const QString &path)
    {
        bool hasContinued = false;
        return exportTo(path, [&](double done) {
            if (done > 0 && !std::exchange(hasContinued, true))
                run(20'000);
            return true;
        });
    }
};

inline std::uint64_t infoOf(const QString &path, const char *name)
{
    const Database file(path);
    return file
        .rows(qPrintable(QStringLiteral("SELECT value FROM trace_info WHERE name = '%1'").arg(QLatin1String(name))))
        .value(0)
        .toULongLong();
}

}  // namespace exporttest
