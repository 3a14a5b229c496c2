// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Messages about dumps of the history in memory.
#include "app/batch/dumper.h"

#include "tests/core/exporting/exportsupport.h"
#include "tests/support/createthread.h"
#include "tests/support/qtsuite.h"

#include <QScopeGuard>
#include <QSignalSpy>

using namespace exporttest;

class DumperTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_directory = std::make_unique<QTemporaryDir>();
        m_line = CommandLine();
        m_line.outputPath = m_directory->filePath(QStringLiteral("run.sqlite")).toStdString();
        m_line.keep.bytes = 4U << 20;
        m_population = std::make_shared<Population>();
        m_stuck.clear();
        m_dumper = makeDumper();
    }

    void reportsTheNumberOfEvents()
    {
        consume(manyEvents(3, 0, 10));
        QCOMPARE(dumped(), QStringLiteral("as asked for: wrote %1 (30 events)")
                               .arg(m_directory->filePath(QStringLiteral("run.1.sqlite"))));
    }

    void reportsEvictedWakesAndWaits()
    {
        Batch batch = manyEvents(3, 0, 10);
        for (std::uint64_t n = 0; n < 100'000; ++n)
            batch.notes.wakes.push_back({1, 0, n, 1'000'000 + n, 4242, 78});
        consume(batch);
        const QString reported = dumped();
        const QString number = infoOf("dropped_notes");
        QVERIFY(number.toULongLong() > 0);
        QVERIFY2(
            reported.endsWith(
                QStringLiteral("(30 events; %1 older wakes, waits and uses were no longer in memory)").arg(number)),
            qPrintable(reported));
    }

    void reportsEvictedEvents()
    {
        for (std::uint64_t n = 0; n < 40'000; n += 500)
            consume(manyEvents(100, n, 500));
        const QString reported = dumped();
        const QString number = infoOf("dropped_events");
        QVERIFY(number.toULongLong() > 0);
        QVERIFY2(reported.endsWith(QStringLiteral("events; %1 older ones were no longer in memory)").arg(number)),
                 qPrintable(reported));
    }

    /// Files of an earlier run are not replaced.
    void usesTheNextFreeNumber()
    {
        putContent(path("run.1.sqlite"), "an earlier dump");
        QVERIFY(QFile::link(QStringLiteral("/nowhere/at/all"), path("run.2.sqlite")));
        putContent(path("run.4.sqlite"), "another one");
        consume(manyEvents(3, 0, 10));
        for (const char *name : {"run.3.sqlite", "run.5.sqlite"}) {
            QVERIFY2(dumped().contains(path(name)), name);
            QCOMPARE(m_dumper->files().back(), path(name).toStdString());
        }
        QCOMPARE(contentOf(path("run.1.sqlite")), QByteArray("an earlier dump"));
        QCOMPARE(contentOf(path("run.4.sqlite")), QByteArray("another one"));
        QVERIFY(QFileInfo(path("run.2.sqlite")).isSymbolicLink());
    }

    /// A second coroutine gets stuck at a site that has just been dumped.
    void reportsFindingsWithoutADump()
    {
        m_line.dumpOnFinding = true;
        m_dumper = makeDumper();
        QSignalSpy reported(m_dumper.get(), &Dumper::reported);
        consume(stuckCoroutine(0, 10'000'000'000));
        m_dumper->watch({});
        QVERIFY(reported.wait(240'000));
        QVERIFY2(reported.last().first().toString().contains(path("run.1.sqlite")),
                 qPrintable(reported.last().first().toString()));
        consume(stuckCoroutine(1, 20'000'000'000));
        m_dumper->finish(Dumper::Ending::Left, 30'000'000'000);
        QCOMPARE(m_dumper->files().size(), 1U);
        QCOMPARE(m_dumper->findingsNotDumped(), 1U);
        QCOMPARE(reported.last().first().toString(),
                 QStringLiteral("no dump for 1 more findings at sites with a recent dump"));
    }

    /// The dump under way began before the finding, so the finding gets a dump of its own.
    void aFindingAtTheEndHasItsOwnDump()
    {
        for (const bool dumpOnDeath : {false, true}) {
            init();
            m_line.dumpOnFinding = true;
            m_line.dumpOnDeath = dumpOnDeath;
            m_dumper = makeDumper();
            QSignalSpy reported(m_dumper.get(), &Dumper::reported);
            m_dumper->dump(QStringLiteral("as asked for"));
            consume(stuckCoroutine(0, 10'000'000'000));
            m_dumper->finish(Dumper::Ending::TargetDied, 20'000'000'000);
            QCOMPARE(m_dumper->files(),
                     std::vector({path("run.1.sqlite").toStdString(), path("run.2.sqlite").toStdString()}));
            QCOMPARE(reported.last().first().toString(),
                     QStringLiteral("a coroutine is stuck: wrote %1 (1 events)").arg(path("run.2.sqlite")));
            QCOMPARE(m_dumper->findingsNotDumped(), 0U);
        }
    }

    /// A relative output path cannot be resolved after the working directory was deleted: an error, not an abort.
    void aRemovedWorkingDirectoryIsAnError()
    {
        m_line.outputPath = "run.sqlite";
        const QString before = QDir::currentPath();
        const auto back = qScopeGuard([&] { QDir::setCurrent(before); });
        QVERIFY(QDir::setCurrent(m_directory->path()) && QDir(m_directory->path()).removeRecursively());
        const Result<void> checked = m_dumper->checkFolder();
        QVERIFY(!checked);
        QCOMPARE(checked.error().code, ErrorCode::NotFound);
    }

    /// The system refuses to start a thread (ulimit -u). The dump is written nevertheless.
    void aDumpIsWrittenWithoutAThread()
    {
        if (!ct::test::kCanRefuseThreads)
            CT_QSKIP("a sanitizer starts the threads itself");
        const ct::test::NoMoreThreads none;
        consume(manyEvents(3, 0, 10));
        for (const char *name : {"run.1.sqlite", "run.2.sqlite"})
            QCOMPARE(dumped(), QStringLiteral("as asked for: wrote %1 (30 events)").arg(path(name)));
        m_dumper->dump(QStringLiteral("as asked for"));
        m_dumper->finish(Dumper::Ending::Left, 20'000'000'000);
        QCOMPARE(m_dumper->files().size(), 3U);
        QCOMPARE(none.refused(), 3);
        QCoreApplication::processEvents();
    }

    void aDeathAndAFindingAtTheEndShareADump()
    {
        m_line.dumpOnFinding = true;
        m_line.dumpOnDeath = true;
        m_dumper = makeDumper();
        consume(stuckCoroutine(0, 10'000'000'000));
        m_dumper->processEnded(1);
        QSignalSpy reported(m_dumper.get(), &Dumper::reported);
        m_dumper->finish(Dumper::Ending::TargetDied, 20'000'000'000);
        QCOMPARE(reported.size(), 1);
        QCOMPARE(reported.last().first().toString(),
                 QStringLiteral("process 1 has ended: wrote %1 (1 events)").arg(path("run.1.sqlite")));
    }

private:
    std::unique_ptr<Dumper> makeDumper() const
    {
        return std::make_unique<Dumper>(m_line, m_population, [this] { return m_stuck; });
    }
    QString path(const char *name) const { return m_directory->filePath(QLatin1String(name)); }
    /// A coroutine that was born, suspended at the common site, and still waits 9 s later.
    Batch stuckCoroutine(CoroutineId id, std::uint64_t now)
    {
        StuckGroup group;
        group.site = 1;
        group.coroutines.resize(1);
        group.coroutines.front().coroutine = id;
        group.coroutines.front().site = 1;
        m_stuck.push_back(std::move(group));
        Batch batch;
        batch.sites.push_back({1, 10, 0, "server.cpp", "serve"});
        batch.births.push_back(birth(id, 0x1000 + id));
        batch.transitions.push_back(transition(id, 0, now - 9'000'000'000, false, 1));
        batch.now = now;
        return batch;
    }
    void consume(const Batch &batch)
    {
        QVERIFY(bool(m_population->consume(batch)));
        QVERIFY(bool(m_dumper->history()->consume(batch)));
    }
    /// Writes a dump and returns its message.
    QString dumped()
    {
        QSignalSpy reported(m_dumper.get(), &Dumper::reported);
        m_dumper->dump(QStringLiteral("as asked for"));
        return reported.wait(240'000) ? reported.first().first().toString() : QString();
    }
    QString infoOf(const char *name) const
    {
        const Database file(m_directory->filePath(QStringLiteral("run.1.sqlite")));
        return file
            .rows(qPrintable(QStringLiteral("SELECT value FROM trace_info WHERE name = '%1'").arg(QLatin1String(name))))
            .value(0);
    }

    std::unique_ptr<QTemporaryDir> m_directory;
    CommandLine m_line;
    std::shared_ptr<Population> m_population;
    std::vector<StuckGroup> m_stuck;
    std::unique_ptr<Dumper> m_dumper;
};

CT_QT_SUITE(DumperTest)
#include "tst_dumper.moc"
