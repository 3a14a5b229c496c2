// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/stacksmodel.h"
#include "tests/models/notedtarget.h"
#include "tests/support/qtsuite.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>

using namespace ct;
using test::NotedTarget;
using Model = StacksModel;

namespace {

/// Handlers that await readers, which wait for descriptors; and one runner.
struct Scene {
    NotedTarget target;
    SiteId reader = target.site("net::read(int)", "/src/net.cpp", 88);
    SiteId handler = target.site("handle", "/src/server.cpp", 33);
    Model model;
    QAbstractItemModelTester tester{&model, QAbstractItemModelTester::FailureReportingMode::QtTest};

    Scene() { model.setTrace(target.population, nullptr); }
    /// Returns the handler; the reader is the coroutine before it.
    CoroutineId request()
    {
        const CoroutineId inner = target.born();
        target.suspend(inner, reader);
        target.waits(inner, WaitKind::Descriptor, 7);
        const CoroutineId outer = target.born();
        target.suspend(outer, handler);
        target.waits(outer, WaitKind::Coroutine, 0, inner);
        return outer;
    }
    CoroutineId runner()
    {
        const CoroutineId id = target.born();
        target.suspend(id, handler);
        target.resume(id);
        return id;
    }
    void sample()
    {
        target.commit();
        model.sample();
        QTRY_VERIFY(!model.isSampling());
    }
    QModelIndex group(int row) const { return model.index(row, 0); }
    QModelIndex link(int row, int link) const { return model.index(link, 0, group(row)); }
};

CoroutineId idOf(const QModelIndex &index)
{
    return index.data(Model::CoroutineIdRole).toUInt();
}

}  // namespace

