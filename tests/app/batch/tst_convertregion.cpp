// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Converts regions that dead processes left.
#include "tests/app/batch/conversions.h"
#include "tests/support/qtsuite.h"

#include <algorithm>
#include <csignal>
#include <sys/resource.h>

using namespace conversions;

namespace {

qint64 rowsIn(const Folder &folder, const char *name)
{
    qint64 rows = 0;
    for (const auto &[coroutine, events] : contentOf(folder.path(QLatin1String(name))).events)
        rows += static_cast<qint64>(events.size());
    return rows;
}

}  // namespace

class ConvertRegionTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<Folder>();
        QProcess target;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("CTP_FLIGHT_RECORDER"), m_folder->path(QStringLiteral("flight.shm")));
        target.setProcessEnvironment(environment);
        target.start(runner::binary("ct_storm"), runner::words("--transitions 4000 --coroutines 10"));
        QVERIFY(target.waitForFinished(runner::kPatienceMs));
        QVERIFY(m_folder->has("flight.shm"));
    }

    void everyOutputHasTheSameEvents()
    {
        const Folder &folder = *m_folder;
        const Outcome outcome =
            folder.run(QStringLiteral("--input flight.shm --export jsonl --export ctr --export csv --output c.csv"));
        QVERIFY2(outcome.status == 0, outcome.err);
        const qint64 rows = rowsIn(folder, "flight.jsonl");
        QVERIFY(rows > 0);
        QCOMPARE(rowsIn(folder, "flight.ctr"), rows);
        QCOMPARE(qint64(folder.content("c.csv").count('\n')), rows + 1);
        QVERIFY2(outcome.says(("c.csv has " + std::to_string(rows) + " events").c_str()), outcome.err);
        // Its content tells what it is, too.
        QVERIFY(QFile::rename(folder.path(QStringLiteral("flight.shm")), folder.path(QStringLiteral("copy.old"))));
        const Outcome copy = folder.run(QStringLiteral("--input copy.old --export csv --output d.csv"));
        QVERIFY2(copy.status == 0, copy.err);
        // Two readings of a region may differ in the order of coroutines that different threads resumed.
        QCOMPARE(sortedLines(folder.content("d.csv")), sortedLines(folder.content("c.csv")));
        QCOMPARE(folder.names(),
                 QStringList({QStringLiteral("c.csv"), QStringLiteral("copy.old"), QStringLiteral("d.csv"),
                              QStringLiteral("flight.ctr"), QStringLiteral("flight.jsonl")}));
    }

    void otherOutputsAreCompletedAfterAFailure()
    {
        const Folder &folder = *m_folder;
        const Outcome outcome = folder.run(
            QStringLiteral("--input flight.shm --export csv --output c.csv --export sqlite --output none/x.sqlite"));
        QVERIFY2(outcome.status == 4 && outcome.says("none/x.sqlite"), outcome.err);
        QCOMPARE(folder.run(QStringLiteral("--input flight.shm --export csv --output d.csv")).status, 0);
        QCOMPARE(sortedLines(folder.content("c.csv")), sortedLines(folder.content("d.csv")));
    }

    void aFullDiskLeavesTheOlderFiles()
    {
        const Folder &folder = *m_folder;
        QVERIFY(folder.write("old.csv", "OLD"));
        QVERIFY(folder.write("old.jsonl", "OLDER"));
        QProcess process;
        folder.prepare(process, QStringLiteral("--input flight.shm --export csv --output old.csv --export jsonl "
                                               "--output old.jsonl --export sqlite --output new.sqlite"));
        process.setChildProcessModifier([] {
            const rlimit limit{100'000, 100'000};
            ::setrlimit(RLIMIT_FSIZE, &limit);
        });
        process.start();
        const Outcome outcome = Folder::outcomeOf(process);
        QVERIFY2(outcome.status == 4, outcome.err);
        QCOMPARE(outcome.err.count("nothing was written"), 3);
        QCOMPARE(folder.content("old.csv"), QByteArray("OLD"));
        QCOMPARE(folder.content("old.jsonl"), QByteArray("OLDER"));
        QCOMPARE(folder.names(),
                 QStringList({QStringLiteral("flight.shm"), QStringLiteral("old.csv"), QStringLiteral("old.jsonl")}));
    }

    /// Also while the region is still read. A late signal may find everything done.
    void aSignalCancels()
    {
        const Folder &folder = *m_folder;
        int cancelled = 0;
        for (int i = 0; i < 20; ++i) {
            QVERIFY(folder.write("x.csv", "OLD"));
            QProcess process;
            folder.prepare(process, QStringLiteral("--input flight.shm --export csv --output x.csv"));
            process.start();
            QByteArray err;
            QVERIFY(QTest::qWaitFor(
                [&] {
                    process.waitForReadyRead(1);
                    err += process.readAllStandardError();
                    return err.contains("No process uses this region any more");
                },
                runner::kPatienceMs));
            runner::signalTo(process, SIGINT);
            const Outcome outcome = Folder::outcomeOf(process);
            QVERIFY2(outcome.status == 0 || outcome.status == 128 + SIGINT, outcome.err);
            QCOMPARE(folder.content("x.csv") == "OLD", outcome.status != 0);
            cancelled += outcome.status != 0 ? 1 : 0;
        }
        QVERIFY(cancelled > 0);
        QCOMPARE(folder.names(), QStringList({QStringLiteral("flight.shm"), QStringLiteral("x.csv")}));
    }

    void standardInputCannotBeARegion()
    {
        const Folder &folder = *m_folder;
        const QStringList before = folder.names();
        const QString words = QStringLiteral("--input - --export csv --output o.csv");
        for (const Outcome &outcome :
             {folder.run(words, folder.content("flight.shm")), folder.run(words, {}, QStringLiteral("flight.shm"))}) {
            QVERIFY2(outcome.status == 3, outcome.err);
            QVERIFY2(outcome.says("standard input is a region, which can only be read from a file"), outcome.err);
        }
        QCOMPARE(folder.names(), before);
    }

    void anExportIsNotItsInput()
    {
        const Folder &folder = *m_folder;
        const QByteArray before = folder.content("flight.shm");
        const Outcome outcome = folder.run(QStringLiteral("--input flight.shm --export csv --output flight.shm"));
        QVERIFY2(outcome.status == 4 || outcome.status == 2, outcome.err);
        QCOMPARE(folder.content("flight.shm"), before);
    }

private:
    std::unique_ptr<Folder> m_folder;
};

CT_QT_SUITE(ConvertRegionTest)
#include "tst_convertregion.moc"
