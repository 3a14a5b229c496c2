// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The dock with the stacks: expanding, filtering, copying, and jumping to coroutines; of a simulated target and of a
// real one, live.
#include "core/session/run.h"
#include "tests/models/notedtarget.h"
#include "tests/support/qtsuite.h"
#include "tests/ui/guisupport.h"
#include "ui/docks/coroutinedock.h"
#include "ui/docks/stacksdock.h"
#include "ui/format/theme.h"
#include "ui/mainwindow.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QStackedWidget>
#include <QTableView>
#include <QTreeView>

using namespace ct;
using test::NotedTarget;
using Model = StacksModel;

namespace {

struct Stacks {
    NotedTarget target;
    StacksDock dock;
    QTreeView *tree = dock.findChild<QTreeView *>(QStringLiteral("stacksTree"));

    Stacks()
    {
        dock.resize(520, 420);
        dock.setTrace(target.population);
        dock.show();
    }
    /// Requests that a session awaits: "request" <- "handle".
    void requests(int count, const std::string &name = {})
    {
        const SiteId read = target.site("net::async_read(int)", "/src/net.cpp", 88);
        const SiteId handle = target.site("server::handle(Request)", "/src/server.cpp", 33);
        for (int i = 0; i < count; ++i) {
            const CoroutineId inner = target.born(kNoCoroutine, name);
            target.suspend(inner, read);
            target.waits(inner, WaitKind::Descriptor, 7);
            const CoroutineId outer = target.born();
            target.suspend(outer, handle);
            target.waits(outer, WaitKind::Coroutine, 0, inner);
        }
    }
    CoroutineId runner()
    {
        const CoroutineId id = target.born(kNoCoroutine, "runner");
        target.suspend(id, target.site("run()", "/src/run.cpp", 5));
        target.resume(id);
        return id;
    }
    bool show(int groups)
    {
        target.commit();
        return QTest::qWaitFor(
            [&] {
                dock.sample();
                return tree->model()->rowCount() == groups &&
                       (groups == 0 || tree->isExpanded(tree->model()->index(0, 0)));
            },
            ct::test::kPatienceMs);
    }
    QString text(const QModelIndex &index) const { return index.data().toString().replace(QChar(0x202F), u' '); }
    QString label(const char *name) { return dock.findChild<QLabel *>(QLatin1String(name))->text(); }
    void doubleClick(const QModelIndex &index)
    {
        const QPoint centre = tree->visualRect(index).center();
        QTest::mouseClick(tree->viewport(), Qt::LeftButton, {}, centre);
        QTest::mouseDClick(tree->viewport(), Qt::LeftButton, {}, centre);
    }
};

}  // namespace

