// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which findings are worth a dump.
#include "app/batch/dumplimiter.h"
#include "tests/support/qtsuite.h"

using namespace ct;

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

StuckGroup stuckAt(SiteId site, std::vector<CoroutineId> coroutines, std::uint64_t addr = 0)
{
    StuckGroup group;
    group.site = site;
    for (const CoroutineId id : coroutines) {
        StuckCoroutine stuck;
        stuck.coroutine = id;
        stuck.site = site;
        stuck.addr = addr;
        group.coroutines.push_back(stuck);
    }
    return group;
}

}  // namespace

class DumpLimiterTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aSiteIsDumpedOnceInTheWindow()
    {
        DumpLimiter limiter(30 * kSecond);
        QVERIFY(!limiter.isDumpDue({}, kSecond));
        QVERIFY(limiter.isDumpDue({stuckAt(1, {10, 11})}, 100 * kSecond));
        QVERIFY(!limiter.isDumpDue({stuckAt(1, {10, 11, 12, 13})}, 101 * kSecond));
        QCOMPARE(limiter.atDumpedSites(), 2U);
        QVERIFY(limiter.isDumpDue({stuckAt(1, {14}), stuckAt(2, {15})}, 102 * kSecond));  // another site
        QVERIFY(!limiter.isDumpDue({stuckAt(2, {16})}, 129 * kSecond));
        QVERIFY(limiter.isDumpDue({stuckAt(1, {17})}, 130 * kSecond));
        QVERIFY(!limiter.isDumpDue({stuckAt(1, {18})}, 131 * kSecond));  // the dump at 130 s began a new window
        QCOMPARE(limiter.atDumpedSites(), 4U);
        QCOMPARE(limiter.beyondTheLast(), 0U);
    }

    void knownStuckCoroutinesCauseNoDump()
    {
        DumpLimiter limiter(kSecond);
        QVERIFY(limiter.isDumpDue({stuckAt(1, {10})}, 100 * kSecond));
        QVERIFY(!limiter.isDumpDue({}, 200 * kSecond));
        QVERIFY(!limiter.isDumpDue({stuckAt(1, {10})}, 300 * kSecond));
        QCOMPARE(limiter.atDumpedSites() + limiter.beyondTheLast(), 0U);
    }

    void addressesDistinguishUnknownSites()
    {
        DumpLimiter limiter(30 * kSecond);
        QVERIFY(limiter.isDumpDue({stuckAt(kUnknownSite, {1}, 0xA)}, kSecond));
        QVERIFY(limiter.isDumpDue({stuckAt(kUnknownSite, {2}, 0xB)}, kSecond));
        QVERIFY(!limiter.isDumpDue({stuckAt(kUnknownSite, {3}, 0xA)}, kSecond));
        QVERIFY(limiter.isDumpDue({stuckAt(7, {4}, 0xC)}, kSecond));
        QVERIFY(!limiter.isDumpDue({stuckAt(7, {5}, 0xD)}, kSecond));
    }

    void limitsTheNumberOfDumps()
    {
        DumpLimiter limiter(kSecond);
        for (std::uint32_t i = 0; i < DumpLimiter::kMostDumps; ++i) {
            QVERIFY(!limiter.isSpent());
            QVERIFY(limiter.isDumpDue({stuckAt(i + 1, {i})}, i * kSecond));
        }
        QVERIFY(limiter.isSpent());
        QVERIFY(!limiter.isDumpDue({stuckAt(1000, {1000, 1001})}, 1000 * kSecond));
        QCOMPARE(limiter.beyondTheLast(), 2U);
        QCOMPARE(limiter.atDumpedSites(), 0U);
    }
};

CT_QT_SUITE(DumpLimiterTest)
#include "tst_dumplimiter.moc"
