// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// --batch --input FILE --export KIND: inputs that lack a part of their run.
#include "core/recording/write/recordingwriter.h"
#include "tests/app/batch/batchoutputs.h"
#include "tests/app/batch/conversions.h"
#include "tests/core/exporting/database.h"
#include "tests/support/qtsuite.h"

#include <QScopeGuard>

#include <csignal>
#include <string>
#include <tuple>
#include <utility>

using namespace conversions;
using batchoutputs::rowsIn;

namespace {

/// Adds a recording, run.ctr, and its first half, cut.ctr.
bool addCutRecording(const Folder &folder)
{
    if (!folder.record(QStringLiteral("run.ctr"), "ct_storm", "--seconds 2 --rate 5000 --coroutines 10"))
        return false;
    const QByteArray whole = folder.content("run.ctr");
    return folder.write("cut.ctr", whole.left(whole.size() / 2));
}

}  // namespace

class ConvertPartsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aCutOffRecordingIsConvertedUpToThere()
    {
        Folder folder;
        QVERIFY(addCutRecording(folder));
        const auto whole = rowsIn(folder.path(QStringLiteral("run.ctr")));
        const Outcome outcome =
            folder.run(QStringLiteral("--input cut.ctr --export jsonl --export ctr --output c.ctr"));
        QVERIFY2(outcome.status == 3, outcome.err);
        QVERIFY2(outcome.says("cut.ctr: the recording was interrupted"), outcome.err);
        const qint64 rows = rowsIn(folder.path(QStringLiteral("cut.jsonl")));
        QVERIFY(rows > 0 && rows < whole);
        QCOMPARE(rowsIn(folder.path(QStringLiteral("c.ctr"))), rows);
        QVERIFY(contentOf(folder.path(QStringLiteral("c.ctr"))).error.empty());
    }

    /// Each conversion of a part states that it is a part: the second as well as the first.
    void aRecordingOfAPartStaysAPart()
    {
        Folder folder;
        QVERIFY(addCutRecording(folder));
        const auto saysPart = [&folder](const char *database) {
            return exporttest::Database(folder.path(QLatin1String(database)))
                .rows("SELECT value FROM trace_info WHERE name = 'part_of_a_recording'")
                .contains(QStringLiteral("1"));
        };
        QCOMPARE(folder.run(QStringLiteral("--input cut.ctr --export ctr --output a.ctr --export sqlite")).status, 3);
        QVERIFY(saysPart("cut.sqlite"));
        for (const auto &[input, kind, output] :
             {std::tuple("a.ctr", "sqlite", "a.sqlite"), std::tuple("a.sqlite", "ctr", "b.ctr"),
              std::tuple("b.ctr", "sqlite", "b.sqlite")}) {
            const Outcome outcome =
                folder.run(QStringLiteral("--input %1 --export %2 --output %3")
                               .arg(QLatin1String(input), QLatin1String(kind), QLatin1String(output)));
            QVERIFY2(outcome.status == 3, outcome.err);
            QVERIFY2(outcome.says(qstrcmp(kind, "ctr") == 0 ? "has only a part of its run"
                                                            : "was made from a part of a recording"),
                     outcome.err);
            QVERIFY(qstrcmp(kind, "ctr") == 0 || saysPart(output));
        }
    }

    /// A recording that is cut off between two blocks has no damage, but no end either.
    void aRecordingWithoutItsEndIsAPart()
    {
        Folder folder;
        QVERIFY(folder.record(QStringLiteral("run.ctr"), "ct_causality", ""));
        const QByteArray whole = folder.content("run.ctr");
        QVERIFY(folder.write("cut.ctr", whole.left(whole.lastIndexOf("ctBk"))));
        const Outcome first = folder.run(QStringLiteral("--input cut.ctr --export ctr --output a.ctr --export sqlite"));
        QVERIFY2(first.status == 3 && first.says("cut.ctr has no end"), first.err);
        QCOMPARE(rowsIn(folder.path(QStringLiteral("a.ctr"))), rowsIn(folder.path(QStringLiteral("run.ctr"))));
        for (const char *input : {"a.ctr", "cut.sqlite"})
            QCOMPARE(
                folder.run(QStringLiteral("--input %1 --export csv --output b.csv").arg(QLatin1String(input))).status,
                3);
    }

    void aGrowingRecordingIsConvertedUpToItsPresentEnd()
    {
        Folder folder;
        QProcess recorder;
        const QStringList storm =
            runner::target("ct_storm", runner::words("--seconds 600 --rate 5000 --coroutines 10"));
        // A killed recorder leaves its region, here in the folder of the test, and its target.
        folder.prepare(recorder, QStringLiteral("--shm r.shm -o run.ctr ") + storm.join(QLatin1Char(' ')));
        recorder.start();
        const auto end = qScopeGuard([&recorder] {
            recorder.terminate();  // after a failure: ends the target, too
            recorder.waitForFinished(runner::kPatienceMs);
        });
        const QString run = folder.path(QStringLiteral("run.ctr"));
        QVERIFY(QTest::qWaitFor([&] { return QFileInfo(run).size() > 20'000; }, runner::kPatienceMs));
        const Outcome outcome = folder.run(QStringLiteral("--input run.ctr --export jsonl"));
        QVERIFY2(outcome.status == 3, outcome.err);
        QVERIFY2(outcome.says("is still being written"), outcome.err);
        QVERIFY(rowsIn(folder.path(QStringLiteral("run.jsonl"))) > 0);
        QCOMPARE(recorder.state(), QProcess::Running);
        const pid_t target = runner::childOf(recorder);
        QVERIFY(target > 0);
        recorder.kill();
        QVERIFY(recorder.waitForFinished(runner::kPatienceMs));
        QCOMPARE(::kill(target, SIGKILL), 0);
        QCOMPARE(folder.run(QStringLiteral("--input run.ctr --export jsonl")).status, 3);
    }

    void segmentsAreConvertedTogether()
    {
        Folder folder;
        QVERIFY(
            folder.record(QStringLiteral("run.ctr --limit 1s"), "ct_storm", "--seconds 4 --rate 2000 --coroutines 10"));
        QStringList segments = folder.names();
        QVERIFY(segments.size() > 1);
        const Outcome outcome = folder.run(QStringLiteral("--input %1 --export jsonl --output all.jsonl --export ctr "
                                                          "--output all.ctr --export sqlite --output all.sqlite")
                                               .arg(segments.first()));
        QVERIFY2(outcome.status == 0, outcome.err);
        // The limit has removed the first events.
        const exporttest::Database database(folder.path(QStringLiteral("all.sqlite")));
        const QString dropped = database.rows("SELECT sum(dropped) FROM coroutines").value(0);
        QVERIFY(dropped.toLongLong() > 0);
        QCOMPARE(database.rows("SELECT value FROM trace_info WHERE name = 'dropped_events'"), QStringList(dropped));
        QVERIFY2(outcome.says(qPrintable(QStringLiteral(", dropped %1 (").arg(dropped))), outcome.err);
        const Content before = contentOf(folder.path(segments.first()));
        QVERIFY(contentOf(folder.path(QStringLiteral("all.ctr"))).events == before.events);
        QCOMPARE(rowsIn(folder.path(QStringLiteral("all.jsonl"))), qint64(before.sums.at("captured")));
        const Outcome again = folder.run(QStringLiteral("--input all.ctr --export csv"));
        QVERIFY2(again.status == 0, again.err);
        QVERIFY2(again.says(qPrintable(QStringLiteral(", dropped %1 (").arg(dropped))), again.err);
    }

    void everyConversionReportsEventsThatTheInputLacks()
    {
        Folder folder;
        {
            auto writer = ct::RecordingWriter::open(folder.path(QStringLiteral("run.ctr")).toStdString());
            QVERIFY(bool(writer));
            ct::Accounting sums;
            sums.captured = sums.eventsNotWritten = 7;
            QVERIFY(bool((*writer)->finish(sums)));
        }
        for (const auto &[input, output] : {std::pair("run.ctr", "run.sqlite"), std::pair("run.sqlite", "run.jsonl")}) {
            const Outcome outcome =
                folder.run(QStringLiteral("--input %1 --export %2")
                               .arg(QLatin1String(input), QString::fromLatin1(output).section(u'.', 1)));
            QVERIFY2(outcome.status == 0, outcome.err);
            QVERIFY2(outcome.says((std::string(input) + " lacks 7 of the 7 events of the run").c_str()), outcome.err);
            QVERIFY(folder.has(output));
        }
    }
};

CT_QT_SUITE(ConvertPartsTest)
#include "tst_convertparts.moc"
