// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Streams, databases and full disks for the tests of exports.
#pragma once

#include "core/exporting/exporttrace.h"
#include "tests/core/exporting/database.h"
#include "tests/support/events.h"
#include "tests/support/filesizelimit.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

namespace exporttest {

using namespace ct;
using ct::test::FileSizeLimit;

inline constexpr std::uint64_t kHugeId = 18446744073709551615ULL;

inline Birth birth(CoroutineId id, std::uint64_t probeId, Dialect dialect = Dialect::Seqlock)
{
    Birth birth;
    birth.coroutine = id;
    birth.station = id;
    birth.probeId = probeId;
    birth.birthTs = 1000 + id;
    birth.pid = 4242;
    birth.dialect = dialect;
    return birth;
}

inline Transition transition(CoroutineId id, std::uint64_t n, std::uint64_t ts, bool active, SiteId site = kUnknownSite,
                             PointKind kind = PointKind::Await, Dialect dialect = Dialect::Seqlock)
{
    Transition event = test::eventOf(dialect, id, n, ts, active, site);
    event.addr = active ? 0 : 0x401234;
    event.tid = 77;
    event.kind = kind;
    return event;
}

/// Three coroutines: one with a gap, one monotonic and dead, one without transitions.
inline Batch sampleBatch()
{
    Batch batch;
    batch.sites.push_back({1, 88, 5, "a \"b\", c.cpp", "task\nserve(int)"});
    batch.sites.push_back({2, 0, 0, "plain.cpp", "f"});
    batch.births = {birth(0, kHugeId), birth(1, 2, Dialect::Monotonic), birth(2, 3)};
    batch.transitions = {transition(0, 0, 5000, false, 1, PointKind::Initial), transition(0, 1, 5010, true, 1)};
    batch.losses.push_back({0, 2, 3, false});
    batch.transitions.push_back(transition(0, 5, 5050, true));
    batch.transitions.push_back(transition(0, 6, 5060, false, 2, PointKind::Final));
    batch.transitions.push_back(transition(1, 1, 6000, false, kUnknownSite, PointKind::Await, Dialect::Monotonic));
    batch.deaths.push_back({1, 7000});
    batch.now = 8000;
    return batch;
}

inline const QByteArray kSampleCsv =
    "probe_id,tid,addr,seq,is_active,ts,n,coroutine,pid,kind,file,line,function,name,parent\n"
    "18446744073709551615,77,0x0000000000401234,2,false,5000,0,0,4242,initial,"
    "\"a \"\"b\"\", c.cpp\",88,\"task\nserve(int)\",,\n"
    "18446744073709551615,77,0x0000000000000000,2,true,5010,1,0,4242,await,"
    "\"a \"\"b\"\", c.cpp\",88,\"task\nserve(int)\",,\n"
    "18446744073709551615,77,0x0000000000000000,2,true,5050,5,0,4242,await,,,,,\n"
    "18446744073709551615,77,0x0000000000401234,2,false,5060,6,0,4242,final,plain.cpp,,f,,\n"
    "2,77,0x0000000000401234,1,false,6000,1,1,4242,await,,,,,\n";

/// Notes of every kind for the coroutines of sampleBatch().
inline Notes sampleNotes()
{
    Notes notes;
    notes.processes = {{4242, 500, "ser'ver"}, {4243, 600, "client"}};
    notes.threadNames = {{4242, 77, "io\xC3\xA4"}};
    notes.names = {{0, "say \"hi\", 'you'"}, {1, "plain"}};
    notes.parents = {{1, 0}, {0, 2}};
    notes.waits = {{1, 1, WaitKind::Coroutine, 0, 0}, {0, 6, WaitKind::Lock, 0xBEEF, kNoCoroutine}};
    notes.wakes = {{1, 0, 2, 6500, 4242, 78}, {2, kNoCoroutine, 0, 6600, 4243, 9}};
    notes.drops = {{4242, 77, 12, 5100, 5200}};
    notes.switches = {{4243, 6700, false}};
    notes.processEnds = {{4243, 6900}};
    notes.threadSamples = {
        {4242, 77, 5300, ThreadState::Sleeping, ThreadCall::Epoll, true, 0, 41, 3},
        {4242, 78, 5300, ThreadState::Running, ThreadCall::None, false, 0, 42, 0},
        {4242, 77, 5400, ThreadState::Stopped, ThreadCall::Futex, false, 0x7F00, 43, 4},
    };
    notes.descriptorSamples = {
        {4242, 9, 0, 5300, DescriptorKind::Timer, 1, 0, 9999, 0},
        {4242, 10, 0, 5300, DescriptorKind::Socket, 0x8000'0001, DescriptorSample::kUnknown, 0, 8, true},
    };
    notes.processSamples = {{4242, 5400, 5300, 2, 5350, true, true, false}};
    return notes;
}

/// The rows of the tables of samples, for the samples of sampleNotes().
inline const QStringList kSampleThreads{QStringLiteral("4242|77|5300|sleeping|epoll|1|0|41|3"),
                                        QStringLiteral("4242|77|5400|stopped|futex|0|32512|43|4"),
                                        QStringLiteral("4242|78|5300|running|none|0||42|")};
inline const QStringList kSampleDescriptors{QStringLiteral("4242|9|0|5300|timer|1|0|9999||0|0"),
                                            QStringLiteral("4242|10|0|5300|socket|2147483649|||8|1|0")};
inline const QStringList kSampleProcesses{QStringLiteral("4242|5400|5300|2|5350|1|1|0|0")};

inline QByteArray contentOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

inline void putContent(const QString &path, const QByteArray &content)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(content);
}

struct Trace {
    explicit Trace(std::uint64_t budget = kUsualBudget) : history(budget) {}
    /// Has room for the records of `inPopulation` and `inHistory` coroutines.
    Trace(CoroutineId inPopulation, CoroutineId inHistory)
        : population(inPopulation), history(kUsualBudget, 0, inHistory)
    {
    }
    void consume(const Batch &batch)
    {
        QVERIFY(bool(population.consume(batch)));
        QVERIFY(bool(history.consume(batch)));
    }
    /// Exports in the format of the file's extension.
    Result<ExportReport> exportTo(const QString &path, const ExportProgress &progress = {},
                                  const Accounting &sums = {}) const
    {
        const std::string name = path.toStdString();
        return exportTrace(population, history, *exportFormatFor(name), name, progress, sums);
    }

