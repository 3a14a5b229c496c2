// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// An output that blocks for a while: a pipe without a reader. At the end, the program reports the unwritten rest, and
// the user can give it up.
#include "tests/support/qtsuite.h"
#include "tests/support/runner.h"

#include <QDir>

#include <algorithm>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

using runner::Batch;
using runner::integer;

class BacklogTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aSecondSignalGivesUpUnwrittenEvents_data()
    {
        QTest::addColumn<QString>("option");
        QTest::newRow("ended by the target") << QString();
        QTest::newRow("ended by the duration") << QStringLiteral("--duration 5");
    }
    void aSecondSignalGivesUpUnwrittenEvents()
    {
        QFETCH(QString, option);
        Pipe pipe;
        Batch batch(pipe.options(option), storm(option.isEmpty() ? "1" : "60"));
        QVERIFY(pipe.startReading(batch));
        QVERIFY2(batch.waitForError("Ctrl-C gives up the rest"), batch.err().constData());
        batch.signal(SIGINT);
        QVERIFY2(batch.waitForError("giving up the last"), batch.err().constData());
        const QByteArray written = pipe.readAll();
        QVERIFY(batch.wait());
        QCOMPARE(batch.exitCode(), 4);
        const QJsonObject summary = batch.summary();
        const qint64 given = integer(summary, "events_not_written");
        QVERIFY(given > 0);
        QVERIFY2(batch.err().contains(QByteArray::number(given) + " of these events are not in"), batch.err());
        QVERIFY(written.endsWith('\n'));
        QCOMPARE(integer(summary, "events"), written.count("\"probe_id\"") + given);
        runner::compareAccounts(summary, batch.truth());
    }

    /// A signal during the capture ends the target. The message says that one more signal gives up the unwritten rest.
    void aSignalAfterAnInterruptGivesUpUnwrittenEvents()
    {
        Pipe pipe;
        Batch batch(pipe.options({}), storm("60"));
        QVERIFY(pipe.startReading(batch));
        QTRY_VERIFY_WITH_TIMEOUT(pipe.hasData(), runner::kPatienceMs);
        batch.signal(SIGINT);
        QVERIFY2(batch.waitForError("a second Ctrl-C gives up the rest"), batch.err().constData());
        batch.signal(SIGINT);
        QVERIFY2(batch.waitForError("giving up the last"), batch.err().constData());
        pipe.readAll();
        QVERIFY(batch.wait());
        QCOMPARE(batch.exitCode(), 4);
    }

    /// JSONL is slower than the target, so memory for the rest soon runs short.
    void aBacklogWaitsInAFileBesideTheOutput()
    {
        QTemporaryDir directory;
        Batch batch({QStringLiteral("--backlog"), QStringLiteral("64MiB"), QStringLiteral("-o"),
                     directory.filePath(QStringLiteral("run.jsonl"))},
                    runner::target("ct_storm", {QStringLiteral("--seconds"), QStringLiteral("60")}));
        QVERIFY(batch.start());
        const QDir descriptors(QStringLiteral("/proc/%1/fd").arg(batch.process().processId()));
        const auto hasSpillFile = [&] {
            const QFileInfoList files = descriptors.entryInfoList(QDir::Files | QDir::System);
            return std::any_of(files.begin(), files.end(), [&](const QFileInfo &file) {
                const QString target = file.symLinkTarget();
                return target.startsWith(directory.path() + u'/') && target.endsWith(QLatin1String("(deleted)"));
            });
        };
        QTRY_VERIFY2(hasSpillFile(), batch.err().constData());
        // Gives up what is not written by then, if it is much.
        batch.signal(SIGINT);
        QTRY_VERIFY(batch.err().contains("gives up the rest") || batch.process().state() == QProcess::NotRunning);
        batch.signal(SIGINT);
        QVERIFY(batch.wait());
        runner::compareAccounts(batch.summary(), batch.truth());
    }

    /// The pipe is never read, so completing the output would last forever.
    void aThirdSignalEndsTheProgramAtOnce()
    {
        Pipe pipe;
        Batch batch(pipe.options({}), storm("1"));
        QVERIFY(pipe.startReading(batch));
        QVERIFY(batch.waitForError("gives up the rest"));
        for (const char *answer : {"giving up the last", "the next signal ends at once", "ended at once"}) {
            batch.signal(SIGINT);
            QVERIFY2(batch.waitForError(answer), batch.err().constData());
        }
        QVERIFY(batch.wait());
        QCOMPARE(batch.exitCode(), 4);
        QVERIFY(batch.summary().isEmpty());
        // The message names the files that are left, for inspection or removal.
        const QString said = QString::fromLocal8Bit(batch.err());
        const QString region = said.section(QLatin1String("the region remains: "), 1).section(u'\n', 0, 0);
        QVERIFY2(QFile::remove(region.trimmed()), qPrintable(said));
        QVERIFY(QFile::remove(region.trimmed() + QStringLiteral(".sock")));
    }

private:
    class Pipe {
    public:
        Pipe() { mkfifo(qPrintable(path()), 0600); }
        ~Pipe() { ::close(m_fd); }
        QStringList options(const QString &more) const
        {
            return QStringList{QStringLiteral("-o"), path()} + more.split(u' ', Qt::SkipEmptyParts);
        }
        /// Opens the pipe at our end, but reads nothing.
        bool startReading(Batch &batch)
        {
            m_fd = ::open(qPrintable(path()), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
            return m_fd >= 0 && batch.start();
        }
        bool hasData() const
        {
            pollfd ready{m_fd, POLLIN, 0};
            return ::poll(&ready, 1, 0) == 1 && (ready.revents & POLLIN) != 0;
        }
        QByteArray readAll()
        {
            ::fcntl(m_fd, F_SETFL, 0);
            QByteArray all;
            char piece[65536];
            for (ssize_t got = 0; (got = ::read(m_fd, piece, sizeof piece)) > 0;)
                all.append(piece, got);
            return all;
        }

    private:
        QString path() const { return m_directory.filePath(QStringLiteral("out.jsonl")); }
        QTemporaryDir m_directory;
        int m_fd = -1;
    };

    static QStringList storm(const char *seconds)
    {
        return runner::target("ct_storm",
                              {QStringLiteral("--seconds"), QLatin1String(seconds), QStringLiteral("--rate"),
                               QStringLiteral("200000"), QStringLiteral("--coroutines"), QStringLiteral("10")});
    }
};

CT_QT_SUITE(BacklogTest)
#include "tst_backlog.moc"
