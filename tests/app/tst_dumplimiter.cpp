// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which findings are worth a dump.
#include "app/dumplimiter.h"
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

class FindingBrakeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aSiteIsDumpedOnceInTheWindow()
    {
        DumpLimiter brake(30 * kSecond);
        QVERIFY(!brake.isDumpDue({}, kSecond));
        QVERIFY(brake.isDumpDue({stuckAt(1, {10, 11})}, 100 * kSecond));
        QVERIFY(!brake.isDumpDue({stuckAt(1, {10, 11, 12, 13})}, 101 * kSecond));
        QCOMPARE(brake.atDumpedSites(), 2U);
        QVERIFY(brake.isDumpDue({stuckAt(1, {14}), stuckAt(2, {15})}, 102 * kSecond));  // another site
        QVERIFY(!brake.isDumpDue({stuckAt(2, {16})}, 129 * kSecond));
        QVERIFY(brake.isDumpDue({stuckAt(1, {17})}, 130 * kSecond));
        QVERIFY(!brake.isDumpDue({stuckAt(1, {18})}, 131 * kSecond));  // the dump at 130 s began a new window
        QCOMPARE(brake.atDumpedSites(), 4U);
        QCOMPARE(brake.beyondTheLast(), 0U);
    }

    void knownStuckCoroutinesCauseNoDump()
    {
        DumpLimiter brake(kSecond);
        QVERIFY(brake.isDumpDue({stuckAt(1, {10})}, 100 * kSecond));
        QVERIFY(!brake.isDumpDue({}, 200 * kSecond));
        QVERIFY(!brake.isDumpDue({stuckAt(1, {10})}, 300 * kSecond));
        QCOMPARE(brake.atDumpedSites() + brake.beyondTheLast(), 0U);
    }

    void addressesDistinguishUnknownSites()
    {
        DumpLimiter brake(30 * kSecond);
        QVERIFY(brake.isDumpDue({stuckAt(kUnknownSite, {1}, 0xA)}, kSecond));
        QVERIFY(brake.isDumpDue({stuckAt(kUnknownSite, {2}, 0xB)}, kSecond));
        QVERIFY(!brake.isDumpDue({stuckAt(kUnknownSite, {3}, 0xA)}, kSecond));
        QVERIFY(brake.isDumpDue({stuckAt(7, {4}, 0xC)}, kSecond));
        QVERIFY(!brake.isDumpDue({stuckAt(7, {5}, 0xD)}, kSecond));
    }

    void limitsTheNumberOfDumps()
    {
        DumpLimiter brake(kSecond);
        for (std::uint32_t i = 0; i < DumpLimiter::kMostDumps; ++i) {
            QVERIFY(!brake.isSpent());
            QVERIFY(brake.isDumpDue({stuckAt(i + 1, {i})}, i * kSecond));
        }
        QVERIFY(brake.isSpent());
        QVERIFY(!brake.isDumpDue({stuckAt(1000, {1000, 1001})}, 1000 * kSecond));
        QCOMPARE(brake.beyondTheLast(), 2U);
        QCOMPARE(brake.atDumpedSites(), 0U);
    }
};

CT_QT_SUITE(FindingBrakeTest)
#include "tst_dumplimiter.moc"
