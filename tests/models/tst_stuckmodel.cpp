// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/stuckmodel.h"
#include "tests/support/qtsuite.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>

#include <random>

using namespace ct;
using Model = StuckModel;

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

/// A simulated target. The test suspends and resumes coroutines and sets the time.
class Target {
public:
    explicit Target(std::uint32_t count)
    {
        Batch batch;
        for (CoroutineId id = 0; id < count; ++id) {
            Birth birth;
            birth.coroutine = id;
            birth.dialect = Dialect::Seqlock;
            birth.pid = 7;
            birth.probeId = 500 + id;
            batch.births.push_back(birth);
        }
        for (SiteId site = 1; site < 10; ++site)
            batch.sites.push_back({site, 1, 1, "a.cpp", "f()"});
        m_next.resize(count);
        consume(batch);
    }
    void suspend(CoroutineId id, SiteId site) { step(id, site, false); }
    void resume(CoroutineId id) { step(id, kUnknownSite, true); }
    void advance(std::uint64_t ns)
    {
        m_ts += ns;
        m_batch.now = m_ts;
        consume(m_batch);
        m_batch.clear();
    }

    void endProcess() { m_batch.notes.processEnds.push_back({7, m_ts}); }

    Population population;

private:
    void step(CoroutineId id, SiteId site, bool active)
    {
        Transition event;
        event.coroutine = id;
        event.n = m_next[id]++;
        event.seq = slotSeq(Dialect::Seqlock, event.n);
        event.active = active;
        event.ts = m_ts;
        event.site = site;
        event.addr = active ? 0 : 0xF000 + id;
        m_batch.transitions.push_back(event);
    }
    void consume(const Batch &batch) { QVERIFY(population.consume(batch)); }

    Batch m_batch;
    std::vector<std::uint64_t> m_next;
    std::uint64_t m_ts = 100 * kSecond;
};

}  // namespace

class TestStuckModel : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void groupsBySite();
    void updatesWithoutReset();
    void aNewSuspensionIsAnotherRow();
    void rowsOfAnEndedProcessDoNotChange();
    void keepsRowsDuringManyChanges();
    void judgesInTheBackground();
    void survivesRandomChanges();
};

void TestStuckModel::groupsBySite()
{
    Target target(10);
    Model model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setPopulation(&target.population);
    for (CoroutineId id = 0; id < 4; ++id) {
        target.suspend(id, id == 0 ? 9 : 3);
        target.advance(kSecond);
    }
    target.advance(10 * kSecond);
    QSignalSpy counted(&model, &Model::stuckCountChanged);
    model.sample();
    QCOMPARE(model.rowCount(), 2);
    QCOMPARE(counted.count(), 1);
    QCOMPARE(model.stuckCount(), 4);
    const QModelIndex group = model.index(0, Model::WhereColumn);
    QVERIFY(group.data(Model::IsGroupRole).toBool());
    QCOMPARE(group.data().toUInt(), 3U);
    QCOMPARE(group.data(Model::SiteIdRole).toUInt(), 3U);
    QCOMPARE(model.index(0, Model::CountColumn).data().toInt(), 3);
    QCOMPARE(model.index(0, Model::LongestColumn).data().toULongLong(), 13 * kSecond);
    QVERIFY(!model.index(0, Model::UsualColumn).data().isValid());
    QCOMPARE(model.rowCount(group), 3);
    const QModelIndex child = model.index(1, Model::WhereColumn, group);
    QCOMPARE(child.parent(), group);
    QCOMPARE(child.data().toUInt(), 2U);
    QCOMPARE(child.data(Model::ProbeIdRole).toULongLong(), 502U);
    QCOMPARE(child.data(Model::AddressRole).toULongLong(), 0xF002U);
    QVERIFY(!child.data(Model::IsGroupRole).toBool());
    QCOMPARE(child.siblingAtColumn(Model::LongestColumn).data(Model::SortRole).toULongLong(), 12 * kSecond);
    QCOMPARE(group.data(Model::CoroutineIdRole).toUInt(), kNoCoroutine);
    QVERIFY(!model.headerData(Model::WhereColumn, Qt::Horizontal).toString().isEmpty());
}

void TestStuckModel::updatesWithoutReset()
{
    Target target(30);
    Model model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setPopulation(&target.population);
    model.setRule({kSecond, 1, kSecond});
    QSignalSpy reset(&model, &Model::modelReset);
    for (CoroutineId id = 0; id < 5; ++id)
        target.suspend(id, 1);
    target.advance(5 * kSecond);
    model.sample();
    const QPersistentModelIndex group = model.index(0, 0);
    const QPersistentModelIndex third = model.index(2, 0, group);
    QCOMPARE(third.data().toUInt(), 2U);
    // Another site has more stuck coroutines and moves to the top. Persistent indexes keep their rows.
    for (CoroutineId id = 10; id < 20; ++id)
        target.suspend(id, 2);
    target.resume(0);
    target.advance(5 * kSecond);
    model.sample();
    QCOMPARE(model.index(0, 0).data().toUInt(), 2U);
    QCOMPARE(group.row(), 1);
    QCOMPARE(group.data().toUInt(), 1U);
    QCOMPARE(third.data().toUInt(), 2U);
    QCOMPARE(third.row(), 1);
    QCOMPARE(third.parent(), QModelIndex(group));
    QCOMPARE(model.stuckCount(), 14);
    for (CoroutineId id = 10; id < 20; ++id)
        target.resume(id);
    target.advance(kSecond);
    model.sample();
    QCOMPARE(model.rowCount(), 1);
    QCOMPARE(group.row(), 0);
    QCOMPARE(reset.count(), 0);
}

