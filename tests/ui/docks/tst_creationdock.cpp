// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The creation tree in its dock: keys, clicks, selection from other views, and the texts of an empty tree.
#include "models/creationtreemodel.h"
#include "tests/models/notedtarget.h"
#include "tests/support/qtsuite.h"
#include "tests/ui/guisupport.h"
#include "ui/docks/creationdock.h"
#include "ui/format/theme.h"

#include <QElapsedTimer>
#include <QLabel>
#include <QSignalSpy>
#include <QStackedWidget>
#include <QTreeView>

using namespace ct;
using test::NotedTarget;

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

/// Writes a server: an acceptor, its connections, and their requests.
void fill(NotedTarget &target)
{
    const SiteId accept = target.site("server::Acceptor::run()", "server.cpp", 10);
    const SiteId read = target.site("server::handleConnection(int)", "server.cpp", 33);
    const SiteId query = target.site("db::query(std::string_view)", "pool.cpp", 203);
    const CoroutineId main = target.born(kNoCoroutine, "main");
    const CoroutineId acceptor = target.born(main);
    target.commit(kSecond);
    target.resume(acceptor);
    target.suspend(acceptor, accept);
    for (int i = 0; i < 12; ++i) {
        const CoroutineId connection = target.born(acceptor, "connection 10.0.0." + std::to_string(i));
        target.resume(connection);
        target.suspend(connection, read);
        for (int k = 0; k < i % 4; ++k) {
            const CoroutineId request = target.born(connection);
            target.resume(request);
            target.suspend(request, query);
            if (k == 1)
                target.destroy(request);
        }
        target.commit(kSecond / 10);
    }
    target.born(main, "an unreasonably long name that somebody gave to a coroutine " + std::string(300, 'x'));
    target.commit(kSecond);
}

QTreeView *treeOf(CreationDock &dock)
{
    return dock.findChild<QTreeView *>(QStringLiteral("creationTree"));
}

QString summaryOf(CreationDock &dock)
{
    return dock.findChild<QLabel *>(QStringLiteral("creationSummary"))->text();
}

CoroutineId currentOf(CreationDock &dock)
{
    const QVariant id = treeOf(dock)->currentIndex().data(CreationTreeModel::CoroutineIdRole);
    return id.isValid() ? id.toUInt() : kNoCoroutine;
}

/// Samples until `done`. The dock samples every 100 ms at most, and shows a new coroutine one sample after it saw it.
bool sampleUntil(CreationDock &dock, const std::function<bool()> &done)
{
    return QTest::qWaitFor(
        [&] {
            dock.sample();
            return done();
        },
        ct::test::kPatienceMs);
}

/// A visible dock with the tree of fill().
struct Shown {
    NotedTarget target;
    CreationDock dock;

    Shown()
    {
        fill(target);
        dock.resize(460, 420);
        dock.setTrace(target.population, false);
        dock.show();
    }
};

}  // namespace

