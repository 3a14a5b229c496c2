// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The closing line of a batch run names the cause of lost events and the remedy.
#include "app/batch/summary.h"
#include "core/session/shortagenotices.h"
#include "tests/support/qtsuite.h"

using ct::Accounting;

class TestClosingLine : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void namesTheRemedy_data()
    {
        QTest::addColumn<Accounting>("sums");
        QTest::addColumn<QStringList>("remedies");
        const auto row = [](const char *name, const char *remedies, auto change) {
            Accounting sums;
            change(sums);
            QTest::newRow(name) << sums << QString::fromLatin1(remedies).split(u'|', Qt::SkipEmptyParts);
        };
        row("nothing lost", "", [](Accounting &) {});
        row("full lanes", "give larger ones with --lane-size", [](Accounting &sums) { sums.recordsDropped = 1; });
        row("threads without a lane", "give a larger --lane-pool", [](Accounting &sums) {
            sums.recordsDropped = 1;
            sums.threadsWithoutLane = 1;
        });
        row("full file system", "enlarge it", [](Accounting &sums) {
            sums.recordsDropped = 1;
            sums.lanesShortened = 1;
        });
        row("no station left", "larger -n", [](Accounting &sums) {
            sums.untraced = 1;
            sums.stationsMax = sums.stationsAllocated = 100;
        });
        row("a burst of births", "give their number with -n", [](Accounting &sums) {
            sums.untraced = sums.birthsOvertaken = 1;
            sums.stationsMax = 100'000;
            sums.stationsAllocated = 50'000;
        });
        row("address space", "ulimit -v", [](Accounting &sums) {
            sums.recordsDropped = 1;
            sums.threadsWithoutLane = 1;
            sums.processesPartlyMapped = 1;
        });
        row("address space without loss", "", [](Accounting &sums) { sums.processesPartlyMapped = 1; });
        const auto hole = [](Accounting &sums) {
            sums.lost += 1;
            sums.recordsDropped += 1;
            sums.recordsInHoles = sums.lanesDamaged = 1;
        };
        row("a hole in a lane", "signal handler", hole);
        row("a hole, and all threads had their lanes", "signal handler", [hole](Accounting &sums) {
            sums.threadsWithoutLane = 1;  // a thread without events
            hole(sums);
        });
        row("a hole, and address space that sufficed", "signal handler", [hole](Accounting &sums) {
            sums.processesPartlyMapped = 1;
            hole(sums);
        });
        row("a hole and full lanes", "--lane-size|signal handler", [hole](Accounting &sums) {
            sums.recordsDropped = 5;
            hole(sums);
        });
    }
    void namesTheRemedy()
    {
        QFETCH(Accounting, sums);
        QFETCH(QStringList, remedies);
        const QString line = QString::fromStdString(ct::describe(sums, 1));
        for (const QString &remedy : std::as_const(remedies))
            QVERIFY2(line.contains(remedy), qPrintable(line));
        QCOMPARE(line.count(u'('), remedies.size());
    }

    void statesTheObserverEffect()
    {
        const auto stated = [](std::uint64_t events) {
            Accounting sums;
            sums.captured = events;
            sums.eventNs = 10;
            sums.targetCpuNs = 1'000'000'000'000'000;
            const QString line = QString::fromStdString(ct::describe(sums, 1));
            return line.section(QLatin1String("observer effect "), 1).section(QLatin1String(" of the"), 0, 0);
        };
        QCOMPARE(stated(0), QString());
        QCOMPARE(stated(50), QStringLiteral("less than 0.0001 %"));
        QCOMPARE(stated(1'234'000'000), QStringLiteral("0.0012 %"));
        QCOMPARE(stated(2'340'000'000'000), QStringLiteral("2.3 %"));
        QCOMPARE(stated(99'700'000'000'000), QStringLiteral("100 %"));
        QCOMPARE(stated(123'400'000'000'000), QStringLiteral("123 %"));
    }

    /// Notices during a run name the same cause as the closing line.
    void noticesNameTheSameCause()
    {
        Accounting sums;
        sums.processesPartlyMapped = 1;
        sums.recordsDropped = sums.recordsInHoles = sums.lanesDamaged = 1;
        ct::ShortageNotices notices;
        const QStringList hole = notices.newNotices(sums);
        QCOMPARE(hole.size(), 1);
        QVERIFY2(hole.first().contains(QLatin1String("signal handler")), qPrintable(hole.first()));
        sums.recordsDropped = 2;
        const QStringList full = notices.newNotices(sums);
        QCOMPARE(full.size(), 1);
        QVERIFY2(full.first().contains(QLatin1String("ulimit -v")), qPrintable(full.first()));
    }

    /// Said once, before anything is lost.
    void saysThatMemoryRunsOut()
    {
        Accounting sums;
        sums.behindNs = 12'300'000'000;
        sums.memoryFill = 0.74;
        ct::ShortageNotices notices;
        QVERIFY(notices.newNotices(sums).isEmpty());
        sums.memoryFill = 0.75;
        const QStringList said = notices.newNotices(sums);
        QCOMPARE(said.size(), 1);
        QVERIFY2(said.first().contains(QLatin1String("12.3 s behind")), qPrintable(said.first()));
        QVERIFY(notices.newNotices(sums).isEmpty());
    }
};

CT_QT_SUITE(TestClosingLine)
#include "tst_closingline.moc"
