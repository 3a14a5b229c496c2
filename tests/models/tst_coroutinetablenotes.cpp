// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The table with notes: names, parents, waits, and ends of processes.
#include "models/coroutinetablemodel.h"
#include "tests/models/notedtarget.h"
#include "tests/support/qtsuite.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>

using namespace ct;
using test::NotedTarget;
using Model = CoroutineTableModel;

class TestCoroutineTableNotes : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void showsNamesParentsAndWaits();
    void filtersAndSortsRunnableCoroutines();
    void timesStopAtTheEndOfTheProcess();
    void removesRowsOfEvictedCoroutines();
};

void TestCoroutineTableNotes::showsNamesParentsAndWaits()
{
    NotedTarget target;
    const SiteId zebra = target.site("zebra()", "z.cpp", 1);
    const SiteId lion = target.site("lion()", "l.cpp", 1);
    const CoroutineId root = target.born(kNoCoroutine, "Monkey business");
    const CoroutineId locked = target.born(root);
    const CoroutineId timed = target.born(locked);
    const CoroutineId plain = target.born(kNoCoroutine, {}, 5);
    for (const CoroutineId id : {locked, timed}) {
        target.resume(id);
        target.suspend(id, id == locked ? zebra : lion);
    }
    target.waits(locked, WaitKind::Lock, 0xBEEF);
    target.waits(timed, WaitKind::Coroutine, 0, locked);
    target.commit();
    Model model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setPopulation(target.population.get());
    const auto at = [&model](CoroutineId id, int column) { return model.index(model.rowOf(id), column).data(); };
    QCOMPARE(at(root, Model::NameColumn).toString(), QStringLiteral("Monkey business"));
    QCOMPARE(at(locked, Model::NameColumn).toString(), QString());
    QCOMPARE(at(root, Model::ParentColumn).toUInt(), kNoCoroutine);
    QCOMPARE(at(timed, Model::ParentColumn).toUInt(), locked);
    QCOMPARE(at(plain, Model::ProcessColumn).toUInt(), 5U);
    QCOMPARE(at(locked, Model::WaitsOnColumn).toInt(), static_cast<int>(WaitKind::Lock));
    QVERIFY(!at(plain, Model::WaitsOnColumn).isValid());
    QCOMPARE(model.index(model.rowOf(locked), 0).data(Model::WaitObjectRole).toULongLong(), 0xBEEFU);
    QCOMPARE(model.index(model.rowOf(timed), 0).data(Model::WaitTargetRole).toUInt(), locked);
    QCOMPARE(model.index(model.rowOf(timed), 0).data(Model::BodySiteRole).toUInt(), lion);
    // Names from notes and names of functions are sorted together. Coroutines without a name are last.
    model.sort(Model::NameColumn);
    QCOMPARE(model.visibleOrder(), (std::vector<CoroutineId>{root, timed, locked, plain}));
    model.sort(Model::WaitsOnColumn);
    QCOMPARE(model.idAt(0), locked);
    QCOMPARE(model.idAt(1), timed);
    model.sort(Model::ParentColumn, Qt::DescendingOrder);
    QCOMPARE(model.idAt(3), locked);
    model.setTextFilter(QStringLiteral("KEY bus"));
    QCOMPARE(model.visibleOrder(), std::vector<CoroutineId>{root});
    model.setTextFilter(QStringLiteral("lion"));
    QCOMPARE(model.visibleOrder(), std::vector<CoroutineId>{timed});
    model.setTextFilter(QString());
    // A pause also keeps the shown wait.
    model.setPaused(true);
    target.resume(locked);
    target.commit();
    model.sample();
    QCOMPARE(at(locked, Model::WaitsOnColumn).toInt(), static_cast<int>(WaitKind::Lock));
    model.setPaused(false);
    model.sample();
    QVERIFY(!at(locked, Model::WaitsOnColumn).isValid());
}

