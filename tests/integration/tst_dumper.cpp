// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a dump of kept history says of itself.
#include "app/dumper.h"

#include "tests/integration/exportsupport.h"

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
        m_line.keepBytes = 16U << 20;
        m_population = std::make_shared<Population>();
        m_dumper = std::make_unique<Dumper>(m_line, m_population);
    }

    void saysHowManyEvents()
    {
        consume(manyEvents(3, 0, 10));
        QCOMPARE(dumped(), QStringLiteral("as asked for: wrote %1 (30 events)")
                               .arg(m_directory->filePath(QStringLiteral("run.1.sqlite"))));
    }

    void saysWhichWakesAndWaitsAreNotThere()
    {
        Batch batch = manyEvents(3, 0, 10);
        for (std::uint64_t n = 0; n < 100'000; ++n)
            batch.notes.wakes.push_back({1, 0, n, 1'000'000 + n, 4242, 78});
        consume(batch);
        const QString said = dumped();
        const QString number = infoOf("dropped_notes");
        QVERIFY(number.toULongLong() > 0);
        QVERIFY2(
            said.endsWith(QStringLiteral("(30 events; %1 older wakes and waits were no longer in memory)").arg(number)),
            qPrintable(said));
    }

    void saysWhichEventsAreNotThere()
    {
        for (std::uint64_t n = 0; n < 40'000; n += 500)
            consume(manyEvents(100, n, 500));
        const QString said = dumped();
        const QString number = infoOf("dropped_events");
        QVERIFY(number.toULongLong() > 0);
        QVERIFY2(said.endsWith(QStringLiteral("events; %1 older ones were no longer in memory)").arg(number)),
                 qPrintable(said));
    }

private:
    void consume(const Batch &batch)
    {
        QVERIFY(bool(m_population->consume(batch)));
        QVERIFY(bool(m_dumper->history()->consume(batch)));
    }
    /// What is said of the first dump.
    QString dumped()
    {
        QSignalSpy said(m_dumper.get(), &Dumper::said);
        m_dumper->dump(QStringLiteral("as asked for"));
        return said.wait(60'000) ? said.first().first().toString() : QString();
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
    std::unique_ptr<Dumper> m_dumper;
};

QTEST_GUILESS_MAIN(DumperTest)
#include "tst_dumper.moc"