class TestCreationDock : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { applyTheme(Theme::Light); }

    void explainsAnEmptyTree()
    {
        CreationDock dock;
        dock.resize(420, 300);
        dock.show();
        QVERIFY(QTest::qWaitForWindowExposed(&dock, ct::test::kPatienceMs));
        auto *empty = dock.findChild<QLabel *>(QStringLiteral("creationEmpty"));
        QVERIFY(empty->isVisible());
        const QString before = empty->text();
        NotedTarget target;
        target.born();
        target.commit();
        dock.setTrace(target.population, false);
        QVERIFY(sampleUntil(dock, [&] { return empty->text().contains(QLatin1String("set_parent")); }));
        QVERIFY(empty->text() != before);
        gui::takePicture(&dock, "creation-empty");
    }

    void keysWalkTheTree()
    {
        Shown shown;
        auto &[target, dock] = shown;
        QVERIFY(QTest::qWaitForWindowExposed(&dock, ct::test::kPatienceMs));
        QTreeView *tree = treeOf(dock);
        QVERIFY(sampleUntil(dock, [&] { return tree->model()->rowCount() == 1; }));
        QTRY_VERIFY(tree->isExpanded(tree->model()->index(0, 0)));
        QSignalSpy selected(&dock, &CreationDock::coroutineSelected);
        tree->setFocus();
        QTest::keyClick(tree, Qt::Key_Home);
        QCOMPARE(currentOf(dock), 0U);
        QTest::keyClick(tree, Qt::Key_Down);
        QCOMPARE(currentOf(dock), 1U);
        QTest::keyClick(tree, Qt::Key_Right);  // opens the branch
        QTest::keyClick(tree, Qt::Key_Right);  // selects the first child
        QCOMPARE(currentOf(dock), 2U);
        QCOMPARE(selected.last().at(0).toUInt(), 2U);
        QTest::keyClick(tree, Qt::Key_Down);
        QTest::keyClick(tree, Qt::Key_Right);
        QVERIFY(tree->isExpanded(tree->currentIndex()));
        gui::takePicture(&dock, "creation");
        applyTheme(Theme::Dark);
        gui::takePicture(&dock, "creation-dark");
    }

    void aSelectionFromElsewhereIsRevealed()
    {
        Shown shown;
        auto &[target, dock] = shown;
        QVERIFY(QTest::qWaitForWindowExposed(&dock, ct::test::kPatienceMs));
        QVERIFY(sampleUntil(dock, [&] { return treeOf(dock)->model()->rowCount() == 1; }));
        QSignalSpy selected(&dock, &CreationDock::coroutineSelected);
        const CoroutineId request = 4;  // below the second connection
        QCOMPARE(target.population->parentOf(request), 3U);
        dock.select(request);
        QCOMPARE(currentOf(dock), request);
        QVERIFY(treeOf(dock)->isExpanded(treeOf(dock)->currentIndex().parent()));
        QCOMPARE(selected.count(), 0);  // select() emits no coroutineSelected()
        // A branch that the user closed stays closed.
        treeOf(dock)->collapse(treeOf(dock)->model()->index(0, 0));
        QVERIFY(sampleUntil(dock, [&] { return true; }));
        QVERIFY(!treeOf(dock)->isExpanded(treeOf(dock)->model()->index(0, 0)));
        const CoroutineId lonely = target.born();
        target.commit();
        dock.select(lonely);
        QCOMPARE(currentOf(dock), kNoCoroutine);
        dock.hide();
        dock.showCoroutine(request);
        QCOMPARE(currentOf(dock), request);
    }

    void showsDestroyedCoroutinesOnDemand()
    {
        NotedTarget target;
        fill(target);
        const std::uint32_t count = target.population->size();
        for (CoroutineId id = 0; id < count; ++id)
            if (target.population->at(id).deathTs == 0)
                target.destroy(id);
        target.commit();
        CreationDock dock;
        dock.resize(460, 420);
        dock.setTrace(target.population, false);
        dock.show();
        QVERIFY(QTest::qWaitForWindowExposed(&dock, ct::test::kPatienceMs));
        QVERIFY(sampleUntil(dock, [&] { return summaryOf(dock).contains(QLatin1String("all destroyed")); }));
        gui::takePicture(&dock, "creation-destroyed");
        QVERIFY(gui::click(&dock, "creationDestroyed"));
        QCOMPARE(treeOf(dock)->model()->rowCount(), 1);
        QVERIFY(gui::click(&dock, "creationDestroyed"));
        QCOMPARE(treeOf(dock)->model()->rowCount(), 0);
        dock.setRunEnded(true);
        QCOMPARE(treeOf(dock)->model()->rowCount(), 1);
    }

    void loadsAMillionChildrenInPortions()
    {
        NotedTarget target;
        const CoroutineId root = target.born(kNoCoroutine, "spawner");
        for (int i = 1; i < 1'000'000; ++i)
            target.born(root);
        target.commit();
        CreationDock dock;
        dock.resize(460, 420);
        dock.setTrace(target.population, false);
        dock.show();
        QVERIFY(QTest::qWaitForWindowExposed(&dock, ct::test::kPatienceMs));
        QTreeView *tree = treeOf(dock);
        QVERIFY(sampleUntil(
            dock, [&] { return summaryOf(dock).startsWith(QStringLiteral("1 tree of 1\u202f000\u202f000")); }));
        const QModelIndex top = tree->model()->index(0, 0);
        tree->expand(top);
        const auto portion = static_cast<int>(CreationTreeModel::kPortion);
        QTRY_COMPARE(tree->model()->rowCount(top), portion + 1);
        tree->setFocus();
        // Retry: while the opening of the branch is animated, the tree has its old rows.
        QTRY_VERIFY((QTest::keyClick(tree, Qt::Key_End), currentOf(dock) == kNoCoroutine));
        gui::takePicture(&dock, "creation-million");
        QTest::keyClick(tree, Qt::Key_Return);
        QCOMPARE(tree->model()->rowCount(top), 2 * portion + 1);
        dock.select(999'999);
        QCOMPARE(currentOf(dock), 999'999U);
    }

private:
    gui::Sandbox m_sandbox;
};

CT_QT_SUITE(TestCreationDock)
#include "tst_creationdock.moc"
