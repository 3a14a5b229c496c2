// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The window reports each kind of overflow once.
#include "tests/support/qtsuite.h"
#include "ui/overflownotices.h"

using namespace ct;

class TestOverflowNotices : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void noNoticeWithoutOverflow()
    {
        OverflowNotices notices;
        QVERIFY(notices.fresh({}, 0, 100).isEmpty());
    }

    void nameOverflowIsReportedOnce()
    {
        OverflowNotices notices;
        const QStringList said = notices.fresh({}, 1, 100);
        QCOMPARE(said.size(), 1);
        QVERIFY2(said.front().startsWith(QStringLiteral("Memory for names is full")), qPrintable(said.front()));
        QVERIFY(notices.fresh({}, 2, 100).isEmpty());
    }

    void eachReasonOfOverflowHasItsNotice()
    {
        OverflowNotices notices;
        Overflow overflow;
        overflow.coroutines = overflow.ended = 5;
        QVERIFY(notices.fresh(overflow, 0, 100).front().contains(QStringLiteral("keeps only the latest coroutines")));
        overflow.coroutines = 6;
        const QStringList said = notices.fresh(overflow, 0, 100);
        QCOMPARE(said.size(), 1);
        QVERIFY(said.front().contains(QStringLiteral("no room for more than 100 coroutines")));
        QCOMPARE(notices.fresh(overflow, 7, 100).size(), 1);
    }
};

CT_QT_SUITE(TestOverflowNotices)
#include "tst_overflownotices.moc"
