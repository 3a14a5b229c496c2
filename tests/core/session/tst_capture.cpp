// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Complete capture, end to end: lanes, reuse of stations, many processes, and lack of room. Each result is compared
// with the target's own report.
#include "tests/core/exporting/database.h"
#include "tests/core/session/recordings.h"
#include "tests/support/qtsuite.h"

#include <QScopeGuard>

#include <fcntl.h>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

using recordings::readRecording;
using recordings::Recording;
using recordings::recordTo;
using runner::Batch;
using runner::integer;
using runner::target;
using runner::words;

namespace {

/// Returns the rows of a query, with columns joined by '|'.
QStringList rowsOf(const QString &path, const char *sql)
{
    return exporttest::Database(path).rows(sql);
}

}  // namespace

class CaptureTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void captureHasEveryPublishedEvent_data()
    {
        QTest::addColumn<QString>("program");
        QTest::addColumn<QString>("arguments");
        const auto row = [](const char *name, const char *program, const char *arguments) {
            QTest::newRow(name) << QString::fromLatin1(program) << QString::fromLatin1(arguments);
        };
        row("wandering", "ct_storm", "--coroutines 100 --threads 4 --transitions 200000 --rate 1000000");
        row("random", "ct_storm", "--coroutines 1000 --threads 2 --order random --transitions 200000 --rate 1000000");
        row("threads come and go", "ct_kill", "--seconds 1 --visits-per-ms 10");
        row("causality", "ct_causality", "--workers 50");
        row("processes", "ct_processes", "--processes 4 --coroutines 50 --turns 200 --rate 200000");
    }
    void captureHasEveryPublishedEvent()
    {
        QFETCH(QString, program);
        QFETCH(QString, arguments);
        Batch batch({}, target(qPrintable(program), words(qPrintable(arguments))));
        recordTo(batch, "run.jsonl");
        const int status = batch.run();
        QVERIFY2(status == 0, batch.err().constData());
        const QJsonObject summary = batch.summary();
        runner::compareAccounts(summary, batch.truth());
        QCOMPARE(integer(summary, "coroutines"), integer(batch.truth(), "traced_coroutines"));
        QCOMPARE(integer(summary, "lost_events"), 0);
        QCOMPARE(integer(summary, "records_dropped"), 0);
        QCOMPARE(integer(summary, "missed_before_attach"), 0);
        const Recording recording = readRecording(batch.path("run.jsonl"));
        QCOMPARE(recording.lines, integer(summary, "events"));
        QCOMPARE(recording.missing, 0);
        QCOMPARE(recording.inversions, 0);
    }

    /// Lanes are far too small. Dropped records are counted, and gaps of exactly that size show them.
    void dropsAreCounted()
    {
        Batch batch(words("--lane-size 64KiB --lane-pool 128KiB"),
                    target("ct_storm", words("--coroutines 50 --threads 4 --order random --transitions 4000000")));
        recordTo(batch, "run.sqlite");
        const int status = batch.run();
        QVERIFY2(status == 0, batch.err().constData());
        const QJsonObject summary = batch.summary();
        runner::compareAccounts(summary, batch.truth());
        QCOMPARE(integer(summary, "coroutines"), 50);
        QVERIFY(integer(summary, "lost_events") > 0);
        QVERIFY(integer(summary, "records_dropped") > 0);
        QVERIFY(integer(summary, "threads_without_lane") > 0);
        QVERIFY2(batch.err().contains("records dropped"), batch.err().constData());
        const QString file = batch.path("run.sqlite");
        const auto number = [&file](const char *sql) { return rowsOf(file, sql).value(0).toLongLong(); };
        QCOMPARE(number("SELECT count(*) FROM coro_trace_events"), integer(summary, "events"));
        QCOMPARE(number("SELECT sum(events + lost) FROM coroutines"), integer(batch.truth(), "emitted"));
        QCOMPARE(number("SELECT sum(lost) FROM coroutines"), integer(summary, "lost_events"));
        // The gaps between numbers and the losses behind each last event add up to the lost events.
        QCOMPARE(number("SELECT sum(gap) FROM (SELECT n - coalesce(lag(n) OVER (PARTITION BY coroutine ORDER BY id), "
                        "-1) - 1 AS gap FROM coro_trace_events)") +
                     number("SELECT sum(events + lost - (SELECT coalesce(max(n) + 1, 0) FROM coro_trace_events e WHERE "
                            "e.coroutine = c.coroutine)) FROM coroutines c"),
                 integer(summary, "lost_events"));
        QCOMPARE(number("SELECT count(*) FROM (SELECT n - lag(n) OVER (PARTITION BY coroutine ORDER BY id) AS step "
                        "FROM coro_trace_events) WHERE step < 1"),
                 0);
    }

    /// A dump's sums, its table of drops and the summary agree on the dropped records.
    void dropsAreCountedInDumps()
    {
        Batch batch(words("--keep 60s --dump-on death --lane-size 64KiB --lane-pool 128KiB"),
                    target("ct_storm", words("--coroutines 50 --threads 4 --order random --transitions 1000000")));
        recordTo(batch, "run.sqlite");
        const int status = batch.run();
        QVERIFY2(status == 0, batch.err().constData());
        const qint64 dropped = integer(batch.summary(), "records_dropped");
        QVERIFY(dropped > 0);
        const QString file = batch.path("run.1.sqlite");
        QCOMPARE(rowsOf(file, "SELECT value FROM trace_info WHERE name = 'records_dropped'"),
                 QStringList(QString::number(dropped)));
        QCOMPARE(rowsOf(file, "SELECT sum(records) FROM drops"), QStringList(QString::number(dropped)));
        QCOMPARE(rowsOf(file, "SELECT value FROM trace_info WHERE name = 'events'"),
                 rowsOf(file, "SELECT count(*) FROM coro_trace_events"));
    }

    /// Every wake, wait and name is in the output or counted as lost.
    void notesAreEmittedOrCounted()
    {
        Batch batch({}, target("ct_causality", words("--workers 50 --rounds 50")));
        recordTo(batch, "run.sqlite");
        QCOMPARE(batch.run(), 0);
        const qint64 emitted =
            rowsOf(batch.path("run.sqlite"), "SELECT (SELECT count(*) FROM wakes) + (SELECT count(*) "
                                             "FROM waits) + (SELECT count(name) FROM coroutines) + "
                                             "(SELECT count(*) FROM uses) + (SELECT count(*) FROM wakers_left) + "
                                             "(SELECT count(finish_ts) FROM coroutines)")
                .value(0)
                .toLongLong();
        const QJsonObject truth = batch.truth();
        QCOMPARE(emitted + integer(batch.summary(), "notes_lost"),
                 integer(truth, "wakes") + integer(truth, "waits") + integer(truth, "names") + integer(truth, "uses") +
                     integer(truth, "wakers_left") + integer(truth, "finishes"));
    }

    /// Events for a slow output wait in memory, not in the lanes. The lanes have room for half of the events only.
    void aSlowOutputLosesNothing_data()
    {
        QTest::addColumn<QString>("name");
        QTest::newRow("jsonl") << QStringLiteral("pipe.jsonl");
        QTest::newRow("csv") << QStringLiteral("pipe.csv");
    }
    void aSlowOutputLosesNothing()
    {
        QFETCH(QString, name);
        Batch batch(words("--lane-size 8MiB"),
                    target("ct_storm", words("--coroutines 100 --threads 1 --transitions 500000 --rate 300000")));
        recordTo(batch, qPrintable(name));
        const QString path = batch.path(qPrintable(name));
        QCOMPARE(mkfifo(qPrintable(path), 0600), 0);
        // Opened here, so the program can open it too. Nothing is read until the target has ended.
        const int pipe = open(qPrintable(path), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        QVERIFY(pipe >= 0);
        const auto closed = qScopeGuard([pipe] { close(pipe); });
        QVERIFY(batch.start());
        QVERIFY(QTest::qWaitFor([&batch] { return !batch.truth().isEmpty(); }, runner::kPatienceMs));
        QProcess reader;
        reader.setStandardOutputFile(batch.path("read"));
        reader.start(QStringLiteral("cat"), {path});
        QVERIFY(batch.wait());
        QVERIFY2(batch.exitCode() == 0, batch.err().constData());
        QVERIFY(reader.waitForFinished(runner::kPatienceMs));
        runner::compareAccounts(batch.summary(), batch.truth());
        QCOMPARE(integer(batch.truth(), "emitted"), 500'000);
        QCOMPARE(integer(batch.summary(), "records_dropped"), 0);
        QCOMPARE(integer(batch.summary(), "lost_events"), 0);
        const QByteArray read = runner::readAll(batch.path("read"));
        QCOMPARE(read.count('\n') - read.count("{\"note\":"), 500'000 + name.endsWith(QLatin1String("csv")));
    }

    void stationsAreUsedAgain()
    {
        Batch batch(words("--lane-size 16MiB"),
                    target("ct_shortlived", words("--count 200000 --alive 1000 --threads 1 --rate 200000")));
        QCOMPARE(batch.run(), 0);
        const QJsonObject summary = batch.summary();
        runner::compareAccounts(summary, batch.truth());
        QCOMPARE(integer(summary, "coroutines"), 200'000);
        QCOMPARE(integer(summary, "untraced_coroutines"), 0);
        QVERIFY2(integer(summary, "slots_allocated") < 20'000, batch.err().constData());
        QVERIFY(integer(summary, "slots_allocated") > 0);
        QCOMPARE(integer(summary, "slots_max"), 2'097'150);
        QCOMPARE(integer(summary, "stations_allocated"), 0);
        QCOMPARE(integer(summary, "stations_max"), 2'097'150);
        QVERIFY(integer(summary, "region_bytes") <= 64 << 20);
    }

    void fullStationsAreReusedWithoutLanes()
    {
        Batch batch(words("--no-lanes"), target("ct_shortlived", words("--count 100000 --alive 100 --threads 2")));
        QCOMPARE(batch.run(), 0);
        runner::compareAccounts(batch.summary(), batch.truth());
        // A station is free again once it is drained. A faster target has untraced coroutines, which are counted.
        const qint64 coroutines = integer(batch.summary(), "coroutines");
        QCOMPARE(coroutines + integer(batch.summary(), "untraced_coroutines"), 100'000);
        QVERIFY(integer(batch.summary(), "stations_allocated") - integer(batch.summary(), "untraced_coroutines") <
                coroutines);
        QCOMPARE(integer(batch.summary(), "lanes"), 0);
    }

    /// A file system that fills up is reported and its effects are counted. The target does not notice.
    void reportsAFullFileSystem()
    {
        QTemporaryDir directory;
        const QString script =
            QStringLiteral("mount -t tmpfs -o size=20m tmpfs %1 && exec \"$@\"").arg(directory.path());
        QProcess trial;
        trial.start(QStringLiteral("unshare"), {QStringLiteral("-rm"), QStringLiteral("sh"), QStringLiteral("-c"),
                                                script, QStringLiteral("sh"), QStringLiteral("true")});
        if (!trial.waitForFinished() || trial.exitStatus() != QProcess::NormalExit || trial.exitCode() != 0)
            CT_QSKIP("no file system can be mounted here");
        Batch batch;
        const QStringList command = QStringList{batch.process().program()} + batch.process().arguments() +
                                    QStringList{QStringLiteral("--shm"), directory.filePath(QStringLiteral("r.shm"))} +
                                    target("ct_many", words("--coroutines 400000 --seconds 1"));
        batch.process().setProgram(QStringLiteral("unshare"));
        batch.process().setArguments(QStringList{QStringLiteral("-rm"), QStringLiteral("sh"), QStringLiteral("-c"),
                                                 script, QStringLiteral("sh")} +
                                     command);
        const int status = batch.run();
        QVERIFY2(status == 0, batch.err().constData());
        const QJsonObject summary = batch.summary();
        runner::compareAccounts(summary, batch.truth());
        QVERIFY(integer(summary, "untraced_coroutines") > 0);
        QCOMPARE(integer(summary, "coroutines") + integer(summary, "untraced_coroutines"), 400'000);
        QVERIFY2(batch.err().contains("20 MiB are free for shared memory"), batch.err().constData());
        QVERIFY(summary.value(QLatin1String("growth_stopped")).toBool());
        QVERIFY2(batch.err().contains("The file system of the region is full"), batch.err().constData());
    }

    void namesParentsWaitsAndWakesAreExported()
    {
        Batch batch({}, target("ct_causality", words("--workers 5 --rounds 3")));
        recordTo(batch, "run.sqlite");
        QCOMPARE(batch.run(), 0);
        const QString file = batch.path("run.sqlite");
        const QJsonObject truth = batch.truth();
        QCOMPARE(rowsOf(file, "SELECT count(*) FROM coroutines WHERE name IS NOT NULL"),
                 QStringList(QString::number(integer(truth, "names"))));
        QCOMPARE(rowsOf(file, "SELECT c.name FROM coroutines c JOIN coroutines p ON c.parent = p.coroutine "
                              "WHERE p.name = 'boss' ORDER BY c.name"),
                 QStringList({QStringLiteral("worker 0"), QStringLiteral("worker 1"), QStringLiteral("worker 2"),
                              QStringLiteral("worker 3"), QStringLiteral("worker 4")}));
        QCOMPARE(rowsOf(file, "SELECT count(*) FROM wakes"), QStringList(QString::number(integer(truth, "wakes"))));
        QCOMPARE(rowsOf(file, "SELECT count(*) FROM waits"), QStringList(QString::number(integer(truth, "waits"))));
        QCOMPARE(rowsOf(file, "SELECT count(DISTINCT kind) FROM waits"), QStringList(QStringLiteral("6")));
        QCOMPARE(rowsOf(file, "SELECT DISTINCT kind, mode, position FROM waits WHERE mode <> 'one' ORDER BY position"),
                 QStringList({QStringLiteral("other|all|0"), QStringLiteral("channel|all|1")}));
        // 5 workers have the lock once in each of 3 rounds; the boss signals in half of 18 turns.
        QCOMPARE(rowsOf(file, "SELECT u.kind, count(*), count(DISTINCT c.name), count(DISTINCT s.line) FROM uses u "
                              "JOIN coroutines c ON c.coroutine = u.by_coroutine JOIN sites s USING (site_id) "
                              "GROUP BY u.kind ORDER BY u.kind"),
                 QStringList({QStringLiteral("acquired|15|5|1"), QStringLiteral("released|15|5|1"),
                              QStringLiteral("signalled|9|1|1")}));
        QCOMPARE(rowsOf(file, "SELECT count(*) FROM uses WHERE by_coroutine IS NULL"),
                 QStringList(QStringLiteral("0")));
        QCOMPARE(rowsOf(file, "SELECT count(*), min(wakers), max(wakers) FROM wakers_left"),
                 QStringList(QStringLiteral("5|0|0")));
        QCOMPARE(rowsOf(file, "SELECT count(*) FROM coroutines WHERE finish_ts > birth_ts AND finish_ts <= death_ts"),
                 QStringList(QString::number(integer(truth, "finishes"))));
        QCOMPARE(rowsOf(file, "SELECT DISTINCT b.name FROM wakes w JOIN coroutines b ON b.coroutine = w.by_coroutine"),
                 QStringList(QStringLiteral("boss")));
        QCOMPARE(rowsOf(file, "SELECT DISTINCT t.name FROM wakes w JOIN threads t ON t.tid = w.tid "
                              "WHERE w.by_coroutine IS NULL"),
                 QStringList(QStringLiteral("helper")));
        QCOMPARE(rowsOf(file, "SELECT name FROM processes"), QStringList(QStringLiteral("ct_causality")));
        QCOMPARE(rowsOf(file, "SELECT count(*) FROM coroutines WHERE death_ts IS NOT NULL"),
                 QStringList(QStringLiteral("6")));
    }

    void distinguishesProcesses()
    {
        Batch batch({}, target("ct_processes", words("--processes 3 --coroutines 20 --turns 20")));
        recordTo(batch, "run.jsonl");
        QCOMPARE(batch.run(), 0);
        runner::compareAccounts(batch.summary(), batch.truth());
        QCOMPARE(integer(batch.summary(), "coroutines"), 60);
        QCOMPARE(integer(batch.summary(), "processes"), 3);  // although no process lives any more
        std::set<qint64> pids;
        for (const QByteArray &line : runner::readAll(batch.path("run.jsonl")).split('\n')) {
            if (line.startsWith("{\"note\":"))
                continue;
            const qint64 pid = integer(QJsonDocument::fromJson(line).object(), "pid");  // in a coroutine's first line
            if (pid != -1)
                pids.insert(pid);
        }
        QCOMPARE(pids.size(), 3U);
        QVERIFY(!pids.count(0));
    }
};

CT_QT_SUITE(CaptureTest)
#include "tst_capture.moc"
