// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The adapter for QCoro: all numbers follow from the source of peer_qcoro.cpp.
#include "tests/peers/peerrun.h"

using peers::Run;
using peers::textOf;

class PeerQCoroTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
#if !CT_HAS_QCORO
        CT_QSKIP("QCoro 0.8 for Qt 6 was not found when this build was configured; install qcoro-qt6-dev");
#endif
    }

    void countsFollowFromTheSource_data()
    {
        QTest::addColumn<int>("requests");
        QTest::newRow("few") << 1;
        QTest::newRow("many") << 300;
    }
    void countsFollowFromTheSource()
    {
        QFETCH(int, requests);
        const qint64 n = requests;
        const Run run("peer_qcoro", {QStringLiteral("--requests"), textOf(n)});
        QCOMPARE(run.status(), 0);
        QCOMPARE(run.sum("lost_events"), 0);

        // fetch; ticks and three sleepFor; hear, listen, and the two coroutines of qCoro(object, signal).
        QCOMPARE(run.sum("coroutines"), n + 1 + 3 + 4);

        // Each coroutine has its start and the final suspension, and two events for each wait. ticks waits for three
        // sleepFor, for a timer, and for a coroutine of QCoro's library. All others wait once.
        QCOMPARE(run.sum("events"), n * 4 + (2 + 2 * 5) + 3 * 4 + 4 * 4);

        // Replies, the coroutine of the library, and the sender of the signal are objects.
        QCOMPARE(run.rows("SELECT kind, count(*) FROM waits GROUP BY kind ORDER BY kind"),
                 QStringList({QStringLiteral("coroutine|6"), QStringLiteral("other|%1").arg(n + 2),
                              QStringLiteral("timer|4")}));
        // The three sleepFor, and the three coroutines below hear.
        QCOMPARE(run.rows("SELECT count(*) FROM coroutines WHERE parent IS NOT NULL"), QStringList(textOf(6)));
        QCOMPARE(run.rows("SELECT count(*) FROM coroutines WHERE death_ts IS NULL"), QStringList(textOf(0)));
    }

    /// Whether it was lost cannot be judged: it is the only wait at its place, and a timer is armed.
    void aLostSignalIsShown()
    {
        const Run run("peer_qcoro", {QStringLiteral("--requests"), textOf(3), QStringLiteral("--lose")},
                      {QStringLiteral("--duration"), QStringLiteral("3")});
        QCOMPARE(run.status(), 0);
        // The coroutine of the library that waits for the signal. Three others await one another and it.
        const QStringList unwoken = run.unwokenAt("c.death_ts IS NULL");
        QCOMPARE(unwoken.size(), 1);
        QVERIFY2(unwoken.first().startsWith(QLatin1String("qcorosignal.h:")), qPrintable(unwoken.first()));
        QCOMPARE(run.rows("SELECT count(*) FROM coroutines WHERE death_ts IS NULL"), QStringList(textOf(5)));
        QCOMPARE(run.notJudged("lost-wakeup"), 1);
    }
};

CT_QT_SUITE(PeerQCoroTest)
#include "tst_peer_qcoro.moc"
