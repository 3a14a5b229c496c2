// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The adapter for Boost.Fiber: all numbers follow from the source of peer_fiber.cpp.
#include "tests/peers/peerrun.h"

using peers::Run;
using peers::textOf;

class PeerFiberTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
#if !CT_HAS_FIBER
        CT_QSKIP("Boost.Fiber 1.81 was not found when this build was configured; install libboost1.81-dev, "
                 "libboost-fiber1.81-dev and libboost-context1.81-dev");
#endif
    }

    void countsFollowFromTheSource_data()
    {
        QTest::addColumn<int>("stages");
        QTest::addColumn<int>("items");
        QTest::addColumn<int>("threads");
        QTest::addColumn<bool>("priorities");
        QTest::newRow("one thread") << 10 << 100 << 1 << false;
        QTest::newRow("three threads") << 10 << 100 << 3 << false;
        QTest::newRow("properties") << 10 << 100 << 2 << true;
        QTest::newRow("many stages") << 300 << 2 << 1 << false;
    }
    void countsFollowFromTheSource()
    {
        QFETCH(int, stages);
        QFETCH(int, items);
        QFETCH(int, threads);
        QFETCH(bool, priorities);
        const qint64 s = stages;
        const qint64 k = items;
        const qint64 t = threads;
        QStringList arguments{QStringLiteral("--stages"),  textOf(s), QStringLiteral("--items"), textOf(k),
                              QStringLiteral("--threads"), textOf(t)};
        if (priorities)
            arguments << QStringLiteral("--priorities");
        const Run run("peer_fiber", arguments);
        QCOMPARE(run.status(), 0);
        QCOMPARE(run.sum("lost_events"), 0);

        // In each thread the stages, a source, a sleeper, a launcher and its three children.
        const qint64 fibers = s + 6;
        QCOMPARE(run.sum("coroutines"), t * fibers);

        // Each fiber has its start, and two events for each wait: a stage waits for each item and for the end, the
        // source for each answer, the sleeper three times. The launcher stops for one child, which yields.
        const qint64 waits = s * (k + 1) + k + 3 + 1 + 1;
        QCOMPARE(run.sum("events"), t * (fibers + 2 * waits));
        QCOMPARE(run.rows("SELECT kind, count(*) FROM waits GROUP BY kind"),
                 QStringList(QStringLiteral("timer|%1").arg(3 * t)));
        // Each wait ends with a wake. Another fiber is the reason, except for the sleeper, the launcher and that child.
        QCOMPARE(run.rows("SELECT count(*), count(by_coroutine) FROM wakes"),
                 QStringList(QStringLiteral("%1|%2").arg(t * waits).arg(t * (waits - 5))));
        QCOMPARE(run.rows("SELECT count(*) FROM coroutines WHERE parent IS NOT NULL"), QStringList(textOf(3 * t)));
        QCOMPARE(run.rows("SELECT count(*) FROM coroutines WHERE death_ts IS NULL"), QStringList(textOf(0)));
        QCOMPARE(run.rows("SELECT count(*) FROM coroutines WHERE name = 'source'"), QStringList(textOf(t)));
    }

    /// When a fiber moves, the numbers of waits depend on the threads. The others do not.
    void fibersMoveBetweenThreads()
    {
        const qint64 t = 3;
        const Run run("peer_fiber", {QStringLiteral("--threads"), textOf(t), QStringLiteral("--shared"),
                                     QStringLiteral("--items"), textOf(300)});
        QCOMPARE(run.status(), 0);
        QCOMPARE(run.sum("lost_events"), 0);
        QCOMPARE(run.sum("coroutines"), t * (10 + 6));
        QCOMPARE(run.rows("SELECT count(*) FROM coroutines WHERE death_ts IS NULL"), QStringList(textOf(0)));
        QCOMPARE(run.rows("SELECT count(*) FROM coroutines WHERE parent IS NOT NULL"), QStringList(textOf(3 * t)));
        // A start, then suspensions and resumptions in turn.
        QCOMPARE(run.rows("SELECT count(*) FROM coro_trace_events WHERE is_active = n % 2"), QStringList(textOf(0)));
        QCOMPARE(run.rows("SELECT count(*) FROM coroutines WHERE events % 2 = 0"), QStringList(textOf(0)));
    }

    /// A late wait alone is information: another notification may still come.
    void aLostNotificationIsShown()
    {
        Run run("peer_fiber", {QStringLiteral("--lose")}, runner::words("--duration 3 --report text --report-out -"));
        QCOMPARE(run.status(), 0);
        // The fiber that sleeps for an hour is no finding.
        const QByteArray report = run.output();
        QCOMPARE(report.count("\ninfo: "), 1);
        QVERIFY2(report.contains("\ninfo: lost-wakeup: 1 coroutine suspended in ") && report.contains(" (late)\n"),
                 report.constData());
    }
};

CT_QT_SUITE(PeerFiberTest)
#include "tst_peer_fiber.moc"
