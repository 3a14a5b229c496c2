// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The adapter for Boost.Asio: all numbers follow from the source of peer_asio.cpp.
#include "tests/peers/peerrun.h"

using peers::Run;
using peers::textOf;

class PeerAsioTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
#if !CT_HAS_ASIO
        CT_QSKIP("Boost 1.81 was not found when this build was configured; install libboost1.81-dev, "
                 "libboost-fiber1.81-dev and libboost-context1.81-dev");
#endif
    }

    void countsFollowFromTheSource_data()
    {
        QTest::addColumn<int>("connections");
        QTest::addColumn<int>("rounds");
        QTest::addColumn<int>("threads");
        QTest::newRow("one thread") << 300 << 3 << 1;
        QTest::newRow("three threads") << 300 << 3 << 3;
        QTest::newRow("one connection") << 1 << 50 << 1;
        QTest::newRow("many rounds") << 20 << 100 << 3;
    }
    void countsFollowFromTheSource()
    {
        QFETCH(int, connections);
        QFETCH(int, rounds);
        QFETCH(int, threads);
        const qint64 n = connections;
        const qint64 r = rounds;
        const Run run("peer_asio", {QStringLiteral("--connections"), textOf(n), QStringLiteral("--rounds"), textOf(r),
                                    QStringLiteral("--threads"), textOf(threads)});
        QCOMPARE(run.status(), 0);
        QCOMPARE(run.sum("lost_events"), 0);
        QCOMPARE(run.sum("untraced_coroutines"), 0);

        // co_spawn makes a coroutine of its own for each one that it starts: n echoes, n visits, listen, two ticks, an
        // hour. Each ticks awaits three tick.
        const qint64 spawned = 2 * n + 4;
        QCOMPARE(run.sum("coroutines"), 2 * spawned + 2 * 3);

        // Each coroutine has the initial suspension and its resumption, and the final suspension: 3 events. Each wait
        // has 2. An echo reads once more than it writes. co_spawn's coroutine waits for an executor, then for the
        // coroutine. The hour does not pass: the final suspensions of two coroutines are missing, and two resumptions.
        const qint64 echo = 3 + 2 * (r + 1) + 2 * r;
        const qint64 visit = 3 + 2 + 2 * 2 * r;
        const qint64 ticks = 3 + 3 * 2 + 2 + 3 * (3 + 2);
        const qint64 events = n * (echo + visit) + (3 + 2 * n) + 2 * ticks + (3 + 2) + spawned * (3 + 2 + 2) - 4;
        QCOMPARE(run.sum("events"), events);

        // Each operation on a socket waits for its descriptor: connect, accept, and those of the rounds.
        const qint64 descriptors = n * (2 + (r + 1) + r + 2 * r);
        const qint64 timers = 2 * 3 + 1;
        const qint64 coroutines = spawned + 2 * 3;
        QCOMPARE(
            run.rows("SELECT kind, count(*) FROM waits GROUP BY kind ORDER BY kind"),
            QStringList({QStringLiteral("coroutine|%1").arg(coroutines),
                         QStringLiteral("descriptor|%1").arg(descriptors), QStringLiteral("timer|%1").arg(timers)}));
        // Each operation that completed, each coroutine of co_spawn that an executor got, and each post.
        QCOMPARE(run.rows("SELECT count(*) FROM wakes"), QStringList(textOf(descriptors + (timers - 1) + spawned + 2)));
        // Both coroutines of each echo were made by listen, and each tick by a ticks.
        QCOMPARE(run.rows("SELECT count(*) FROM coroutines WHERE parent IS NOT NULL"),
                 QStringList(textOf(2 * n + 2 * 3)));
        // A timer that never expires is the only one whose cancellation is reported. Nothing uses it here.
        QCOMPARE(run.rows("SELECT count(*) FROM uses"), QStringList(textOf(0)));
    }

    void chainsLeadFromTheExecutorToTheTimer()
    {
        const Run run("peer_asio", {QStringLiteral("--connections"), textOf(1)});
        QCOMPARE(run.status(), 0);
        // A coroutine that waits for a timer is awaited by a ticks, and that one by a coroutine of co_spawn.
        QCOMPARE(run.rows("SELECT count(DISTINCT top.coroutine) FROM waits low JOIN waits middle ON middle.target = "
                          "low.coroutine JOIN waits top ON top.target = middle.coroutine WHERE low.kind = 'timer'"),
                 QStringList(textOf(2)));
        // A deadline is a time of CLOCK_MONOTONIC, also that of a timer of the system clock: an hour from its wait.
        QCOMPARE(run.rows("SELECT count(*) FROM waits JOIN coroutines USING (coroutine) WHERE waits.kind = 'timer' AND "
                          "object - birth_ts BETWEEN 3540e9 AND 3660e9"),
                 QStringList(textOf(1)));
    }

    /// Whether it was lost cannot be judged: it is the only wait at its place, and a timer is armed.
    void aLostNotificationIsShown()
    {
        const Run run("peer_asio", {QStringLiteral("--connections"), textOf(20), QStringLiteral("--lose")},
                      {QStringLiteral("--duration"), QStringLiteral("3")});
        QCOMPARE(run.status(), 0);
        QCOMPARE(run.unwokenAt("true"),
                 QStringList(peers::lineWith("peer_asio.cpp", "co_await timer.async_wait(asio::redirect_error")));
        QCOMPARE(run.notJudged("lost-wakeup"), 1);
    }
};

CT_QT_SUITE(PeerAsioTest)
#include "tst_peer_asio.moc"
