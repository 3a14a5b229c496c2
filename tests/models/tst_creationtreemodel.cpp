// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/creationtreemodel.h"
#include "tests/models/notedtarget.h"
#include "tests/support/qtsuite.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>

#include <random>

using namespace ct;
using test::NotedTarget;
using Model = CreationTreeModel;

namespace {

constexpr auto kMode = QAbstractItemModelTester::FailureReportingMode::QtTest;

/// Samples until the tree is complete. It adds a new coroutine one sample after it saw it.
void sampleAll(Model &model)
{
    do {
        model.sample();
        model.sample();
    } while (!model.isCaughtUp());
}

QModelIndex child(Model &model, const QModelIndex &parent, int row)
{
    if (model.canFetchMore(parent))
        model.fetchMore(parent);
    return model.index(row, 0, parent);
}

CoroutineId idOf(const QModelIndex &index)
{
    return index.data(Model::CoroutineIdRole).toUInt();
}

/// Checks that every loaded row below `parent` has the right parent and index.
void verifyBelow(const Model &model, const Population &population, const QModelIndex &parent)
{
    for (int row = 0; row < model.rowCount(parent); ++row) {
        const QModelIndex index = model.index(row, 0, parent);
        QCOMPARE(index.parent(), parent);
        if (index.data(Model::MoreRole).toUInt() > 0)
            continue;
        QCOMPARE(population.parentOf(idOf(index)), parent.isValid() ? idOf(parent) : kNoCoroutine);
        QCOMPARE(model.indexOf(idOf(index)), index);
        verifyBelow(model, population, index);
    }
}

}  // namespace

class TestCreationTreeModel : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void showsParentsAndTheirChildren();
    void coroutinesWithoutRelativesAreLeftOut();
    void acceptsLateAndChangedParents();
    void parentAndChildMaySwap();
    void noCycleWhileParentAndChildSwap();
    void cyclesAreRefused();
    void longListsAreLoadedInPortions();
    void destroyedCoroutinesAreHiddenByDefault();
    void timesStopAtTheEndOfTheProcess();
    void revealsCoroutinesNotYetLoaded();
    void handlesDeepChains_data();
    void handlesDeepChains();
    void aMillionCoroutinesAreAddedInSteps();
    void survivesRandomChanges();
};

void TestCreationTreeModel::showsParentsAndTheirChildren()
{
    NotedTarget target;
    const CoroutineId root = target.born();
    const CoroutineId first = target.born(root, "first");
    const CoroutineId second = target.born(root);
    const CoroutineId grandchild = target.born(second);
    target.commit();
    Model model;
    const QAbstractItemModelTester tester(&model, kMode);
    QCOMPARE(model.rowCount(), 0);
    model.setPopulation(target.population.get());
    sampleAll(model);
    QCOMPARE(model.rowCount(), 1);
    QCOMPARE(model.treeCount(), 1U);
    QCOMPARE(model.memberCount(), 4U);
    const QModelIndex top = model.index(0, 0);
    QCOMPARE(idOf(top), root);
    QVERIFY(model.hasChildren(top));
    QCOMPARE(idOf(child(model, top, 0)), first);
    QVERIFY(!model.hasChildren(child(model, top, 0)));
    const QModelIndex branch = child(model, top, 1);
    QCOMPARE(idOf(branch), second);
    QCOMPARE(branch.siblingAtColumn(Model::ChildrenColumn).data().toUInt(), 1U);
    QCOMPARE(branch.data(Model::StateRole).toInt(), static_cast<int>(CoroutineState::Created));
    QCOMPARE(idOf(child(model, branch, 0)), grandchild);
    QCOMPARE(child(model, branch, 0).parent(), branch);
    QSignalSpy inserted(&model, &Model::rowsInserted);
    target.born(root);
    target.commit();
    sampleAll(model);
    QCOMPARE(inserted.count(), 1);
    QCOMPARE(inserted.at(0).at(0).toModelIndex(), model.index(0, 0));
    QCOMPARE(model.rowCount(model.index(0, 0)), 3);
    model.setPopulation(nullptr);
    QCOMPARE(model.rowCount(), 0);
}

