// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/waitgraphmodel.h"
#include "tests/models/notedtarget.h"
#include "tests/support/qtsuite.h"

#include <QSignalSpy>

using namespace ct;
using test::NotedTarget;

namespace {

struct Scene {
    NotedTarget target;
    SiteId site = target.site("net::read(int)", "/src/net.cpp", 88);
    WaitGraphModel model;

    Scene() { model.setTrace(target.population, nullptr, nullptr); }
    void waiting(std::uint64_t object)
    {
        const CoroutineId id = target.born();
        target.suspend(id, site);
        target.waits(id, WaitKind::Timer, object);
    }
    void sample()
    {
        target.commit();
        model.sample();
        QTRY_VERIFY(!model.isSampling());
    }
};

}  // namespace

class TestWaitGraphModel : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aReadingHasLabelsAndALayout()
    {
        Scene scene;
        QSignalSpy sampled(&scene.model, &WaitGraphModel::sampled);
        scene.waiting(9'000'000'000'000);
        scene.sample();
        QCOMPARE(sampled.count(), 1);
        const std::shared_ptr<const ShownGraph> shown = scene.model.shown();
        QVERIFY(shown && shown->isNew);
        QCOMPARE(shown->graph.nodes.size(), std::size_t{2});
        QCOMPARE(shown->labels.size(), std::size_t{2});
        QCOMPARE(shown->layout.boxes.size(), std::size_t{2});
        QCOMPARE(shown->layout.curves.size(), std::size_t{1});
        QCOMPARE(shown->labels[0][1], std::string("read (net.cpp:88)"));
    }

    void boxesGrowWithTheirTexts()
    {
        Scene scene;
        const CoroutineId awaited = scene.target.born();
        scene.target.suspend(awaited, scene.site);
        scene.target.waits(awaited, WaitKind::Timer, 9'000'000'000'000);
        const CoroutineId waiter = scene.target.born();
        scene.target.suspend(waiter, scene.site);
        scene.target.waits(waiter, WaitKind::Coroutine, 0, awaited);
        scene.sample();
        const std::shared_ptr<const ShownGraph> first = scene.model.shown();
        scene.target.wakes(waiter, awaited);
        scene.sample();
        const std::shared_ptr<const ShownGraph> woken = scene.model.shown();
        const auto indexOf = [](const ShownGraph &shown, CoroutineId id) {
            std::size_t index = 0;
            while (shown.graph.nodes.at(index).coroutine != id)
                ++index;
            return index;
        };
        const std::size_t index = indexOf(*first, waiter);
        QCOMPARE(indexOf(*woken, waiter), index);
        QCOMPARE(woken->labels[index].back(), std::string("was woken, and has not run"));
        QVERIFY(woken->isNew);
        QCOMPARE(woken->layout.boxes[index].size.width, boxSizes(woken->labels)[index].width);
        QVERIFY(woken->layout.boxes[index].size.height > first->layout.boxes[index].size.height);
    }

    void theLayoutStaysAsLongAsTheGraphIsTheSame()
    {
        Scene scene;
        scene.waiting(5'000'000'000'000 + 20 * NotedTarget::kMs);
        scene.sample();
        const std::shared_ptr<const ShownGraph> first = scene.model.shown();
        scene.sample();
        const std::shared_ptr<const ShownGraph> second = scene.model.shown();
        QVERIFY(second != first && !second->isNew);
        QVERIFY(second->labels != first->labels);  // the timer is nearer
        QCOMPARE(second->layout.boxes[0].centre.x, first->layout.boxes[0].centre.x);
        scene.waiting(9'000'000'000'000);
        scene.sample();
        QVERIFY(scene.model.shown()->isNew);
        scene.model.setTrace(nullptr, nullptr, nullptr);
        QVERIFY(!scene.model.shown());
    }
};

CT_QT_SUITE(TestWaitGraphModel)
#include "tst_waitgraphmodel.moc"
