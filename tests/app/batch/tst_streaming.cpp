// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A recording on standard output.
#include "core/recording/read/recordingreader.h"
#include "tests/support/qtsuite.h"
#include "tests/support/runner.h"
#include "tests/support/terminals.h"

#include <fcntl.h>
#include <pty.h>
#include <sys/stat.h>
#include <unistd.h>

using runner::integer;

namespace {

QStringList storm()
{
    return runner::target("ct_storm", runner::words("--transitions 200000 --rate 400000 --coroutines 20"));
}

}  // namespace

class StreamingTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aPipeGetsARecording()
    {
        runner::Batch batch({QStringLiteral("-o"), QStringLiteral("-")}, storm());
        const QString file = batch.path("piped.ctr");
        batch.process().setStandardOutputFile(file);
        QCOMPARE(batch.run(), 0);
        QVERIFY2(batch.err().contains("20 coroutines, 200000 transitions"), batch.err().constData());
        auto reader = ct::RecordingReader::open(file.toStdString());
        QVERIFY2(reader, reader ? "" : reader.error().message.c_str());
        qint64 events = 0;
        for (ct::Batch piece;;) {
            const ct::Result<bool> more = (*reader)->next(piece);
            QVERIFY2(more, more ? "" : more.error().message.c_str());
            if (!*more)
                break;
            events += static_cast<qint64>(piece.transitions.size());
        }
        QVERIFY((*reader)->hasEnded());
        QCOMPARE(events, integer(batch.summary(), "events"));
        QCOMPARE((*reader)->info().command.size(), std::size_t{7});
        runner::compareAccounts(batch.summary(), batch.truth());
    }

    /// The reader closes the pipe. The program reports it, and the target does not notice.
    void theTargetOutlivesABrokenPipe()
    {
        runner::Batch batch({QStringLiteral("-o"), QStringLiteral("-")}, storm());
        const QString pipe = batch.path("pipe");
        QCOMPARE(mkfifo(qPrintable(pipe), 0600), 0);
        const int reader = ::open(qPrintable(pipe), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        batch.process().setStandardOutputFile(pipe);
        QVERIFY(batch.start());
        ::close(reader);
        QVERIFY(batch.wait());
        QCOMPARE(batch.exitCode(), 4);
        QVERIFY2(batch.err().contains("standard output: Broken pipe; "), batch.err().constData());
        QVERIFY2(batch.err().contains("; start the run again, with a reader that stays until the end"),
                 batch.err().constData());
        QVERIFY(!batch.summary().value(QLatin1String("output_error")).toString().isEmpty());
        runner::compareAccounts(batch.summary(), batch.truth());
    }

    void refusesATerminalAsOutput()
    {
        if (!haveTerminals())
            CT_QSKIP("this system has no pseudo terminals");
        int master = -1;
        int slave = -1;
        char name[256] = {};
        QCOMPARE(openpty(&master, &slave, name, nullptr, nullptr), 0);
        runner::Batch batch({QStringLiteral("-o"), QStringLiteral("-")}, storm());
        batch.process().setStandardOutputFile(QString::fromLocal8Bit(name));
        QCOMPARE(batch.run(), 4);
        QVERIFY2(batch.err().contains("cannot be shown on a terminal"), batch.err().constData());
        QVERIFY(batch.truth().isEmpty());
        ::close(slave);
        ::close(master);
    }
};

CT_QT_SUITE(StreamingTest)
#include "tst_streaming.moc"