void TestCreationTreeModel::coroutinesWithoutRelativesAreLeftOut()
{
    NotedTarget target;
    for (int i = 0; i < 10; ++i)
        target.born();
    target.commit();
    Model model;
    const QAbstractItemModelTester tester(&model, kMode);
    model.setPopulation(target.population.get());
    sampleAll(model);
    QCOMPARE(model.rowCount(), 0);
    QVERIFY(!model.reveal(3).isValid());
    target.born(7);
    target.commit();
    sampleAll(model);
    QCOMPARE(model.rowCount(), 1);
    QCOMPARE(idOf(model.index(0, 0)), 7U);
    QCOMPARE(model.memberCount(), 2U);
}

void TestCreationTreeModel::acceptsLateAndChangedParents()
{
    NotedTarget target;
    const CoroutineId a = target.born();
    const CoroutineId b = target.born();
    const CoroutineId c = target.born(b);
    target.commit();
    Model model;
    const QAbstractItemModelTester tester(&model, kMode);
    model.setPopulation(target.population.get());
    sampleAll(model);
    QCOMPARE(idOf(model.index(0, 0)), b);
    QVERIFY(model.reveal(c).isValid());
    target.batch.notes.parents.push_back({b, a});
    target.commit();
    sampleAll(model);
    QCOMPARE(model.rowCount(), 1);
    QCOMPARE(idOf(model.index(0, 0)), a);
    QCOMPARE(idOf(model.reveal(c).parent().parent()), a);
    target.batch.notes.parents.push_back({c, a});
    target.commit();
    sampleAll(model);
    QCOMPARE(idOf(model.reveal(c).parent()), a);
    QCOMPARE(model.rowCount(model.indexOf(a)), 2);
    QVERIFY(!model.hasChildren(model.indexOf(b)));
    verifyBelow(model, *target.population, {});
}

/// The tree reads one of two changes first. The new and the old parent together then look like a cycle.
void TestCreationTreeModel::parentAndChildMaySwap()
{
    NotedTarget target;
    const CoroutineId top = target.born();
    const CoroutineId a = target.born();
    while (target.born() % Population::kPageSize != 0) {
    }
    const CoroutineId b = target.born();  // on another page than a
    Model model;
    const QAbstractItemModelTester tester(&model, kMode);
    model.setPopulation(target.population.get());
    for (const auto &[upper, lower] : {std::pair(a, b), std::pair(b, a), std::pair(a, b)}) {
        target.batch.notes.parents.push_back({upper, top});
        target.batch.notes.parents.push_back({lower, upper});
        target.commit();
        QCOMPARE(target.population->parentOf(lower), upper);
        sampleAll(model);
        sampleAll(model);
        QCOMPARE(idOf(model.reveal(lower).parent()), upper);
        QCOMPARE(idOf(model.reveal(upper).parent()), top);
        verifyBelow(model, *target.population, {});
    }
}

/// No cycle even if an update runs out of time between the two pages: a walk towards the root must always end.
void TestCreationTreeModel::noCycleWhileParentAndChildSwap()
{
    NotedTarget target;
    const CoroutineId top = target.born();
    const CoroutineId a = target.born();
    CoroutineId b = a;
    while (b < 100 * Population::kPageSize)
        b = target.born();
    target.commit();
    CreationTree tree(*target.population);
    do
        tree.update(std::chrono::hours(1));
    while (!tree.isCaughtUp());
    const auto depthOf = [&tree](CoroutineId id) {
        int depth = 0;
        while (id != kNoCoroutine && depth < 10) {
            id = tree.parentOf(id);
            ++depth;
        }
        return depth;
    };
    for (const auto &[upper, lower] : {std::pair(a, b), std::pair(b, a), std::pair(a, b), std::pair(b, a)}) {
        target.batch.notes.parents.push_back({upper, top});
        target.batch.notes.parents.push_back({lower, upper});
        target.commit();
        for (int i = 0; i < 8; ++i) {
            tree.update(std::chrono::nanoseconds(0));  // reads 63 pages
            QVERIFY(depthOf(a) <= 3 && depthOf(b) <= 3);
        }
        QCOMPARE(tree.parentOf(lower), upper);
    }
}

