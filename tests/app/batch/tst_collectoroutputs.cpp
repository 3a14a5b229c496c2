// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The files of the existing collector's options: -out appends, and -csv-out and -sqlite-out create missing folders.
#include "core/region/region.h"
#include "tests/app/batch/batchoutputs.h"
#include "tests/app/batch/conversions.h"
#include "tests/support/qtsuite.h"

#include <sys/resource.h>

using namespace batchoutputs;
using conversions::contentOf;
using runner::Batch;
using runner::integer;

namespace {

constexpr qint64 kEvents = 1000;

/// A run whose folder has the region, the socket and the outputs.
QStringList collecting(const Batch &batch, const QStringList &options)
{
    return QStringList{QStringLiteral("--summary"), batch.path("summary.json"), QStringLiteral("-shm"),
                       batch.path("run.shm"),       QStringLiteral("-sock"),    batch.path("run.sock")} +
           options;
}

QStringList storm()
{
    return {QStringLiteral("-cmd"),
            runner::binary("ct_storm") + QStringLiteral(" --transitions %1 --coroutines 10").arg(kEvents)};
}

/// Runs the program in the folder of `batch`. Returns its exit status.
int collect(Batch &batch, const QStringList &options, const QStringList &target = storm())
{
    batch.process().setWorkingDirectory(batch.path(""));
    setArguments(batch, collecting(batch, options + target));
    return batch.run();
}

qint64 eventsIn(const QString &path)
{
    auto content = contentOf(path);
    return content.error.empty() ? static_cast<qint64>(content.sums["captured"]) : -1;
}

/// A recording with one run.
QByteArray olderRun(const QString &name)
{
    Batch batch;
    return collect(batch, {QStringLiteral("-out"), name}) == 0 ? runner::readAll(batch.path(name.toLatin1()))
                                                               : QByteArray();
}

void addNames()
{
    QTest::addColumn<QString>("name");
    for (const char *name : {"run.jsonl", "run.jsonl.gz", "run.jsonl.zst"})
        QTest::newRow(name) << QString::fromLatin1(name);
}

}  // namespace

class CollectorOutputsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aSecondRunIsAppended_data()
    {
        addNames();
        QTest::newRow("default") << "";
    }
    void aSecondRunIsAppended()
    {
        QFETCH(const QString, name);
        Batch batch;
        const QString path = batch.path(name.isEmpty() ? "trace_output.jsonl" : name.toLatin1().constData());
        QStringList options{QStringLiteral("-export"), QStringLiteral("csv"), QStringLiteral("-csv-out"),
                            batch.path("run.csv")};
        if (!name.isEmpty())
            options += {QStringLiteral("-out"), name};
        QVERIFY2(collect(batch, options) == 0, batch.err().constData());
        const QByteArray first = runner::readAll(path);
        QCOMPARE(eventsIn(path), kEvents);
        QVERIFY2(collect(batch, options) == 0, batch.err().constData());
        QVERIFY(runner::readAll(path).startsWith(first));
        QCOMPARE(eventsIn(path), 2 * kEvents);
        QCOMPARE(contentOf(path).sums["lost"], 0U);
        QCOMPARE(integer(batch.summary(), "events"), kEvents);
        QCOMPARE(integer(batch.summary(), "events_not_written"), 0);
        QCOMPARE(rowsIn(batch.path("run.csv")), kEvents);
    }

    /// The existing collector leaves its region, and replaces it in the next run.
    void aRegionThatNoProcessUsesIsReplaced()
    {
        Batch batch;
        const std::string region = batch.path("run.shm").toStdString();
        QVERIFY(bool(ct::Region::create({region, 4})));
        QVERIFY(QFile::exists(batch.path("run.shm")));
        QVERIFY2(collect(batch, {}) == 0, batch.err().constData());
        QVERIFY2(batch.err().contains("run.shm was left by an earlier run; it was deleted"), batch.err().constData());
        QCOMPARE(eventsIn(batch.path("trace_output.jsonl")), kEvents);
    }

    void otherFilesAreNotReplaced()
    {
        Batch batch;
        {
            const auto used = ct::Region::create({batch.path("run.shm").toStdString(), 4});
            QVERIFY(bool(used));
            QVERIFY(collect(batch, {}) != 0);
            QVERIFY2(batch.err().contains("run.shm is in use by process"), batch.err().constData());
        }
        QVERIFY(QFile::remove(batch.path("run.shm")));
        write(batch.path("run.shm"), "precious");
        QVERIFY(collect(batch, {}) != 0);
        QCOMPARE(runner::readAll(batch.path("run.shm")), QByteArray("precious"));
    }

    void otherOptionsReplace_data()
    {
        QTest::addColumn<QStringList>("options");
        QTest::newRow("-o") << QStringList{QStringLiteral("-o"), QStringLiteral("run.jsonl")};
        QTest::newRow("--output") << QStringList{QStringLiteral("--export"), QStringLiteral("jsonl"),
                                                 QStringLiteral("--output"), QStringLiteral("run.jsonl")};
        QTest::newRow("-o next to -out") << QStringList{QStringLiteral("-o"), QStringLiteral("run.jsonl"),
                                                        QStringLiteral("-out"), QStringLiteral("other.jsonl")};
    }
    void otherOptionsReplace()
    {
        QFETCH(const QStringList, options);
        Batch batch;
        const QStringList target = runner::target("ct_storm", runner::words("--transitions 1000 --coroutines 10"));
        for (int run = 0; run < 2; ++run) {
            QVERIFY2(collect(batch, options, target) == 0, batch.err().constData());
            QCOMPARE(eventsIn(batch.path("run.jsonl")), kEvents);
        }
    }

    void aTargetThatCannotStartChangesNothing_data() { addNames(); }
    void aTargetThatCannotStartChangesNothing()
    {
        QFETCH(const QString, name);
        Batch batch;
        const QString path = batch.path(name.toLatin1().constData());
        const QStringList options{QStringLiteral("-out"), name};
        const QStringList target{QStringLiteral("--"), batch.path("missing")};
        QVERIFY(collect(batch, options, target) != 0);
        QVERIFY(!QFile::exists(path));
        const QByteArray older = olderRun(name);
        QVERIFY(!older.isEmpty());
        write(path, older);
        QVERIFY(collect(batch, options, target) != 0);
        QCOMPARE(runner::readAll(path), older);
    }

    void aRunWithoutEventsChangesNothing_data() { addNames(); }
    void aRunWithoutEventsChangesNothing()
    {
        QFETCH(const QString, name);
        Batch batch;
        QByteArray older = olderRun(name);
        QVERIFY(!older.isEmpty());
        if (name == QLatin1String("run.jsonl"))
            older.chop(1);  // no line feed is added either
        write(batch.path(name.toLatin1()), older);
        const QStringList target{QStringLiteral("-cmd"), QStringLiteral("true")};
        QVERIFY2(collect(batch, {QStringLiteral("-out"), name}, target) == 0, batch.err().constData());
        QCOMPARE(runner::readAll(batch.path(name.toLatin1())), older);
    }

    void anOpenLastLineIsEnded()
    {
        Batch batch;
        QByteArray older = olderRun(QStringLiteral("run.jsonl"));
        older.chop(1);
        write(batch.path("run.jsonl"), older);
        QVERIFY2(collect(batch, {QStringLiteral("-out"), QStringLiteral("run.jsonl")}) == 0, batch.err().constData());
        QVERIFY(runner::readAll(batch.path("run.jsonl")).startsWith(older + "\n{"));
        QCOMPARE(eventsIn(batch.path("run.jsonl")), 2 * kEvents);
        QCOMPARE(integer(batch.summary(), "events_not_written"), 0);
    }

    /// The appended run could not be read back.
    void filesThatAreNoRecordingsStay_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QByteArray>("said");
        const QByteArray packed = olderRun(QStringLiteral("run.jsonl.gz"));
        QVERIFY(packed.size() > 100);
        QTest::newRow("notes") << "run.jsonl" << QByteArray("precious\n") << QByteArray("is not a JSONL recording");
        QTest::newRow("binary") << "run.ctr" << QByteArray(3 << 20, '\0') << QByteArray("is not a JSONL recording");
        QTest::newRow("compressed") << "run.jsonl" << packed << QByteArray("has an older file that is compressed");
        QTest::newRow("plain") << "run.jsonl.gz" << QByteArray("{}\n") << QByteArray("that is not compressed");
        QTest::newRow("cut off line") << "run.jsonl" << olderRun(QStringLiteral("run.jsonl")).chopped(20)
                                      << QByteArray("run.jsonl: the last line is cut off");
        QTest::newRow("cut off") << "run.jsonl.gz" << packed.chopped(20) << QByteArray("are cut off");
    }
    void filesThatAreNoRecordingsStay()
    {
        QFETCH(const QString, name);
        QFETCH(const QByteArray, content);
        QFETCH(const QByteArray, said);
        Batch batch;
        const QString path = batch.path(name.toLatin1().constData());
        write(path, content);
        QCOMPARE(collect(batch, {QStringLiteral("-out"), path}), 4);
        QVERIFY2(batch.err().contains(said), batch.err().constData());
        QVERIFY2(batch.err().contains("no run can be appended to it; choose another file"), batch.err().constData());
        QCOMPARE(runner::readAll(path), content);
    }

    void aFailedWriteKeepsTheOlderRun_data() { addNames(); }
    void aFailedWriteKeepsTheOlderRun()
    {
        QFETCH(const QString, name);
        Batch batch;
        const QString path = batch.path(name.toLatin1().constData());
        const QByteArray older = olderRun(name);
        QVERIFY(!older.isEmpty());
        write(path, older);
        WaitingTarget target(batch);
        setArguments(batch, collecting(batch, QStringList{QStringLiteral("-out"), path} + target.arguments("1")));
        QVERIFY(batch.start());
        QVERIFY(target.isWaiting());
        const rlim_t limit = static_cast<rlim_t>(older.size()) + (rlim_t{64} << 10);
        const rlimit size{limit, limit};
        QVERIFY(::prlimit(static_cast<pid_t>(batch.process().processId()), RLIMIT_FSIZE, &size, nullptr) == 0);
        target.proceed();
        QVERIFY(batch.wait());
        QVERIFY2(batch.exitCode() == 4, batch.err().constData());
        QVERIFY(runner::readAll(path).startsWith(older));
        const qint64 missing = integer(batch.summary(), "events_not_written");
        QVERIFY(missing > 0);
        QCOMPARE(eventsIn(path) + missing, kEvents + integer(batch.summary(), "events"));
    }

    void aRemovedFileIsAnError()
    {
        Batch batch;
        const QString path = batch.path("run.jsonl");
        write(path, olderRun(QStringLiteral("run.jsonl")));
        WaitingTarget target(batch);
        setArguments(batch, collecting(batch, QStringList{QStringLiteral("-out"), path} + target.fewEvents()));
        QVERIFY(batch.start());
        QVERIFY(target.isWaiting());
        QVERIFY(QFile::remove(path));
        target.proceed();
        QVERIFY(batch.wait());
        QVERIFY2(batch.exitCode() == 4, batch.err().constData());
        QCOMPARE(integer(batch.summary(), "events_not_written"), kEvents);
    }

    void missingFoldersAreCreated_data()
    {
        QTest::addColumn<QString>("kind");
        QTest::newRow("csv") << "csv";
        QTest::newRow("sqlite") << "sqlite";
    }
    void missingFoldersAreCreated()
    {
        QFETCH(const QString, kind);
        Batch batch;
        const auto options = [&kind](const char *folder) {
            return QStringList{QStringLiteral("-export"), kind, QStringLiteral("-%1-out").arg(kind),
                               QStringLiteral("%1/b/run.%2").arg(QLatin1String(folder), kind)};
        };
        QVERIFY2(collect(batch, options("a")) == 0, batch.err().constData());
        QCOMPARE(rowsIn(batch.path("a/b/run.") + kind), kEvents);
        setArguments(batch, options("c") + QStringList{QStringLiteral("-in"), QStringLiteral("trace_output.jsonl")});
        QVERIFY2(batch.run() == 0, batch.err().constData());
        QCOMPARE(rowsIn(batch.path("c/b/run.") + kind), kEvents);
        const mode_t mask = ::umask(0);
        ::umask(mask);
        struct stat info {};
        for (const char *folder : {"a", "a/b", "c/b"}) {
            QVERIFY(::stat(qPrintable(batch.path(folder)), &info) == 0);
            QCOMPARE(info.st_mode & 0777, 0777 & ~mask);
        }
    }

    void foldersThatCannotBeCreatedAreErrors()
    {
        Batch batch;
        write(batch.path("file"), "precious\n");
        QCOMPARE(collect(batch, {QStringLiteral("-export"), QStringLiteral("csv"), QStringLiteral("-csv-out"),
                                 QStringLiteral("file/run.csv")}),
                 4);
        QVERIFY2(batch.err().contains("the folder file cannot be created: "), batch.err().constData());
        QCOMPARE(collect(batch, {QStringLiteral("-export"), QStringLiteral("csv"), QStringLiteral("-o"),
                                 QStringLiteral("a/run.csv")}),
                 4);
        QVERIFY(!QFile::exists(batch.path("a")));
        QCOMPARE(
            collect(batch, QStringList{QStringLiteral("-export"), QStringLiteral("csv"), QStringLiteral("-csv-out"),
                                       QStringLiteral("b/run"), QStringLiteral("-export"), QStringLiteral("sqlite"),
                                       QStringLiteral("-sqlite-out"), QStringLiteral("b/run")}),
            4);
        QVERIFY2(batch.err().contains("are the same file"), batch.err().constData());
    }
};

CT_QT_SUITE(CollectorOutputsTest)
#include "tst_collectoroutputs.moc"
