// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The dock with the wait-for graph: mouse, keys, export, and layouts with and without dot.
#include "core/session/run.h"
#include "tests/models/notedtarget.h"
#include "tests/support/qtsuite.h"
#include "tests/ui/guisupport.h"
#include "ui/docks/graphdock.h"
#include "ui/format/theme.h"
#include "ui/mainwindow.h"
#include "ui/widgets/graphview.h"

#include <QFile>
#include <QLabel>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QWheelEvent>
#include <QXmlStreamReader>

using namespace ct;
using test::NotedTarget;

namespace {

constexpr std::uint64_t kLock = 0x7f4711001000;

struct Graph {
    NotedTarget target;
    GraphDock dock;
    GraphView *view = dock.findChild<GraphView *>(QStringLiteral("graphView"));
    SiteId read = target.site("net::async_read(int)", "/src/net.cpp", 88);
    SiteId handle = target.site("server::handle(Request)", "/src/server.cpp", 33);

    Graph()
    {
        dock.resize(760, 480);
        dock.setTrace(target.population, nullptr, nullptr, QStringLiteral("/bin/server"));
        dock.show();
    }
    CoroutineId suspended(const std::string &name, SiteId site)
    {
        const CoroutineId id = target.born(kNoCoroutine, name);
        target.suspend(id, site);
        return id;
    }
    CoroutineId waiting(const std::string &name, SiteId site, WaitKind kind, std::uint64_t object,
                        CoroutineId awaited = kNoCoroutine)
    {
        const CoroutineId id = suspended(name, site);
        target.waits(id, kind, object, awaited);
        return id;
    }
    void acquired(CoroutineId by, std::uint64_t lock)
    {
        target.batch.notes.uses.push_back({by, 1, UseKind::Acquired, lock, handle, target.now, NotedTarget::kPid, 101});
    }
    /// 0 and 1 wait for one another; 2 awaits 0; 3 waits for a descriptor.
    void deadlock()
    {
        const CoroutineId first = waiting("transfer", handle, WaitKind::Lock, kLock);
        const CoroutineId second = waiting("refund", handle, WaitKind::Lock, kLock + 64);
        acquired(first, kLock + 64);
        acquired(second, kLock);
        waiting("request 88", handle, WaitKind::Coroutine, 0, first);
        waiting("reader", read, WaitKind::Descriptor, 7);
    }
    /// Samples until the graph has that many nodes, and its layout is final.
    bool show(std::size_t nodes)
    {
        target.commit();
        QSignalSpy laidOut(&dock, &GraphDock::layoutChanged);
        return QTest::qWaitFor(
            [&] {
                dock.sample();
                return laidOut.count() > 0 && view->graphLayout().boxes.size() == nodes;
            },
            ct::test::kPatienceMs);
    }
    bool isLaidOut() const { return !dock.findChild<DotProcess *>()->isRunning(); }
    QString label(const char *name) { return dock.findChild<QLabel *>(QLatin1String(name))->text(); }
    QString written(const QString &path)
    {
        dock.exportTo(path);
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    }
};

/// Without dot in the PATH.
class NoDot {
public:
    NoDot() : m_path(qgetenv("PATH")) { qputenv("PATH", "/nonexistent"); }
    ~NoDot() { qputenv("PATH", m_path); }

private:
    QByteArray m_path;
};

}  // namespace