void TestCreationTreeModel::cyclesAreRefused()
{
    NotedTarget target;
    for (int i = 0; i < 4; ++i)
        target.born();
    for (CoroutineId id = 0; id < 4; ++id)
        target.batch.notes.parents.push_back({id, (id + 1) % 4});
    target.batch.notes.parents.push_back({2, 2});
    target.commit();
    Model model;
    const QAbstractItemModelTester tester(&model, kMode);
    model.setPopulation(target.population.get());
    sampleAll(model);
    QCOMPARE(model.rowCount(), 1);
    for (CoroutineId id = 0; id < 4; ++id)
        (void)model.reveal(id);
}

void TestCreationTreeModel::longListsAreLoadedInPortions()
{
    NotedTarget target;
    const CoroutineId root = target.born();
    for (std::size_t i = 0; i < 2 * Model::kPortion + 10; ++i)
        target.born(root);
    target.commit();
    Model model;
    const QAbstractItemModelTester tester(&model, kMode);
    model.setPopulation(target.population.get());
    sampleAll(model);
    const QModelIndex top = model.index(0, 0);
    const auto portion = static_cast<int>(Model::kPortion);
    QVERIFY(child(model, top, 0).isValid());
    QCOMPARE(model.rowCount(top), portion + 1);
    const QModelIndex more = model.index(portion, 0, top);
    QCOMPARE(more.data(Model::MoreRole).toUInt(), Model::kPortion + 10);
    QCOMPARE(idOf(more), kNoCoroutine);
    QVERIFY(!model.hasChildren(more));
    QVERIFY(!model.index(portion, Model::StateColumn, top).data().isValid());
    model.showMore(model.index(0, 0, top));  // no effect on an ordinary row
    QCOMPARE(model.rowCount(top), portion + 1);
    model.showMore(more);
    QCOMPARE(model.rowCount(top), 2 * portion + 1);
    model.showMore(model.index(2 * portion, 0, top));
    QCOMPARE(model.rowCount(top), 2 * portion + 10);
    verifyBelow(model, *target.population, {});
}

void TestCreationTreeModel::destroyedCoroutinesAreHiddenByDefault()
{
    NotedTarget target;
    const CoroutineId root = target.born();
    const CoroutineId a = target.born(root);
    const CoroutineId b = target.born(root);
    const CoroutineId below = target.born(b);
    target.commit();
    target.destroy(a);
    target.destroy(b);
    target.commit();
    Model model;
    const QAbstractItemModelTester tester(&model, kMode);
    model.setPopulation(target.population.get());
    sampleAll(model);
    const QModelIndex top = model.index(0, 0);
    QCOMPARE(idOf(child(model, top, 0)), b);  // its child lives
    QCOMPARE(model.rowCount(top), 1);
    model.setShowDestroyed(true);
    QCOMPARE(model.rowCount(model.index(0, 0)), 2);
    model.setShowDestroyed(false);
    target.destroy(below);
    target.destroy(root);
    target.commit();
    sampleAll(model);
    QCOMPARE(model.rowCount(), 0);
    QCOMPARE(model.treeCount(), 1U);
    // A hidden coroutine reappears when a child of it lives.
    const CoroutineId late = target.born(a);
    target.commit();
    sampleAll(model);
    QCOMPARE(model.rowCount(), 1);
    QCOMPARE(idOf(model.reveal(late).parent()), a);
    verifyBelow(model, *target.population, {});
}

void TestCreationTreeModel::timesStopAtTheEndOfTheProcess()
{
    NotedTarget target;
    const CoroutineId root = target.born();
    target.born(root);
    target.commit();
    Model model;
    model.setPopulation(target.population.get());
    sampleAll(model);
    const std::uint64_t end = target.now;
    QCOMPARE(model.indexOf(root).data(Model::NowRole).toULongLong(), end);
    target.batch.notes.processEnds.push_back({NotedTarget::kPid, end});
    target.commit();
    sampleAll(model);
    QVERIFY(target.now > end);
    QCOMPARE(model.indexOf(root).data(Model::NowRole).toULongLong(), end);
}

