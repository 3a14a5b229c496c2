// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The line that ends a batch run names what to do about events that were lost for want of room.
#include "app/findings.h"
#include "tests/support/qtsuite.h"

using ct::Accounting;

class TestClosingLine : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void namesTheRemedy_data()
    {
        QTest::addColumn<Accounting>("sums");
        QTest::addColumn<QString>("remedy");
        const auto row = [](const char *name, const char *remedy, auto change) {
            Accounting sums;
            change(sums);
            QTest::newRow(name) << sums << QString::fromLatin1(remedy);
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
    }
    void namesTheRemedy()
    {
        QFETCH(Accounting, sums);
        QFETCH(QString, remedy);
        const QString line = QString::fromStdString(ct::describe(sums, 1));
        QVERIFY2(line.contains(remedy), qPrintable(line));
        QCOMPARE(line.count(u'('), remedy.isEmpty() ? 0 : 1);
    }
};

CT_QT_SUITE(TestClosingLine)
#include "tst_closingline.moc"
