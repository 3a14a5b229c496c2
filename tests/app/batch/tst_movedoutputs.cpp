// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Output files that another program removes or moves during a batch run.
#include "tests/app/batch/batchoutputs.h"
#include "tests/support/qtsuite.h"

#include <sys/mman.h>
#include <sys/resource.h>

using namespace batchoutputs;
using runner::Batch;
using runner::integer;

namespace {

QStringList withOutput(const Batch &batch, const QString &path)
{
    return {QStringLiteral("--summary"), batch.path("summary.json"), QStringLiteral("-o"), path};
}

void addNames()
{
    QTest::addColumn<QString>("name");
    for (const char *name : {"run.ctr", "run.jsonl", "run.csv"})
        QTest::newRow(name) << QString::fromLatin1(name);
}

/// Waits until the file is not empty.
bool hasBegun(const QString &path)
{
    return QTest::qWaitFor([&] { return QFileInfo(path).size() > 0; }, runner::kPatienceMs);
}

/// Moves the output of a run that has begun, and lets the run end.
void checkMoved(Batch &batch, WaitingTarget &target, const QString &path, const QString &moved)
{
    QVERIFY(QFile::rename(path, moved));
    target.proceed();
    QVERIFY(batch.wait());
    QVERIFY2(batch.exitCode() == 0, batch.err().constData());
    QVERIFY2(batch.err().contains(path.toUtf8() + " was moved by another program"), batch.err().constData());
    const QJsonObject summary = batch.summary();
    QVERIFY(summary.value(QLatin1String("output_error")).toString().isEmpty());
    QCOMPARE(integer(summary, "events_not_written"), 0);
    QVERIFY(integer(summary, "events") > 0);
    QCOMPARE(rowsIn(moved), integer(summary, "events"));
}

}  // namespace

class MovedOutputsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aRemovedOutputIsAnError_data()
    {
        addNames();
        QTest::newRow("run.sqlite") << "run.sqlite";
    }
    void aRemovedOutputIsAnError()
    {
        QFETCH(QString, name);
        Batch batch;
        const QString path = batch.path(name.toLatin1().constData());
        WaitingTarget target(batch);
        setArguments(batch, withOutput(batch, path) + target.fewEvents());
        QVERIFY(batch.start());
        QVERIFY(target.isWaiting());
        QVERIFY(QFile::remove(path));
        target.proceed();
        QVERIFY(batch.wait());
        QVERIFY2(batch.exitCode() == 4, batch.err().constData());
        const QJsonObject summary = batch.summary();
        const QString error = summary.value(QLatin1String("output_error")).toString();
        QVERIFY2(error.startsWith(path + QLatin1String(" was removed by another program")), qPrintable(error));
        QVERIFY2(batch.err().contains(error.toUtf8()), batch.err().constData());
        QVERIFY(integer(summary, "events") > 0);
        QCOMPARE(integer(summary, "events_not_written"), integer(summary, "events"));
        QVERIFY(!QFile::exists(path));
    }

    /// No event is lost, but the requested file is missing.
    void aRemovedOutputWithoutEventsIsAnError()
    {
        Batch batch;
        const QString path = batch.path("run.ctr");
        WaitingTarget target(batch);
        setArguments(batch, withOutput(batch, path) + target.untraced());
        QVERIFY(batch.start());
        QVERIFY(target.isWaiting());
        QVERIFY(QFile::remove(path));
        target.proceed();
        QVERIFY(batch.wait());
        QVERIFY2(batch.exitCode() == 4, batch.err().constData());
        QCOMPARE(integer(batch.summary(), "events_not_written"), 0);
    }

    void anOutputThatWasReplacedIsAnError_data()
    {
        QTest::addColumn<QString>("name");
        for (const char *name : {"run.jsonl", "run.sqlite"})
            QTest::newRow(name) << QString::fromLatin1(name);
    }
    void anOutputThatWasReplacedIsAnError()
    {
        QFETCH(QString, name);
        Batch batch;
        const QString path = batch.path(name.toLatin1().constData());
        const QString journal = path + QLatin1String("-journal");
        WaitingTarget target(batch);
        setArguments(batch, withOutput(batch, path) + target.fewEvents());
        QVERIFY(batch.start());
        QVERIFY(target.isWaiting());
        write(batch.path("another"), "precious\n");
        write(journal, "a transaction of another program\n");
        QVERIFY(QFile::remove(path) && QFile::rename(batch.path("another"), path));
        target.proceed();
        QVERIFY(batch.wait());
        QVERIFY2(batch.exitCode() == 4, batch.err().constData());
        QCOMPARE(runner::readAll(path), QByteArray("precious\n"));
        QCOMPARE(runner::readAll(journal), QByteArray("a transaction of another program\n"));
        QCOMPARE(integer(batch.summary(), "events_not_written"), integer(batch.summary(), "events"));
    }

    /// SQLite opens a database by its name, at the first event.
    void aDatabaseThatWasMovedBeforeTheFirstEventIsAnError()
    {
        Batch batch;
        const QString path = batch.path("run.sqlite");
        const QString moved = batch.path("moved.sqlite");
        WaitingTarget target(batch);
        setArguments(batch, withOutput(batch, path) + target.fewEvents());
        QVERIFY(batch.start());
        QVERIFY(target.isWaiting());
        QVERIFY(QFile::rename(path, moved));
        target.proceed();
        QVERIFY(batch.wait());
        QVERIFY2(batch.exitCode() == 4, batch.err().constData());
        const QJsonObject summary = batch.summary();
        const QString error = summary.value(QLatin1String("output_error")).toString();
        QVERIFY2(error.startsWith(path + QLatin1String(" was moved by another program")), qPrintable(error));
        QVERIFY2(!batch.err().contains("its events are in the moved file"), batch.err().constData());
        QVERIFY(integer(summary, "events") > 0);
        QCOMPARE(integer(summary, "events_not_written"), integer(summary, "events"));
        QVERIFY(!QFile::exists(path));
    }

    /// SQLite does not notice the removal, because it has the file open.
    void eventsOfARemovedDatabaseAreNotWritten()
    {
        Batch batch;
        const QString path = batch.path("run.sqlite");
        WaitingTarget target(batch);
        setArguments(batch, withOutput(batch, path) + target.fewEventsFirst());
        QVERIFY(batch.start());
        QVERIFY(target.isWaiting() && hasBegun(path));
        QVERIFY(QFile::remove(path));
        target.proceed();
        QVERIFY(batch.wait());
        QVERIFY2(batch.exitCode() == 4, batch.err().constData());
        const QJsonObject summary = batch.summary();
        const QString error = summary.value(QLatin1String("output_error")).toString();
        QVERIFY2(error.startsWith(path + QLatin1String(" was removed by another program")), qPrintable(error));
        QVERIFY(integer(summary, "events") > 0);
        QCOMPARE(integer(summary, "events_not_written"), integer(summary, "events"));
        QVERIFY(!QFile::exists(path));
    }

    void aDatabaseMovedDuringTheRunIsComplete()
    {
        Batch batch;
        const QString path = batch.path("run.sqlite");
        const QString moved = batch.path("moved.sqlite");
        WaitingTarget target(batch);
        setArguments(batch, withOutput(batch, path) + target.fewEventsFirst());
        QVERIFY(batch.start());
        QVERIFY(target.isWaiting() && hasBegun(path));
        checkMoved(batch, target, path, moved);
    }

    /// The error names why writing ended. Events written before that are gone with the file and count as not written.
    void eventsOfARemovedAndFailedOutputAreNotWritten()
    {
        Batch batch;
        const QString path = batch.path("run.jsonl");
        WaitingTarget target(batch);
        setArguments(batch, withOutput(batch, path) + target.arguments("1"));
        QVERIFY(batch.start());
        QVERIFY(target.isWaiting());
        QVERIFY(QFile::remove(path));
        constexpr rlim_t kLimit = rlim_t{3} << 20;
        const rlimit size{kLimit, kLimit};
        QVERIFY(::prlimit(static_cast<pid_t>(batch.process().processId()), RLIMIT_FSIZE, &size, nullptr) == 0);
        target.proceed();
        QVERIFY(batch.wait());
        QVERIFY2(batch.exitCode() == 4, batch.err().constData());
        const QJsonObject summary = batch.summary();
        const QString error = summary.value(QLatin1String("output_error")).toString();
        QVERIFY2(error.contains(QLatin1String("(ulimit -f)")), qPrintable(error));
        QVERIFY(integer(summary, "events") > 0);
        QCOMPARE(integer(summary, "events_not_written"), integer(summary, "events"));
    }

    void aMovedOutputIsComplete_data() { addNames(); }
    void aMovedOutputIsComplete()
    {
        QFETCH(QString, name);
        Batch batch;
        const QString path = batch.path(name.toLatin1().constData());
        const QString moved = batch.path(("moved." + name.toLatin1()).constData());
        WaitingTarget target(batch);
        setArguments(batch, withOutput(batch, path) + target.fewEvents());
        QVERIFY(batch.start());
        QVERIFY(target.isWaiting());
        checkMoved(batch, target, path, moved);
    }

    void aSecondLinkKeepsTheOutput()
    {
        Batch batch;
        const QString path = batch.path("run.jsonl");
        WaitingTarget target(batch);
        setArguments(batch, withOutput(batch, path) + target.fewEvents());
        QVERIFY(batch.start());
        QVERIFY(target.isWaiting());
        QVERIFY(::link(qPrintable(path), qPrintable(batch.path("kept.jsonl"))) == 0 && QFile::remove(path));
        target.proceed();
        QVERIFY(batch.wait());
        QVERIFY2(batch.exitCode() == 0, batch.err().constData());
        QCOMPARE(rowsIn(batch.path("kept.jsonl")), integer(batch.summary(), "events"));
    }

    void anUnmovedOutputCausesNoMessage()
    {
        Batch batch;
        const QString path = batch.path("run.ctr");
        WaitingTarget target(batch);
        setArguments(batch, withOutput(batch, path) + target.fewEvents());
        QVERIFY(batch.start());
        QVERIFY(target.isWaiting());
        target.proceed();
        QVERIFY(batch.wait());
        QVERIFY2(batch.exitCode() == 0, batch.err().constData());
        QVERIFY2(!batch.err().contains("another program"), batch.err().constData());
    }

    void aRemovedSummaryIsAnError()
    {
        Batch batch;
        WaitingTarget target(batch);
        batch.process().setArguments(batch.process().arguments() + target.fewEvents());
        QVERIFY(batch.start());
        QVERIFY(target.isWaiting());
        QVERIFY(QFile::remove(batch.path("summary.json")));
        target.proceed();
        QVERIFY(batch.wait());
        QVERIFY2(batch.exitCode() == 4, batch.err().constData());
        QVERIFY2(batch.err().contains("summary.json was removed by another program"), batch.err().constData());
    }

    /// Scripts pass such files by their descriptors.
    void aSummaryWithoutANameIsWritten()
    {
        const int fd = ::memfd_create("summary", MFD_CLOEXEC);
        QVERIFY(fd >= 0);
        const QString path = QStringLiteral("/proc/%1/fd/%2").arg(::getpid()).arg(fd);
        Batch batch;
        setArguments(batch, {QStringLiteral("--summary"), path, QStringLiteral("--"), QStringLiteral("true")});
        QVERIFY2(batch.run() == 0, batch.err().constData());
        QVERIFY(!runner::objectIn(path).isEmpty());
        ::close(fd);
    }
};

CT_QT_SUITE(MovedOutputsTest)
#include "tst_movedoutputs.moc"