    static constexpr std::uint64_t kUsualBudget = 16U << 20;
    Population population;
    History history;
};

inline const ExportFormat &format(std::string_view extension)
{
    return *exportFormatFor("x." + std::string(extension));
}

inline QString pathFor(const QTemporaryDir &dir, const ExportFormat &format)
{
    return dir.filePath(QStringLiteral("t.") + QString::fromLatin1(format.extension.data()));
}

inline QStringList filesIn(const QTemporaryDir &dir)
{
    return QDir(dir.path()).entryList(QDir::Files | QDir::Hidden);
}

inline Batch manyEvents(CoroutineId coroutines, std::uint64_t first, std::uint64_t count)
{
    Batch batch;
    if (first == 0) {
        batch.sites.push_back({1, 10, 0, "server.cpp", "serve"});
        for (CoroutineId id = 0; id < coroutines; ++id)
            batch.births.push_back(birth(id, 0x7f0000000000ULL + id * 64));
    }
    for (std::uint64_t n = first; n < first + count; ++n) {
        for (CoroutineId id = 0; id < coroutines; ++id)
            batch.transitions.push_back(transition(id, n, 1'000'000 + n * 10'000 + id, n % 2 == 1, n % 2 == 1 ? 0 : 1));
    }
    batch.now = 1'000'000 + (first + count) * 10'000;
    return batch;
}

}  // namespace exporttest
