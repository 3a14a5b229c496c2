// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Batch runs of targets built with existing SDKs: functions and lines in findings, exports and recordings.
#include "core/recording/read/recordingreader.h"
#include "tests/core/exporting/database.h"
#include "tests/core/symbols/programrun.h"
#include "tests/support/qtsuite.h"
#include "tests/support/runner.h"

using namespace ct;

namespace {

QStringList waiting(const char *name, const char *tenths = "0")
{
    return {QStringLiteral("--"), QString::fromStdString(made::path(name)), QLatin1String(tenths), QStringLiteral("3")};
}

/// Ends the run when its coroutines are found to be stuck.
bool endWhenFound(runner::Batch &batch)
{
    if (!batch.start() || !batch.waitForFinding())
        return false;
    batch.signal(SIGTERM);
    // If the target was a shell, it ends by the signal.
    return batch.wait() && (batch.exitCode() == 0 || batch.exitCode() == 128 + SIGTERM);
}

/// Where each stuck coroutine waits.
QStringList stuckSites(const QJsonObject &summary)
{
    QStringList sites;
    for (const QJsonValue stuck : summary.value(QLatin1String("stuck")).toArray())
        sites << stuck.toObject().value(QLatin1String("site")).toString();
    return sites;
}

/// Where the coroutines wait that are never resumed.
QStringList fetchSites(const QJsonObject &summary)
{
    return stuckSites(summary).filter(QLatin1String("work::fetch_from_the_far_side("));
}

int counted(const exporttest::Database &database, const QString &what)
{
    return database.rows(("SELECT count(*) FROM " + what.toStdString()).c_str()).value(0).toInt();
}

QString fetchLine()
{
    return QStringLiteral("waiting.cpp:%1").arg(made::marked("waiting.cpp", "fetch"));
}

struct Recorded {
    RecordingInfo info;
    std::map<CoroutineId, FrameLocation> learned;
};

Recorded readRecording(const QString &path)
{
    Recorded recorded;
    const auto reader = RecordingReader::open(path.toStdString());
    Batch next;
    for (Result<bool> more = bool(reader); more && *more;) {
        more = (*reader)->next(next);
        FileFacts facts;
        if (!(*reader)->takeFacts(facts))
            continue;
        for (const FrameLocation &frame : facts.frames)
            recorded.learned[frame.coroutine] = frame;
    }
    if (reader)
        recorded.info = (*reader)->info();
    return recorded;
}

}  // namespace

class SymbolsBatchTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void findingsHaveFunctionsAndLines_data()
    {
        QTest::addColumn<QString>("program");
        QTest::newRow("g++") << QStringLiteral("waiting_gxx");
        QTest::newRow("clang") << QStringLiteral("waiting_clang");
    }
    void findingsHaveFunctionsAndLines()
    {
        QFETCH(QString, program);
        if (!made::exists(program.toStdString()))
            CT_QSKIP("its compiler is missing here");
        runner::Batch batch({}, waiting(program.toLatin1().constData()));
        QVERIFY2(endWhenFound(batch), batch.err().constData());
        const QJsonObject summary = batch.summary();
        QCOMPARE(stuckSites(summary).size(), 6);
        QCOMPARE(fetchSites(summary).size(), 3);
        QVERIFY(summary.value(QLatin1String("stuck")).toArray().at(0).toObject().contains(QLatin1String("addr")));
#if defined(__x86_64__)
        QCOMPARE(fetchSites(summary).filter(u'/' + fetchLine() + u' ').size(), 3);
        QVERIFY(batch.err().contains("stuck: 3 coroutines at fetch_from_the_far_side " + fetchLine().toLatin1()));
#endif
    }

    /// The target is the program, not the shell, in the recording too.
    void findsTheTargetBehindAShell()
    {
        runner::Batch batch;
        const QString path = batch.path("run.ctr");
        const QString line = QStringLiteral("true && '%1' 0 3").arg(QString::fromStdString(made::path("waiting_gxx")));
        batch.process().setArguments(batch.process().arguments() +
                                     QStringList{QStringLiteral("-o"), path, QStringLiteral("--cmd"), line});
        QVERIFY2(endWhenFound(batch), batch.err().constData());
        QCOMPARE(fetchSites(batch.summary()).size(), 3);
        const Recorded recorded = readRecording(path);
        QCOMPARE(recorded.learned.size(), std::size_t{6});
        QVERIFY(recorded.info.target.has_value());
        const auto target =
            std::find_if(recorded.info.processes.begin(), recorded.info.processes.end(),
                         [&](const RecordingInfo::Process &one) { return one.pid == recorded.info.target; });
        QVERIFY(target != recorded.info.processes.end());
        QVERIFY(target->executable.ends_with("/waiting_gxx"));
        QVERIFY(!target->modules.empty());
    }

    /// More coroutines than are resolved ahead of the end.
    void resolvingCanBeEnded()
    {
        runner::Batch batch;
        batch.process().setArguments(batch.process().arguments() +
                                     QStringList{QStringLiteral("--"),
                                                 QString::fromStdString(made::path("waiting_gxx")), QStringLiteral("0"),
                                                 QStringLiteral("10000")});
        QVERIFY(batch.start());
        QVERIFY2(batch.waitForFinding(), batch.err().constData());
        batch.signal(SIGTERM);
        QVERIFY2(batch.waitForError("resolving where"), batch.err().constData());
        batch.signal(SIGTERM);
        QVERIFY(batch.wait());
        QCOMPARE(batch.exitCode(), 0);
        const QJsonObject summary = batch.summary();
        QCOMPARE(summary.value(QLatin1String("ended_by")).toString(), QStringLiteral("signal"));
        QVERIFY(!summary.value(QLatin1String("stuck")).toArray().isEmpty());
    }

    void reportsTheSymbolRemedyOnce()
    {
        runner::Batch batch({}, waiting("waiting_stripped"));
        QVERIFY2(endWhenFound(batch), batch.err().constData());
        QCOMPARE(stuckSites(batch.summary()).filter(QRegularExpression(QStringLiteral("^0x"))).size(), 6);
        QCOMPARE(batch.err().count("some addresses have no function"), 1);
        QVERIFY(batch.err().contains("-g"));
    }

    void findsDebugFilesInTheGivenFolder()
    {
        if (!made::exists("waiting_bare"))
            CT_QSKIP("there is no objcopy here");
        const QString apart = QString::fromStdString(made::path("apart"));
        runner::Batch batch({QStringLiteral("--debug-path"), apart}, waiting("waiting_bare"));
        QVERIFY2(endWhenFound(batch), batch.err().constData());
        QCOMPARE(fetchSites(batch.summary()).size(), 3);
    }

    void exportsHaveResolvedAddresses()
    {
        runner::Batch batch({QStringLiteral("-o"), QStringLiteral("run.sqlite")});
        const QString path = batch.path("run.sqlite");
        batch.process().setArguments(QStringList{QStringLiteral("--batch"), QStringLiteral("-o"), path} +
                                     waiting("waiting_gxx"));
        QVERIFY2(endWhenFound(batch), batch.err().constData());
        const exporttest::Database database(path);
        QCOMPARE(counted(database, QStringLiteral("addresses WHERE depth = 0")), 6);
        QCOMPARE(counted(database, QStringLiteral("addresses WHERE function = 'work::taker()'")), 3);
        QCOMPARE(counted(database, QStringLiteral("addresses WHERE function LIKE 'work::fetch_from_the_far_side(%' AND "
                                                  "module LIKE '%/waiting_gxx'")),
                 3);
#if defined(__x86_64__)
        QCOMPARE(
            counted(database,
                    QStringLiteral(
                        "addresses a JOIN coro_trace_events e ON e.coroutine = a.coroutine "
                        "AND e.addr = a.addr AND e.ts = a.line_since WHERE a.file LIKE '%/waiting.cpp' AND a.line = %1")
                        .arg(made::marked("waiting.cpp", "fetch"))),
            3);
#endif
    }

    void csvHasAddressesResolvedSoFar()
    {
        runner::Batch batch;
        const QString path = batch.path("run.csv");
        batch.process().setArguments(QStringList{QStringLiteral("--batch"), QStringLiteral("-o"), path} +
                                     waiting("waiting_gxx", "3000"));
        QVERIFY(batch.start());
        QTRY_VERIFY_WITH_TIMEOUT(runner::readAll(path).contains(",await,,,work::taker(),"), runner::kPatienceMs);
        batch.signal(SIGTERM);
        QVERIFY(batch.wait());
        QCOMPARE(batch.exitCode(), 0);
    }

    void recordingsHaveFrameLocations()
    {
        runner::Batch batch;
        const QString path = batch.path("run.ctr");
        batch.process().setArguments(QStringList{QStringLiteral("--batch"), QStringLiteral("-o"), path} +
                                     waiting("waiting_gxx"));
        QVERIFY2(endWhenFound(batch), batch.err().constData());
        const Recorded recorded = readRecording(path);
        const auto &learned = recorded.learned;
        QCOMPARE(learned.size(), std::size_t{6});
        QCOMPARE(learned.at(0).function, std::string("work::taker()"));
        QVERIFY(learned.at(1).function.starts_with("work::fetch_from_the_far_side("));
        QVERIFY(recorded.info.target.has_value());
    }
};

CT_QT_SUITE(SymbolsBatchTest)
#include "tst_symbolsbatch.moc"
