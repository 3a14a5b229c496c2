// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Output files of a batch run that are named pipes: without a reader, and with one that closes or does not read.
#include "tests/app/batch/batchoutputs.h"
#include "tests/support/qtsuite.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace batchoutputs;
using runner::Batch;
using runner::integer;

class NamedPipesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// The reader closes the pipe: all events are counted as not written.
    void eventsForAClosedPipeAreNotWritten()
    {
        Batch batch;
        const QString path = batch.path("run.jsonl");
        QVERIFY(::mkfifo(qPrintable(path), 0600) == 0);
        WaitingTarget target(batch);
        setArguments(batch,
                     QStringList{QStringLiteral("--summary"), batch.path("summary.json"), QStringLiteral("-o"), path} +
                         target.arguments("1"));
        const int fd = ::open(qPrintable(path), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        QVERIFY(fd >= 0 && batch.start());
        QVERIFY(target.isWaiting());
        ::close(fd);
        target.proceed();
        QVERIFY(batch.wait());
        QVERIFY2(batch.exitCode() == 4, batch.err().constData());
        QCOMPARE(integer(batch.summary(), "events_not_written"), integer(batch.summary(), "events"));
        QVERIFY(integer(batch.summary(), "events") > 0);
    }

    void aPipeWaitsForItsReader_data()
    {
        QTest::addColumn<QString>("option");
        QTest::newRow("jsonl") << "-o run.jsonl";
        QTest::newRow("ctr") << "-o run.ctr";
        QTest::newRow("summary") << "--summary run.json";
    }
    void aPipeWaitsForItsReader()
    {
        QFETCH(QString, option);
        QTemporaryDir directory;
        const QString path = directory.filePath(option.section(u' ', 1));
        QVERIFY(::mkfifo(qPrintable(path), 0600) == 0);
        Batch batch;
        setArguments(batch, QStringList{option.section(u' ', 0, 0), path} +
                                runner::target("ct_storm", runner::words("--transitions 100 --coroutines 10")));
        QVERIFY(batch.start());
        QVERIFY(batch.waitForError("waits for a process that reads it"));
        QProcess reader;
        reader.start(QStringLiteral("cat"), {path});
        QVERIFY(batch.wait());
        QVERIFY2(batch.exitCode() == 0, batch.err().constData());
        QCOMPARE(batch.err().count("waits for a process that reads it"), 1);
        QVERIFY(reader.waitForFinished(runner::kPatienceMs));
        const QByteArray read = reader.readAllStandardOutput();
        QVERIFY(!read.isEmpty());
        if (option.endsWith(QLatin1String("jsonl")))
            QVERIFY(read.count('\n') >= 100);
    }

    /// The wait for a reader can be ended. The target has not started by then.
    void theWaitForAReaderCanBeInterrupted_data()
    {
        QTest::addColumn<QString>("option");
        QTest::addColumn<int>("signal");
        QTest::newRow("output, SIGINT") << "-o" << SIGINT;
        QTest::newRow("output, SIGTERM") << "-o" << SIGTERM;
        QTest::newRow("summary, SIGINT") << "--summary" << SIGINT;
    }
    void theWaitForAReaderCanBeInterrupted()
    {
        QFETCH(QString, option);
        QFETCH(int, signal);
        Batch batch;
        const QString path = batch.path("run.jsonl");
        QVERIFY(::mkfifo(qPrintable(path), 0600) == 0);
        setArguments(batch, QStringList{option, path, QStringLiteral("--"), QStringLiteral("/bin/touch"),
                                        batch.path("started")});
        QVERIFY(batch.start());
        QVERIFY(batch.waitForError("waits for a process that reads it"));
        batch.signal(signal);
        QVERIFY(batch.wait());
        QVERIFY2(batch.exitCode() == 4, batch.err().constData());
        QVERIFY(!QFile::exists(batch.path("started")));
        QVERIFY(QFile::exists(path));
    }

    /// As with a pager. The run has ended by then.
    void theWriteToAReaderThatDoesNotReadCanBeInterrupted_data()
    {
        QTest::addColumn<QString>("options");
        QTest::newRow("summary") << "--summary pipe";
        QTest::newRow("report") << "--report text --report-out pipe";
    }
    void theWriteToAReaderThatDoesNotReadCanBeInterrupted()
    {
        QFETCH(QString, options);
        Batch batch;
        const QString path = batch.path("pipe");
        QVERIFY(::mkfifo(qPrintable(path), 0600) == 0);
        const int reader = ::open(qPrintable(path), O_RDWR | O_NONBLOCK | O_CLOEXEC);
        QVERIFY(reader >= 0);
        const QByteArray page(4096, ' ');
        while (::write(reader, page.constData(), static_cast<std::size_t>(page.size())) > 0)
            continue;
        setArguments(batch, options.replace(QLatin1String("pipe"), path).split(u' ') +
                                runner::target("ct_storm", runner::words("--transitions 100 --coroutines 10")));
        QVERIFY(batch.start());
        QVERIFY(batch.waitForError(" events of "));
        batch.signal(SIGTERM);
        const bool hasEnded = batch.wait();
        ::close(reader);
        QVERIFY(hasEnded);
        QVERIFY2(batch.exitCode() == 4, batch.err().constData());
        QVERIFY2(batch.err().contains("pipe is incomplete: its reader stopped reading"), batch.err().constData());
    }
};

CT_QT_SUITE(NamedPipesTest)
#include "tst_namedpipes.moc"