class TestStacksModel : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void groupsHaveLinksAndCoroutines()
    {
        Scene scene;
        for (int i = 0; i < 3; ++i)
            scene.request();
        const CoroutineId runner = scene.runner();
        scene.sample();
        Model &model = scene.model;
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.stackCount(), std::uint64_t{4});
        const QModelIndex group = scene.group(0);
        QCOMPARE(group.data().toString(), QStringLiteral("waits for a descriptor"));
        QCOMPARE(group.data(Model::CountRole).toULongLong(), 3ULL);
        QCOMPARE(group.siblingAtColumn(1).data().toULongLong(), qulonglong{NotedTarget::kMs});
        QCOMPARE(idOf(group), kNoCoroutine);
        QCOMPARE(model.rowCount(group), 2);
        const QModelIndex link = scene.link(0, 1);
        QCOMPARE(link.data().toString(), QStringLiteral("handle (server.cpp:33)"));
        QVERIFY(!link.siblingAtColumn(1).data().isValid());
        QVERIFY(model.hasChildren(link));
        model.fetchMore(link);
        QCOMPARE(model.rowCount(link), 3);
        QCOMPARE(model.parent(model.index(2, 0, link)), link);
        QCOMPARE(idOf(model.index(2, 0, link)), CoroutineId{5});
        QCOMPARE(model.index(2, 1, link).data().toULongLong(), qulonglong{NotedTarget::kMs});
        QCOMPARE(idOf(scene.group(1)), runner);
        QCOMPARE(idOf(scene.link(1, 0)), runner);
        QVERIFY(group.data(Model::StackTextRole)
                    .toString()
                    .startsWith(QLatin1String("3 x waits for a descriptor, the longest for 1.00 ms\n    net::read(int) "
                                              "(net.cpp:88)\n    handle (server.cpp:33)\n")));
    }

    void stoppedTimesDoNotCount()
    {
        Scene scene;
        scene.runner();
        scene.target.commit(300 * NotedTarget::kMs);
        const std::uint64_t stopped = scene.target.now;
        scene.target.batch.notes.processSamples = {{NotedTarget::kPid, stopped, 0, 1, stopped}};
        scene.target.commit(5000 * NotedTarget::kMs);
        scene.sample();
        scene.model.fetchMore(scene.link(0, 0));
        for (const QModelIndex &index : {scene.group(0), scene.model.index(0, 0, scene.link(0, 0))})
            QCOMPARE(index.siblingAtColumn(1).data().toULongLong(), qulonglong{300 * NotedTarget::kMs});
    }

    void aDeepRecursionHasALinkForEachCoroutine()
    {
        Scene scene;
        constexpr int kDepth = 600;
        for (int i = 0; i < 2 * kDepth; ++i) {
            const CoroutineId id = scene.target.born();
            scene.target.suspend(id, scene.handler);
            if (i % kDepth > 0)
                scene.target.waits(id, WaitKind::Coroutine, 0, id - 1);
        }
        scene.sample();
        Model &model = scene.model;
        QCOMPARE(model.rowCount(), 1);
        QCOMPARE(model.rowCount(scene.group(0)), kDepth);
        for (const int link : {0, 253, 254, 255, kDepth - 1}) {
            const QModelIndex index = scene.link(0, link);
            QCOMPARE(model.parent(index), scene.group(0));
            model.fetchMore(index);
            const QModelIndex second = model.index(1, 0, index);
            QCOMPARE(idOf(second), static_cast<CoroutineId>(kDepth + link));
            QCOMPARE(model.parent(second), index);
        }
    }

    void updatesKeepExpandedRows()
    {
        Scene scene;
        const CoroutineId first = scene.request();
        scene.request();
        scene.runner();
        scene.sample();
        Model &model = scene.model;
        const QPersistentModelIndex group = scene.group(0);
        const QPersistentModelIndex link = scene.link(0, 0);
        model.fetchMore(link);
        const QPersistentModelIndex second = model.index(1, 0, link);
        QCOMPARE(idOf(second), CoroutineId{2});
        QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
        scene.target.destroy(first);
        scene.target.destroy(first - 1);
        scene.runner();
        const CoroutineId third = scene.request();
        for (int i = 0; i < 3; ++i)
            scene.runner();
        scene.sample();
        QCOMPARE(resets.count(), 0);
        QVERIFY(group.isValid() && link.isValid() && second.isValid());
        QCOMPARE(group.row(), 1);  // there are more runners now
        QCOMPARE(idOf(second), CoroutineId{2});
        QCOMPARE(second.row(), 0);
        QCOMPARE(model.rowCount(link), 2);
        QCOMPARE(idOf(model.index(1, 0, link)), third - 1);
        scene.target.destroy(2);
        scene.target.destroy(3);
        scene.target.destroy(third);
        scene.target.destroy(third - 1);
        scene.sample();
        QVERIFY(!group.isValid());
        QCOMPARE(model.rowCount(), 1);
    }

    void manyChangesReplaceTheRows()
    {
        Scene scene;
        std::vector<CoroutineId> handlers;
        for (int i = 0; i < 1000; ++i)
            handlers.push_back(scene.request());
        scene.sample();
        const QPersistentModelIndex link = scene.link(0, 1);
        scene.model.fetchMore(link);
        for (std::size_t i = 0; i < handlers.size(); i += 2) {
            scene.target.destroy(handlers[i]);
            scene.target.destroy(handlers[i] - 1);
        }
        scene.sample();
        QCOMPARE(scene.model.rowCount(link), 500);
        for (int row = 0; row < 500; ++row)
            QCOMPARE(idOf(scene.model.index(row, 0, link)), handlers[static_cast<std::size_t>(row) * 2 + 1]);
    }

    void filtersByStateFunctionAndFile()
    {
        Scene scene;
        scene.request();
        scene.runner();
        scene.sample();
        for (const auto &[text, rows] :
             {std::pair("NET.cpp", 1), {"handle", 2}, {"runs", 1}, {"nowhere", 0}, {"", 2}}) {
            scene.model.setFilterText(QLatin1String(text));
            QCOMPARE(scene.model.rowCount(), rows);
        }
        scene.model.setFilterText(QStringLiteral("runs"));
        QCOMPARE(scene.model.stackCount(), std::uint64_t{2});  // the filter does not change what is copied
        QCOMPARE(scene.model.stacks().size(), std::size_t{2});
        scene.request();
        scene.sample();
        QCOMPARE(scene.model.rowCount(), 1);
    }

    void manyKindsAreNotAllShown()
    {
        Scene scene;
        for (std::uint32_t i = 0; i < Model::kMostGroups + 5; ++i)
            scene.target.suspend(scene.target.born(), scene.target.site("f", "/src/f.cpp", i + 1));
        scene.sample();
        QCOMPARE(scene.model.rowCount(), int{Model::kMostGroups});
        QCOMPARE(scene.model.hiddenGroups(), std::size_t{5});
        QCOMPARE(scene.model.groupCount(), std::size_t{Model::kMostGroups + 5});
        scene.model.setFilterText(QStringLiteral("f.cpp:1005"));
        QCOMPARE(scene.model.rowCount(), 1);
        QCOMPARE(scene.model.hiddenGroups(), std::size_t{0});
    }

    void anUnchangedRunIsNotReadAgain()
    {
        Scene scene;
        scene.request();
        scene.sample();
        scene.model.sample();
        QVERIFY(!scene.model.isSampling());
        scene.model.setTrace(nullptr, nullptr);
        QCOMPARE(scene.model.rowCount(), 0);
        scene.model.sample();
        QVERIFY(!scene.model.isSampling());
    }

    void aHundredThousandCoroutines()
    {
        Scene scene;
        for (int i = 0; i < 50'000; ++i)
            scene.request();
        scene.sample();
        QCOMPARE(scene.model.rowCount(), 1);
        QCOMPARE(scene.model.stackCount(), std::uint64_t{50'000});
        const QModelIndex link = scene.link(0, 1);
        scene.model.fetchMore(link);
        QCOMPARE(scene.model.rowCount(link), 50'000);
        QCOMPARE(idOf(scene.model.index(49'999, 0, link)), CoroutineId{99'999});
    }
};

CT_QT_SUITE(TestStacksModel)
#include "tst_stacksmodel.moc"