class TestGraphDock : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { applyTheme(Theme::Light); }

    void withoutWaitsItSaysHowToReportThem()
    {
        Graph graph;
        QVERIFY(graph.label("graphEmpty").startsWith(QLatin1String("When a program runs")));
        graph.suspended("reader", graph.read);
        graph.target.commit();
        const auto isExplained = [&graph] {
            graph.dock.sample();
            return graph.label("graphEmpty").contains(QLatin1String("waits_on()"));
        };
        QTRY_VERIFY(isExplained());
        gui::takePicture(&graph.dock, "graph-empty");
    }

    void aClickSelectsACoroutine()
    {
        const NoDot noDot;
        Graph graph;
        graph.deadlock();
        QVERIFY(graph.show(7));
        QCOMPARE(graph.label("graphSummary"), QStringLiteral("4 coroutines, 1 cycle"));
        gui::takePicture(&graph.dock, "graph-deadlock-plain");
        QSignalSpy selected(&graph.dock, &GraphDock::coroutineSelected);
        QSignalSpy activated(&graph.dock, &GraphDock::coroutineActivated);
        const QPoint node = graph.view->boxOf(0).center().toPoint();
        QTest::mouseClick(graph.view, Qt::LeftButton, {}, node);
        QCOMPARE(selected.count(), 1);
        QCOMPARE(selected.front().front().value<CoroutineId>(), CoroutineId{0});
        QTest::mouseDClick(graph.view, Qt::LeftButton, {}, node);
        QCOMPARE(activated.count(), 1);
        const QPoint lock = graph.view->boxOf(1).center().toPoint();  // an object
        QTest::mouseClick(graph.view, Qt::LeftButton, {}, lock);
        QTest::mouseClick(graph.view, Qt::LeftButton, {}, QPoint(1, 1));
        QCOMPARE(selected.count(), 1);
    }

    void wheelDragAndKeysMoveThePicture()
    {
        const NoDot noDot;
        Graph graph;
        graph.deadlock();
        QVERIFY(graph.show(7));
        GraphView &view = *graph.view;
        const double fitted = view.scale();
        const QPointF at = view.boxOf(0).center();
        QWheelEvent wheel(at, view.mapToGlobal(at), {}, {0, 240}, {}, {}, Qt::NoScrollPhase, false);
        QApplication::sendEvent(&view, &wheel);
        QVERIFY(view.scale() > fitted);
        QVERIFY((view.boxOf(0).center() - at).manhattanLength() < 1);  // what is under the pointer stays there
        QSignalSpy selected(&graph.dock, &GraphDock::coroutineSelected);
        QTest::mousePress(&view, Qt::LeftButton, {}, at.toPoint());
        QTest::mouseMove(&view, at.toPoint() + QPoint(60, 30));
        QTest::mouseRelease(&view, Qt::LeftButton, {}, at.toPoint() + QPoint(60, 30));
        QVERIFY((view.boxOf(0).center() - at - QPointF(60, 30)).manhattanLength() < 2);
        QCOMPARE(selected.count(), 0);
        const double zoomed = view.scale();
        QTest::keyClick(&view, Qt::Key_Minus);
        QVERIFY(view.scale() < zoomed);
        QTest::keyClick(&view, Qt::Key_0);
        QCOMPARE(view.scale(), fitted);
        QVERIFY(gui::click(&graph.dock, "graphZoomIn"));
        QVERIFY(view.scale() > fitted);
        QVERIFY(gui::click(&graph.dock, "graphFit"));
        QCOMPARE(view.scale(), fitted);
        graph.dock.resize(300, 200);
        QVERIFY(view.scale() < fitted);  // still fits
    }

    void exportsTheGraph()
    {
        const NoDot noDot;
        Graph graph;
        graph.deadlock();
        QVERIFY(graph.show(7));
        const QString svg = graph.written(m_sandbox.path(QStringLiteral("waits.svg")));
        QXmlStreamReader xml(svg);
        while (!xml.atEnd())
            xml.readNext();
        QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
        QVERIFY(svg.contains(QLatin1String("request 88 #2")) && svg.contains(QLatin1String("/bin/server")));
        QVERIFY(graph.written(m_sandbox.path(QStringLiteral("waits.dot"))).startsWith(QLatin1String("digraph")));
        QSignalSpy failed(&graph.dock, &GraphDock::failed);
        QVERIFY(graph.written(QStringLiteral("/nonexistent/waits.svg")).isEmpty());
        QCOMPARE(failed.count(), 1);
    }

    void dotMakesTheLayout()
    {
        if (QStandardPaths::findExecutable(QStringLiteral("dot")).isEmpty())
            CT_QSKIP("dot is not installed");
        Graph graph;
        graph.deadlock();
        QVERIFY(graph.show(7));
        const auto isByDot = [&graph] {
            const std::vector<GraphCurve> &curves = graph.view->graphLayout().curves;
            return std::any_of(curves.begin(), curves.end(), [](const GraphCurve &curve) { return curve.size() > 4; });
        };
        QTRY_VERIFY(isByDot());
        gui::takePicture(&graph.dock, "graph-deadlock");
        applyTheme(Theme::Dark);
        graph.dock.select(0);
        gui::takePicture(&graph.dock, "graph-deadlock-dark");
    }

    void aLayoutThatTakesTooLongIsPlain()
    {
        QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("dot")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("#!/bin/sh\nexec /bin/sleep 1000\n");
        file.close();
        QVERIFY(file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        const NoDot noDot;
        qputenv("PATH", QFile::encodeName(folder.path()));
        Graph graph;
        graph.dock.setLayoutTime(50);
        graph.deadlock();
        QVERIFY(graph.show(7));
    }

    void manyCoroutinesAreGroupedBySite()
    {
        Graph graph;
        graph.deadlock();
        for (int i = 0; i < 5000; ++i) {
            const CoroutineId inner =
                graph.waiting({}, graph.read, WaitKind::Descriptor, 100 + static_cast<std::uint64_t>(i));
            graph.waiting({}, graph.handle, WaitKind::Coroutine, 0, inner);
        }
        const auto summary = [&graph] {
            graph.dock.sample();
            return graph.label("graphSummary");
        };
        graph.target.commit();
        // The dock reads the trace when it appears. On a busy machine, that graph can have some of the coroutines.
        QTRY_VERIFY(summary().startsWith(QLatin1String("10004 coroutines, 1 cycle")));
        QVERIFY2(summary().contains(QLatin1String("grouped by site")), qPrintable(summary()));
        QVERIFY(graph.view->graphLayout().boxes.size() < 10);
        QTRY_VERIFY(graph.isLaidOut());
        gui::takePicture(&graph.dock, "graph-grouped");
    }

    void longNamesAndManyWaiters()
    {
        Graph graph;
        const CoroutineId holder = graph.suspended("<b>\"];\n" + std::string(300, 'x'), graph.handle);
        graph.acquired(holder, kLock);
        for (int i = 0; i < 300; ++i)
            graph.waiting("a worker with quite a long name " + std::to_string(i), graph.read, WaitKind::Lock, kLock);
        QVERIFY(graph.show(302));
        QTRY_VERIFY(graph.isLaidOut());
        for (int i = 0; i < 3; ++i)
            graph.view->zoomIn();
        gui::takePicture(&graph.dock, "graph-star");
    }

    void aLiveRunOfARealTarget()
    {
        MainWindow window;
        window.show();
        LaunchSpec spec;
        spec.argv = {gui::targetPath("ct_causality").toStdString(), "--workers", "20", "--rounds", "2", "--hold"};
        StartRequest request;
        request.what = spec;
        window.start(request);
        auto *dock = window.findChild<GraphDock *>();
        dock->show();
        dock->raise();
        auto *view = dock->findChild<GraphView *>(QStringLiteral("graphView"));
        QTRY_COMPARE(view->graphLayout().boxes.size(), std::size_t{21});  // 20 workers, and their lock
        QTRY_VERIFY(!dock->findChild<DotProcess *>()->isRunning());
        gui::takePicture(&window, "graph-window");
        window.run().terminateTarget();
        QTRY_COMPARE(window.run().state(), RunState::Ended);
    }

private:
    gui::Sandbox m_sandbox;
};

CT_QT_SUITE(TestGraphDock)
#include "tst_graphdock.moc"