void TestStuckModel::aNewSuspensionIsAnotherRow()
{
    Target target(3);
    Model model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setPopulation(&target.population);
    target.suspend(0, 1);
    target.advance(2 * kSecond);
    model.sample();
    const QPersistentModelIndex child = model.index(0, 0, model.index(0, 0));
    QVERIFY(child.isValid());
    target.resume(0);
    target.suspend(0, 1);
    target.advance(60 * kSecond);
    model.sample();
    QVERIFY(!child.isValid());
    QCOMPARE(model.rowCount(model.index(0, 0)), 1);
    QVERIFY(model.index(0, Model::UsualColumn).data().toULongLong() >= 2 * kSecond);
}

void TestStuckModel::rowsOfAnEndedProcessDoNotChange()
{
    Target target(2);
    Model model;
    const QAbstractItemModelTester tester(&model);
    model.setPopulation(&target.population);
    target.suspend(0, 1);
    target.suspend(1, 1);
    target.advance(5 * kSecond);
    target.endProcess();
    target.advance(kSecond);
    model.sample();
    QCOMPARE(model.stuckCount(), 2);
    const QModelIndex group = model.index(0, 0);
    const QModelIndex first = model.index(0, Model::LongestColumn, group);
    const QVariant since = first.data(Model::SinceRole);
    QCOMPARE(since.toULongLong(), 100 * kSecond);
    QCOMPARE(first.data().toULongLong(), 5 * kSecond);
    const QSignalSpy inserted(&model, &QAbstractItemModel::rowsInserted);
    const QSignalSpy removed(&model, &QAbstractItemModel::rowsRemoved);
    target.advance(10 * kSecond);
    model.sample();
    QCOMPARE(inserted.count() + removed.count(), 0);
    QCOMPARE(model.index(0, 0, group).data(Model::SinceRole), since);
    QCOMPARE(model.index(0, Model::LongestColumn, group).data().toULongLong(), 5 * kSecond);
    QCOMPARE(model.index(0, Model::LongestColumn).data().toULongLong(), 5 * kSecond);
}

void TestStuckModel::keepsRowsDuringManyChanges()
{
    Target target(1000);
    Model model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setPopulation(&target.population);
    for (CoroutineId id = 0; id < 1000; ++id)
        target.suspend(id, 1);
    target.advance(kSecond * 2);
    model.sample();
    QCOMPARE(model.stuckCount(), 1000);
    const QModelIndex group = model.index(0, 0);
    const QPersistentModelIndex even = model.index(500, 0, group);
    const QPersistentModelIndex odd = model.index(501, 0, group);
    for (CoroutineId id = 1; id < 1000; id += 2)
        target.resume(id);
    target.advance(kSecond * 60);
    model.sample();
    QCOMPARE(model.stuckCount(), 500);
    QCOMPARE(even.row(), 250);
    QCOMPARE(even.data().toUInt(), 500U);
    QVERIFY(!odd.isValid());
}

void TestStuckModel::judgesInTheBackground()
{
    Target target(Model::kBackgroundFrom * 2);
    Model model;
    model.setPopulation(&target.population);
    for (CoroutineId id = 0; id < 100; ++id)
        target.suspend(id, 1);
    target.advance(kSecond * 3);
    model.sample();
    QVERIFY(model.isJudging());
    model.sample();  // does not start a second judgement
    QTRY_COMPARE(model.stuckCount(), 100);
    model.sample();
    model.setPopulation(nullptr);
    QCOMPARE(model.stuckCount(), 0);
    QCoreApplication::processEvents();
    QCOMPARE(model.rowCount(), 0);
}

void TestStuckModel::survivesRandomChanges()
{
    constexpr std::uint32_t kCoroutines = 1000;
    Target target(kCoroutines);
    Model model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setPopulation(&target.population);
    model.setRule({kSecond, 1, kSecond});
    std::mt19937 random(11);
    std::vector<bool> suspended(kCoroutines);
    for (int round = 0; round < 60; ++round) {
        for (std::uint32_t i = 0; i < random() % 300; ++i) {
            const CoroutineId id = random() % kCoroutines;
            if (suspended[id])
                target.resume(id);
            else
                target.suspend(id, random() % 8);
            suspended[id] = !suspended[id];
        }
        target.advance(random() % 3 * kSecond + 1);
        model.sample();
        int count = 0;
        for (int row = 0; row < model.rowCount(); ++row) {
            const QModelIndex group = model.index(row, 0);
            QVERIFY(model.rowCount(group) > 0);
            count += model.rowCount(group);
            qulonglong before = ~0ULL;
            for (int i = 0; i < model.rowCount(group); ++i) {
                const qulonglong waited = model.index(i, Model::LongestColumn, group).data().toULongLong();
                QVERIFY(waited <= before);
                before = waited;
            }
        }
        QCOMPARE(count, model.stuckCount());
    }
}

CT_QT_SUITE(TestStuckModel)
#include "tst_stuckmodel.moc"