/// Rows of coroutines that the population evicted disappear from the table.
void TestCoroutineTableNotes::removesRowsOfEvictedCoroutines()
{
    Population population(Population::kMostCoroutines, {640, 64'000});
    CoroutineId born = 0;
    const auto run = [&population, &born](CoroutineId count) {
        for (const CoroutineId end = born + count; born < end;) {
            Batch batch;
            batch.now = 1000 + born;
            for (const CoroutineId stop = born + 100; born < stop; ++born) {
                Birth birth;
                birth.coroutine = born;
                birth.birthTs = 1 + born;
                batch.births.push_back(birth);
                batch.notes.names.push_back({born, "name " + std::to_string(born % 7)});
                if (born % 1000 != 0)
                    batch.deaths.push_back({born, batch.now});
            }
            QVERIFY(population.consume(batch));
        }
    };
    Model model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    run(500);
    model.setPopulation(&population);
    QCOMPARE(model.rowCount(), 500);
    const auto verify = [&] {
        QCOMPARE(static_cast<std::uint64_t>(model.rowCount()), population.keptCount());
        for (int row = 0; row < model.rowCount(); ++row) {
            QVERIFY(population.isKept(model.idAt(row)));
            QCOMPARE(model.rowOf(model.idAt(row)), row);
        }
        QCOMPARE(model.rowOf(70), -1);
        QVERIFY(model.rowOf(1000) >= 0);  // still alive
        QVERIFY(model.rowOf(born - 1) >= 0);
    };
    for (const int column : {Model::IdColumn, Model::NameColumn, Model::BirthColumn}) {
        model.sort(column);
        run(6400);
        model.sample();
        verify();
    }
    // While paused, the shown rows stay.
    model.setPaused(true);
    const int rows = model.rowCount();
    const CoroutineId shown = model.idAt(rows / 2);
    run(6400);
    model.sample();
    model.sort(Model::ProcessColumn);
    QCOMPARE(model.rowCount(), rows);
    QCOMPARE(model.index(model.rowOf(shown), Model::BirthColumn).data().toULongLong(), qulonglong{1} + shown);
    model.setPaused(false);
    model.sample();
    verify();
    // A model that is attached later has the same rows.
    Model late;
    late.setPopulation(&population);
    QCOMPARE(static_cast<std::uint64_t>(late.rowCount()), population.keptCount());
}

void TestCoroutineTableNotes::filtersAndSortsRunnableCoroutines()
{
    NotedTarget target;
    const SiteId site = target.site("f()", "a.cpp", 1);
    const CoroutineId woken = target.born();
    const CoroutineId asleep = target.born();
    for (const CoroutineId id : {woken, asleep}) {
        target.resume(id);
        target.suspend(id, site);
    }
    target.waits(woken, WaitKind::Lock, 0xBEEF);
    const std::uint64_t suspendedAt = target.now;
    target.commit();
    Model model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setPopulation(target.population.get());
    const auto order = [&model] {
        model.sample();
        return model.visibleOrder();
    };
    model.setStateMask(stateBit(CoroutineState::Runnable));
    QTRY_COMPARE(order(), std::vector<CoroutineId>{});
    target.wakes(woken, kNoCoroutine);
    const std::uint64_t wokenAt = target.now;
    target.commit();
    QTRY_COMPARE(order(), std::vector<CoroutineId>{woken});
    const QModelIndex row = model.index(0, Model::StateColumn);
    QCOMPARE(row.data().toInt(), static_cast<int>(CoroutineState::Runnable));
    QCOMPARE(row.siblingAtColumn(Model::SinceColumn).data().toULongLong(), wokenAt);
    QCOMPARE(row.siblingAtColumn(Model::SuspendedTimeColumn).data().toULongLong(), target.now - suspendedAt);
    QCOMPARE(row.siblingAtColumn(Model::WaitsOnColumn).data().toInt(), static_cast<int>(WaitKind::Lock));
    model.setPaused(true);
    QCOMPARE(row.siblingAtColumn(Model::WaitsOnColumn).data().toInt(), static_cast<int>(WaitKind::Lock));
    model.setPaused(false);
    model.setStateMask(kAllStates);
    model.sort(Model::SinceColumn, Qt::DescendingOrder);
    QTRY_COMPARE(order(), (std::vector<CoroutineId>{woken, asleep}));
    target.resume(woken);
    target.commit();
    model.setStateMask(stateBit(CoroutineState::Runnable));
    QTRY_COMPARE(order(), std::vector<CoroutineId>{});
}

/// Several processes. One of them has ended.
void TestCoroutineTableNotes::timesStopAtTheEndOfTheProcess()
{
    constexpr std::uint32_t kOther = NotedTarget::kPid + 1;
    constexpr std::uint64_t kMs = NotedTarget::kMs;
    NotedTarget target;
    const SiteId site = target.site("f()", "a.cpp", 1);
    const CoroutineId lives = target.born();
    const CoroutineId gone = target.born(kNoCoroutine, {}, kOther);
    const CoroutineId running = target.born(kNoCoroutine, {}, kOther);
    const CoroutineId destroyed = target.born(kNoCoroutine, {}, kOther);
    target.destroy(destroyed);
    target.suspend(gone, site);
    target.resume(running);
    target.commit(10 * kMs);
    target.suspend(lives, site);
    target.commit(20 * kMs);
    Model model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setPopulation(target.population.get());
    const auto value = [&model](CoroutineId id, int column, int role = Qt::DisplayRole) {
        return model.index(model.rowOf(id), column).data(role).toULongLong();
    };
    const auto lasted = [&value](CoroutineId id) {
        return value(id, 0, Model::NowRole) - value(id, Model::SinceColumn);
    };
    model.sort(Model::SinceColumn);
    QCOMPARE(lasted(gone), 30 * kMs);
    QCOMPARE(lasted(lives), 20 * kMs);
    QVERIFY(model.rowOf(gone) < model.rowOf(lives));
    QSignalSpy changed(&model, &Model::dataChanged);
    target.batch.notes.processEnds.push_back({kOther, target.now - 5 * kMs});
    target.commit(100 * kMs);
    model.sample();
    QVERIFY(changed.first().at(0).toModelIndex().column() == 0);  // the style of the whole row
    QCOMPARE(lasted(gone), 25 * kMs);
    QCOMPARE(value(gone, Model::SuspendedTimeColumn), 25 * kMs);
    QCOMPARE(value(running, Model::RunTimeColumn), 25 * kMs);
    QVERIFY(value(gone, 0, Model::EndedRole) && !value(lives, 0, Model::EndedRole));
    // A destroyed coroutine shows the time since its end.
    QCOMPARE(lasted(destroyed), 130 * kMs);
    QVERIFY(!value(destroyed, 0, Model::EndedRole));
    QCOMPARE(lasted(lives), 120 * kMs);
    QCOMPARE(value(lives, Model::SuspendedTimeColumn), 120 * kMs);
    // The longest time is first, as shown.
    const auto inOrder = [&] {
        model.sample();
        return model.rowOf(lives) < model.rowOf(gone);
    };
    QTRY_VERIFY(inOrder());
    model.sort(Model::SuspendedTimeColumn, Qt::DescendingOrder);
    QCOMPARE(model.rowOf(lives), 0);
    model.setPaused(true);
    model.sort(Model::SinceColumn);
    QVERIFY(model.rowOf(lives) < model.rowOf(gone));
    QCOMPARE(lasted(gone), 25 * kMs);
}

CT_QT_SUITE(TestCoroutineTableNotes)
#include "tst_coroutinetablenotes.moc"