void TestCreationTreeModel::revealsCoroutinesNotYetLoaded()
{
    NotedTarget target;
    const CoroutineId root = target.born();
    for (std::size_t i = 0; i < 5 * Model::kPortion; ++i)
        target.born(root);
    const CoroutineId last = target.born(root);
    const CoroutineId below = target.born(last);
    target.commit();
    target.destroy(3);
    target.commit();
    Model model;
    const QAbstractItemModelTester tester(&model, kMode);
    model.setPopulation(target.population.get());
    sampleAll(model);
    const QModelIndex index = model.reveal(below);
    QVERIFY(index.isValid());
    QCOMPARE(idOf(index.parent()), last);
    QCOMPARE(idOf(index.parent().parent()), root);
    QCOMPARE(model.rowCount(model.index(0, 0)), static_cast<int>(Model::kPortion) + 2);
    QVERIFY(model.reveal(3).isValid());  // destroyed, but requested
    sampleAll(model);
    QVERIFY(model.indexOf(below).isValid());
    QVERIFY(model.indexOf(3).isValid());
    QVERIFY(!model.reveal(kNoCoroutine).isValid());
    QVERIFY(!model.reveal(1'000'000).isValid());
    verifyBelow(model, *target.population, {});
}

void TestCreationTreeModel::handlesDeepChains_data()
{
    QTest::addColumn<bool>("circlesPossible");
    QTest::newRow("parents are older") << false;
    QTest::newRow("one parent is younger") << true;
}

void TestCreationTreeModel::handlesDeepChains()
{
    QFETCH(bool, circlesPossible);
    NotedTarget target;
    const CoroutineId first = target.born();
    const CoroutineId other = target.born();
    if (circlesPossible)
        target.batch.notes.parents.push_back({first, other});
    target.commit();
    Model model;
    model.setPopulation(target.population.get());
    sampleAll(model);
    CoroutineId id = first;
    for (int i = 0; i < 300'000; ++i)
        id = target.born(id);
    target.commit();
    sampleAll(model);
    QCOMPARE(model.rowCount(), 1);
    QCOMPARE(model.memberCount(), circlesPossible ? 300'002U : 300'001U);
    QVERIFY(!model.reveal(id).isValid());
    QVERIFY(model.reveal(100).isValid());
    // A new parent at the top of the chain would make a cycle. The chain below is not searched for it.
    target.batch.notes.parents.push_back({circlesPossible ? other : first, id});
    target.commit();
    sampleAll(model);
    QCOMPARE(model.rowCount(), 1);
}

void TestCreationTreeModel::aMillionCoroutinesAreAddedInSteps()
{
    NotedTarget target;
    const CoroutineId root = target.born();
    for (int i = 1; i < 1'000'000; ++i)
        target.born(root);
    target.commit();
    Model model;
    model.setPopulation(target.population.get());
    int samples = 0;
    while (!model.isCaughtUp() || samples < 2) {
        model.sample();
        ++samples;
    }
    QVERIFY(samples > 2);  // the work is divided into steps
    QCOMPARE(model.memberCount(), 1'000'000U);
    QVERIFY(child(model, model.index(0, 0), 0).isValid());
    QCOMPARE(model.rowCount(model.index(0, 0)), static_cast<int>(Model::kPortion) + 1);
}

void TestCreationTreeModel::survivesRandomChanges()
{
    NotedTarget target;
    Model model;
    const QAbstractItemModelTester tester(&model, kMode);
    model.setPopulation(target.population.get());
    std::mt19937 random(5);
    std::uint32_t born = 0;
    for (int round = 0; round < 80; ++round) {
        for (std::uint32_t i = random() % 4; i > 0; --i, ++born)
            target.born(born > 0 && random() % 4 != 0 ? random() % born : kNoCoroutine);
        for (std::uint32_t i = random() % 3; born > 1 && i > 0; --i)
            target.destroy(random() % born);
        if (born > 1 && round % 3 == 0)
            target.batch.notes.parents.push_back(
                {static_cast<CoroutineId>(random() % born), static_cast<CoroutineId>(random() % born)});
        target.commit();
        model.sample();
        switch (random() % 5) {
        case 0: model.setShowDestroyed(random() % 2); break;
        case 1: (void)model.reveal(random() % (born + 1)); break;
        case 2:
            if (model.rowCount() > 0)
                (void)child(model, model.index(static_cast<int>(random()) % model.rowCount(), 0), 0);
            break;
        default: break;
        }
    }
    model.setShowDestroyed(true);
    sampleAll(model);
    QVERIFY(model.treeCount() > 0);
    QCOMPARE(model.rowCount(), static_cast<int>(model.treeCount()));
}

CT_QT_SUITE(TestCreationTreeModel)
#include "tst_creationtreemodel.moc"