class TestStacksDock : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { applyTheme(Theme::Light); }

    void withoutCoroutinesItSaysWhatItShows()
    {
        Stacks stacks;
        QVERIFY(stacks.label("stacksEmpty").startsWith(QLatin1String("When a program runs")));
        QVERIFY(stacks.dock.findChild<QLabel *>(QStringLiteral("stacksEmpty"))->isVisible());
        QVERIFY(stacks.dock.text().isEmpty());
        gui::takePicture(&stacks.dock, "stacks-empty");
    }

    void identicalStacksAreOneEntry()
    {
        Stacks stacks;
        stacks.requests(1204);
        const CoroutineId runner = stacks.runner();
        QVERIFY(stacks.show(2));
        const QAbstractItemModel *model = stacks.tree->model();
        const QModelIndex group = model->index(0, 0);
        QCOMPARE(stacks.text(group), QStringLiteral("1 204 × waits for a descriptor"));
        QCOMPARE(stacks.text(model->index(0, 0, group)), QStringLiteral("net::async_read(int) (net.cpp:88)"));
        QCOMPARE(stacks.text(model->index(1, 0, group)), QStringLiteral("server::handle(Request) (server.cpp:33)"));
        QCOMPARE(stacks.text(model->index(1, 0)), QStringLiteral("1 × runs"));
        QVERIFY(stacks.label("stacksSummary").contains(QLatin1String("2 kinds")));
        QSignalSpy activated(&stacks.dock, &StacksDock::coroutineActivated);
        stacks.doubleClick(model->index(0, 0, group));  // expands, because it stands for many
        QCOMPARE(activated.count(), 0);
        QVERIFY(stacks.tree->isExpanded(model->index(0, 0, group)));
        QTRY_COMPARE(model->rowCount(model->index(0, 0, group)), 1204);
        gui::takePicture(&stacks.dock, "stacks-many");
        const QModelIndex coroutine = model->index(2, 0, model->index(0, 0, group));
        stacks.doubleClick(coroutine);
        QCOMPARE(activated.count(), 1);
        QCOMPARE(activated.front().front().value<CoroutineId>(), CoroutineId{4});
        stacks.tree->scrollTo(model->index(1, 0));
        stacks.doubleClick(model->index(1, 0));
        QCOMPARE(activated.back().front().value<CoroutineId>(), runner);
    }

    void aFilterShowsOnlyWhatFits()
    {
        Stacks stacks;
        stacks.requests(3);
        stacks.runner();
        QVERIFY(stacks.show(2));
        QTest::keyClicks(stacks.dock.findChild<QLineEdit *>(QStringLiteral("stacksFilter")), QStringLiteral("RUN.CPP"));
        QCOMPARE(stacks.tree->model()->rowCount(), 1);
        QCOMPARE(stacks.text(stacks.tree->model()->index(0, 0)), QStringLiteral("1 × runs"));
    }

    void copiesTheTextOfTheReport()
    {
        Stacks stacks;
        stacks.requests(3);
        stacks.runner();
        QVERIFY(stacks.show(2));
        const std::string expected =
            stacksText(reportedStacks(chainGroupsOf(*stacks.target.population), stacks.target.population->now(),
                                      *stacks.target.population, nullptr));
        // A reading that began before the commit has the coroutines of the commit, and an earlier time.
        const auto copied = [&stacks] {
            stacks.dock.sample();
            return gui::click(&stacks.dock, "stacksCopy") ? QGuiApplication::clipboard()->text() : QString();
        };
        QTRY_COMPARE(copied().trimmed(), QString::fromStdString(expected).trimmed());
        const QString all = copied();
        QVERIFY(all.contains(QLatin1String("3 x waits for a descriptor")));
        stacks.tree->setCurrentIndex(stacks.tree->model()->index(1, 0));
        stacks.dock.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&stacks.dock, ct::test::kPatienceMs));
        stacks.tree->setFocus();
        QTest::keySequence(stacks.tree, QKeySequence::Copy);
        QVERIFY(QGuiApplication::clipboard()->text().startsWith(QLatin1String("1 x runs")));
    }

    void longAndHostileNames()
    {
        applyTheme(Theme::Dark);
        Stacks stacks;
        const std::string name = "<b>\"];\n" + std::string(300, 'x');
        stacks.target.suspend(stacks.target.born(kNoCoroutine, name), stacks.target.site(name, "/src/" + name, 3));
        stacks.requests(10'000);
        QVERIFY(stacks.show(2));
        const QString text = stacks.text(stacks.tree->model()->index(0, 0, stacks.tree->model()->index(1, 0)));
        QVERIFY(text.startsWith(QLatin1String("<b>\"];\\n")));
        stacks.tree->expandAll();
        gui::takePicture(&stacks.dock, "stacks-dark");
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
        auto *dock = window.findChild<StacksDock *>();
        dock->show();
        dock->raise();
        auto *tree = dock->findChild<QTreeView *>(QStringLiteral("stacksTree"));
        const auto isThere = [tree] {
            return tree->model()->index(0, 0).data().toString() == QStringLiteral("20 × waits for a lock");
        };
        QTRY_VERIFY(isThere());
        QTRY_VERIFY(tree->isExpanded(tree->model()->index(0, 0)));
        const QModelIndex link = tree->model()->index(0, 0, tree->model()->index(0, 0));
        tree->expand(link);
        QTRY_COMPARE(tree->model()->rowCount(link), 20);
        const QModelIndex third = tree->model()->index(2, 0, link);
        tree->scrollTo(third);
        const QPoint centre = tree->visualRect(third).center();
        QTest::mouseClick(tree->viewport(), Qt::LeftButton, {}, centre);
        QTest::mouseDClick(tree->viewport(), Qt::LeftButton, {}, centre);
        auto *coroutines = window.findChild<CoroutineDock *>();
        const auto selected = [coroutines] {
            return coroutines->findChild<QTableView *>()->currentIndex().data(Qt::DisplayRole).isValid();
        };
        QTRY_VERIFY(selected());
        gui::takePicture(&window, "stacks-window");
        window.run().terminateTarget();
        QTRY_COMPARE(window.run().state(), RunState::Ended);
    }

private:
    gui::Sandbox m_sandbox;
};

CT_QT_SUITE(TestStacksDock)
#include "tst_stacksdock.moc"
