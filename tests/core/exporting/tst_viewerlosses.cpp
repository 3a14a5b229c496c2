// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/exporting/viewerscene.h"
#include "tests/support/qtsuite.h"

using namespace viewertest;

class TestViewerLosses : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void showsLossesAtTheEnd();
    void showsLossesBeforeTheOnlyEventOnce();
};

void TestViewerLosses::showsLossesAtTheEnd()
{
    Batch batch = begun(3);
    batch.transitions = {suspension(0, 0, 2000), resumption(0, 1, 2010)};
    Batch later;
    later.losses = {{0, 2, 5, false}, {1, 0, 2, false}, {2, 0, 7, true}};
    later.deaths = {{2, 2500}};
    later.now = 3000;
    const File file = perfetto({batch, later});
    QCOMPARE(textsOf(file.slices(file.track("#0"))).mid(1),
             listOf({"running 2010-2010 end=lost", "lost 5 events 2010-3000 lost=5 still_open=1"}));
    QCOMPARE(textsOf(file.slices(file.track("#1"))), listOf({"lost 2 events 1001-3000 lost=2 still_open=1"}));
    QCOMPARE(textsOf(file.slices(file.track("#2"))), listOf({"missed 7 events 1002-2500 missed=7"}));
}

/// Such an event waits for another one, which would name the function, until the death.
void TestViewerLosses::showsLossesBeforeTheOnlyEventOnce()
{
    Batch batch = begun(4);
    batch.losses = {{0, 0, 999, false}, {1, 0, 4, true}, {3, 0, 1, false}, {3, 2, 5, false}};
    batch.transitions = {resumption(0, 999, 2000), suspension(1, 4, 2001, kUnknownSite), resumption(2, 6, 2002),
                         resumption(3, 1, 2003)};
    batch.transitions[1].addr = 0;
    batch.deaths = {{0, 3000}, {1, 3001}, {2, 3002}, {3, 3003}};
    batch.now = 4000;
    const File file = perfetto({batch});
    QCOMPARE(textsOf(file.slices(file.track("#0"))),
             listOf({"lost 999 events 1000-2000 lost=999", "running 2000-3000 end=destroyed"}));
    QCOMPARE(textsOf(file.slices(file.track("#1"))),
             listOf({"missed 4 events 1001-2001 missed=4", "suspended 2001-3001 end=destroyed"}));
    QCOMPARE(textsOf(file.slices(file.track("#2"))),
             listOf({"6 events are missing 1002-2002 unexplained=6", "running 2002-3002 end=destroyed"}));
    QCOMPARE(
        textsOf(file.slices(file.track("#3"))),
        listOf({"lost 1 events 1003-2003 lost=1", "running 2003-2003 end=lost", "lost 5 events 2003-3003 lost=5"}));
}

CT_QT_SUITE(TestViewerLosses)
#include "tst_viewerlosses.moc"
