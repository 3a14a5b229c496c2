// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The real program on a small file system for shared memory.
#include "tests/support/qtsuite.h"
#include "tests/support/runner.h"

using runner::Batch;
using runner::integer;
using runner::shell;
using runner::target;
using runner::words;
using runner::wrap;

namespace {

QStringList mounted(const QString &directory, const char *size)
{
    return {QStringLiteral("unshare"),
            QStringLiteral("-rm"),
            QStringLiteral("sh"),
            QStringLiteral("-c"),
            QStringLiteral("mount -t tmpfs -o size=%1 tmpfs %2 && exec \"$@\"").arg(QLatin1String(size), directory),
            QStringLiteral("sh")};
}

bool canMount(const QString &directory)
{
    QProcess trial;
    const QStringList command = mounted(directory, "1m") + QStringList{QStringLiteral("true")};
    trial.start(command.first(), command.mid(1));
    return trial.waitForFinished() && trial.exitStatus() == QProcess::NormalExit && trial.exitCode() == 0;
}

}  // namespace

class TestCaptureLimits : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// A container's /dev/shm. Far more events are captured than fit in it. The lane size suits the space, so no lane
    /// is shortened.
    void capturesMoreEventsThanTheRegionHolds()
    {
        const QTemporaryDir directory;
        if (!canMount(directory.path()))
            CT_QSKIP("no file system can be mounted here");
        Batch batch({QStringLiteral("--shm"), directory.filePath(QStringLiteral("r.shm"))},
                    target("ct_storm", words("--threads 8 --transitions 4000000 --rate 800000")));
        wrap(batch, mounted(directory.path(), "64m"));
        const int status = batch.run();
        QVERIFY2(status == 0, batch.err().constData());
        const QJsonObject summary = batch.summary();
        runner::compareAccounts(summary, batch.truth());
        constexpr qint64 kFits = (64 << 20) / 32;  // records
        QVERIFY2(integer(summary, "events") > kFits, batch.err().constData());
        QVERIFY(integer(summary, "region_bytes") <= 48 << 20);
        QCOMPARE(integer(summary, "lanes_shortened"), 0);
    }

    void reportsTheRemedyForABurstOfBirths_data()
    {
        QTest::addColumn<QByteArray>("size");
        QTest::newRow("where there is room") << QByteArray();
        QTest::newRow("where a container has room") << QByteArray("64m");
    }
    /// Version-1 coroutines are all born while the engine is stopped, so the region cannot grow in time.
    void reportsTheRemedyForABurstOfBirths()
    {
        QFETCH(QByteArray, size);
        const QTemporaryDir directory;
        if (!size.isEmpty() && !canMount(directory.path()))
            CT_QSKIP("no file system can be mounted here");
        const QString line =
            QStringLiteral("kill -STOP $PPID; %1 --coroutines %2 --transitions 0; kill -CONT $PPID")
                .arg(runner::binary("ct_oldsdk"), size.isEmpty() ? QStringLiteral("40000") : QStringLiteral("10000"));
        Batch batch({QStringLiteral("--shm"), directory.filePath(QStringLiteral("r.shm"))}, shell(qPrintable(line)));
        if (!size.isEmpty())
            wrap(batch, mounted(directory.path(), size.constData()));
        const int status = batch.run();
        QVERIFY2(status == 0, batch.err().constData());
        const QJsonObject summary = batch.summary();
        QVERIFY(integer(summary, "births_overtaken") > 0);
        QCOMPARE(integer(summary, "births_overtaken"), integer(summary, "untraced_coroutines"));
        QVERIFY2(batch.err().contains("born faster than the region grew"), batch.err().constData());
        QVERIFY2(batch.err().contains("give their number with -n"), batch.err().constData());
    }

    /// Another program fills the file system before the threads begin. Their lanes continue in the memory they have.
    void lanesContinueWhenTheFileSystemIsFull()
    {
        const QTemporaryDir directory;
        if (!canMount(directory.path()))
            CT_QSKIP("no file system can be mounted here");
        const QString line =
            QStringLiteral("cd %1; dd if=/dev/zero of=filler bs=64k 2>/dev/null; truncate -s -3M filler; exec %2 "
                           "--threads 8 --transitions 2000000 --rate 400000")
                .arg(directory.path(), runner::binary("ct_storm"));
        Batch batch({QStringLiteral("--shm"), directory.filePath(QStringLiteral("r.shm"))}, shell(qPrintable(line)));
        wrap(batch, mounted(directory.path(), "64m"));
        const int status = batch.run();
        QVERIFY2(status == 0, batch.err().constData());
        const QJsonObject summary = batch.summary();
        runner::compareAccounts(summary, batch.truth());
        constexpr qint64 kFits = (3 << 20) / 32;  // records
        QVERIFY2(integer(summary, "events") > 2 * kFits, batch.err().constData());
        QVERIFY(integer(summary, "lanes_shortened") > 0);
        // Messages during the run and at its end.
        QVERIFY2(batch.err().contains("The file system of the region is full"), batch.err().constData());
        QVERIFY2(batch.err().contains("--shm-size"), batch.err().constData());
        QVERIFY2(batch.err().contains("--lane-size 1MiB)\n"), batch.err().constData());
    }
};

CT_QT_SUITE(TestCaptureLimits)
#include "tst_capturelimits.moc"
