// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Names, parents, waits and wakes as the table, its tooltip and the details show them.
#include "tests/models/notedtarget.h"
#include "tests/support/qtsuite.h"
#include "tests/ui/guisupport.h"
#include "ui/docks/coroutinedock.h"
#include "ui/docks/detailsdock.h"
#include "ui/format/colors.h"
#include "ui/format/coroutinetooltip.h"
#include "ui/format/format.h"
#include "ui/format/theme.h"
#include "ui/widgets/startpage.h"

#include <QAction>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QSignalSpy>
#include <QTableView>
#include <QToolButton>

using namespace ct;
using test::NotedTarget;
using Model = CoroutineTableModel;

namespace {

struct Dock {
    QAction action;
    CoroutineDock dock{new StartPage(&action, &action, &action)};
    QTableView *table = dock.findChild<QTableView *>(QStringLiteral("coroutineTable"));

    explicit Dock(const std::shared_ptr<Population> &population)
    {
        dock.resize(1300, 420);
        dock.setTrace(population);
        dock.setOrigin(5'000'000'000'000);
        dock.show();
        dock.sample();
    }
    QString text(CoroutineId id, int column) const
    {
        QString text = table->model()->index(dock.model()->rowOf(id), column).data().toString();
        return text.replace(QChar(0x00A0), u' ');
    }
};

void fill(NotedTarget &target)
{
    const SiteId accept = target.site("server::Acceptor::run()", "/src/server.cpp", 10);
    const SiteId handle = target.site("server::handleConnection(int)", "/src/server.cpp", 33);
    target.process(NotedTarget::kPid, "ct_server");
    target.thread(101, "io-loop");
    const CoroutineId acceptor = target.born(kNoCoroutine, "acceptor");
    target.resume(acceptor);
    target.suspend(acceptor, accept);
    target.waits(acceptor, WaitKind::Descriptor, 7);
    target.commit();
    for (int i = 0; i < 30; ++i) {
        const CoroutineId id = target.born(acceptor, i % 3 == 0 ? "connection <b>" + std::to_string(i) : std::string());
        target.resume(id, 101 + static_cast<std::uint32_t>(i % 2));
        target.suspend(id, handle, 101 + static_cast<std::uint32_t>(i % 2));
        if (i % 4 == 0)
            target.waits(id, WaitKind::Lock, 0x7f12'3456);
        else if (i % 4 == 1)
            target.waits(id, WaitKind::Timer, target.now + 2'000'000'000);
        else if (i % 4 == 2)
            target.waits(id, WaitKind::Coroutine, 0, acceptor);
        target.wakes(id, acceptor);
        target.commit(20'000'000);
    }
    target.born(acceptor, std::string("two\nlines \xff ") + std::string(4000, 'n'));
    target.commit();
}

}  // namespace

class TestCoroutineDock : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init()
    {
        QSettings().clear();
        applyTheme(Theme::Light);
    }

    void showsNamesParentsAndWaits()
    {
        NotedTarget target;
        fill(target);
        Dock view(target.population);
        QCOMPARE(view.text(0, Model::NameColumn), QStringLiteral("acceptor"));
        QCOMPARE(view.text(1, Model::NameColumn), QStringLiteral("connection <b>0"));
        QCOMPARE(view.text(2, Model::NameColumn), QStringLiteral("server::handleConnection"));
        QCOMPARE(view.text(1, Model::ParentColumn), QStringLiteral("acceptor #0"));
        QCOMPARE(view.text(0, Model::ParentColumn), QString());
        QCOMPARE(view.text(0, Model::WaitsOnColumn), QStringLiteral("descriptor 7"));
        QCOMPARE(view.text(1, Model::WaitsOnColumn), QStringLiteral("lock 0x7f123456"));
        QVERIFY(view.text(2, Model::WaitsOnColumn).startsWith(QLatin1String("timer, in ")));
        QCOMPARE(view.text(3, Model::WaitsOnColumn), QStringLiteral("acceptor #0"));
        QCOMPARE(view.text(1, Model::ThreadColumn), QStringLiteral("io-loop (101)"));
        QCOMPARE(view.text(2, Model::ThreadColumn), QStringLiteral("102"));
        QVERIFY(!view.text(31, Model::NameColumn).contains(u'\n'));
        QVERIFY(QTest::qWaitForWindowExposed(&view.dock, ct::test::kPatienceMs));
        gui::takePicture(&view.dock, "table");
        applyTheme(Theme::Dark);
        gui::takePicture(&view.dock, "table-dark");
        view.dock.resize(620, 300);
        gui::takePicture(&view.dock, "table-narrow");
    }

    void showsRunnableAsAStateOfItsOwn()
    {
        NotedTarget target;
        const SiteId site = target.site("f()", "/src/a.cpp", 1);
        const CoroutineId asleep = target.born();
        const CoroutineId woken = target.born();
        for (const CoroutineId id : {asleep, woken}) {
            target.resume(id);
            target.suspend(id, site);
        }
        target.commit(300 * NotedTarget::kMs);
        target.wakes(woken, asleep);
        target.commit(200 * NotedTarget::kMs);
        Dock view(target.population);
        QCOMPARE(view.text(asleep, Model::StateColumn), QStringLiteral("Suspended"));
        QCOMPARE(view.text(woken, Model::StateColumn), QStringLiteral("Runnable"));
        QCOMPARE(view.text(woken, Model::SinceColumn), QStringLiteral("200 ms"));
        const auto dot = [&view](CoroutineId id) {
            const QModelIndex index = view.table->model()->index(view.dock.model()->rowOf(id), Model::StateColumn);
            const QImage image = index.data(Qt::DecorationRole).value<QIcon>().pixmap(12, 12).toImage();
            return image.pixelColor(6, 6);
        };
        QCOMPARE(dot(woken), lightColors().runnable);
        QCOMPARE(dot(asleep), lightColors().suspended);
        const QString tip = coroutineToolTip(*target.population, woken, target.now);
        QVERIFY2(tip.contains(QStringLiteral("Runnable for 200")), qPrintable(tip));
        const QString name = QStringLiteral("stateFilter%1");
        auto *suspended = view.dock.findChild<QToolButton *>(name.arg(static_cast<int>(CoroutineState::Suspended)));
        auto *runnable = view.dock.findChild<QToolButton *>(name.arg(static_cast<int>(CoroutineState::Runnable)));
        QVERIFY(suspended && runnable);
        QCOMPARE(runnable->text(), QStringLiteral("Runnable"));
        const auto order = [&view] {
            view.dock.sample();
            return view.dock.model()->visibleOrder();
        };
        suspended->click();
        QTRY_COMPARE(order(), std::vector<CoroutineId>{woken});
        suspended->click();
        runnable->click();
        QTRY_COMPARE(order(), std::vector<CoroutineId>{asleep});
    }

    void highlightsLossesAndStuckCoroutines()
    {
        NotedTarget target;
        const SiteId site = target.site("f()", "/src/a.cpp", 1);
        const CoroutineId whole = target.born();
        const CoroutineId lossy = target.born();
        const CoroutineId stuck = target.born();
        target.resume(stuck);
        target.suspend(stuck, site);
        target.batch.losses.push_back({lossy, 0, 17, false});
        target.commit(600'000 * NotedTarget::kMs);
        Dock view(target.population);
        Verdict verdict;
        verdict.judgedAt = target.now;
        verdict.findings.resize(1);
        verdict.findings[0].severity = Severity::Warning;
        verdict.findings[0].coroutines = {stuck};
        view.dock.setSuspects(std::make_shared<Suspects>(verdict));
        const auto colour = [&view](CoroutineId id) {
            const QModelIndex index =
                view.table->model()->index(view.dock.model()->rowOf(id), static_cast<int>(Model::LostColumn));
            return index.data(Qt::ForegroundRole).value<QColor>();
        };
        QCOMPARE(view.text(whole, Model::LostColumn), QStringLiteral("0"));
        QCOMPARE(view.text(lossy, Model::LostColumn), QStringLiteral("17"));
        QCOMPARE(colour(whole), lightColors().textMuted);
        QCOMPARE(colour(lossy), lightColors().lossText);
        QCOMPARE(view.text(stuck, Model::StateColumn), QStringLiteral("Stuck"));
        QVERIFY(view.text(whole, Model::StateColumn) != QStringLiteral("Stuck"));
        const QModelIndex state =
            view.table->model()->index(view.dock.model()->rowOf(stuck), static_cast<int>(Model::StateColumn));
        QCOMPARE(state.data(Qt::ToolTipRole).toString(), QStringLiteral("Stuck: lost wake-up (warning)"));
        target.commit(NotedTarget::kMs);
        target.resume(stuck);
        target.suspend(stuck, site);
        target.commit();
        view.dock.sample();
        QCOMPARE(view.text(stuck, Model::StateColumn), QStringLiteral("Suspended"));  // another suspension
    }

    void hidesEmptyColumns()
    {
        NotedTarget target;
        target.born();
        target.commit();
        Dock view(target.population);
        for (const int column : {Model::ParentColumn, Model::WaitsOnColumn, Model::ProcessColumn})
            QVERIFY(view.table->isColumnHidden(column));
        target.process(1, "a");
        target.process(2, "b");
        target.born(0);
        target.commit();
        QTRY_VERIFY((view.dock.sample(), !view.table->isColumnHidden(Model::ProcessColumn)));
        QVERIFY(!view.table->isColumnHidden(Model::ParentColumn));
        QVERIFY(view.table->isColumnHidden(Model::WaitsOnColumn));
    }

    void theUserChoosesColumns()
    {
        NotedTarget target;
        target.born();
        target.commit();
        {
            Dock view(target.population);
            QMenu *menu = view.dock.columnsMenu();
            QCOMPARE(menu->actions().size(), static_cast<qsizetype>(Model::ColumnCount));
            QVERIFY(!menu->actions().at(Model::IdColumn)->isEnabled());
            menu->actions().at(Model::LostColumn)->trigger();
            menu->actions().at(Model::WaitsOnColumn)->trigger();
            QVERIFY(view.table->isColumnHidden(Model::LostColumn));
            QVERIFY(!view.table->isColumnHidden(Model::WaitsOnColumn));
            // The menu also opens from the header.
            QHeaderView *header = view.table->horizontalHeader();
            Q_EMIT header->customContextMenuRequested(QPoint(20, 5));
            QTRY_VERIFY(menu->isVisible());
            gui::takePicture(menu, "table-columns");
            menu->close();
        }
        Dock again(target.population);
        QVERIFY(again.table->isColumnHidden(Model::LostColumn));
        QVERIFY(!again.table->isColumnHidden(Model::WaitsOnColumn));
    }

    void filtersByName()
    {
        NotedTarget target;
        fill(target);
        Dock view(target.population);
        view.dock.focusFilter();
        QTest::keyClicks(view.dock.findChild<QLineEdit *>(QStringLiteral("coroutineFilter")),
                         QStringLiteral("CONNECTION <b>27"));
        QCOMPARE(view.dock.model()->visibleOrder(), std::vector<CoroutineId>{28});
    }

    void toolTipShowsNameWaitWakeAndLocation()
    {
        NotedTarget target;
        fill(target);
        Dock view(target.population);
        const QString tip = view.table->model()
                                ->index(view.dock.model()->rowOf(1), Model::NameColumn)
                                .data(Qt::ToolTipRole)
                                .toString()
                                .replace(QChar(0x00A0), u' ');
        for (const char *part : {"connection &lt;b&gt;0", "lock 0x7f123456", "by acceptor #0", "thread 102",
                                 "ct_server (4711)", "handleConnection server.cpp:33"})
            QVERIFY2(tip.contains(QLatin1String(part)), part);
        QVERIFY(!tip.contains(QLatin1String("<b>0")));
        const QString all = coroutineToolTip(*target.population, 0, target.now);
        QVERIFY(all.contains(QLatin1String("children</td><td>31")));
        QVERIFY(coroutineToolTip(*target.population, 31, target.now).size() < 1000);
        QCOMPARE(coroutineToolTip(*target.population, kNoCoroutine, 0), QString());
    }

    void generatorsOfAFunctionShareARow()
    {
        NotedTarget target;
        fill(target);
        Dock plain(target.population);
        QVERIFY(!plain.dock.findChild<QToolButton *>(QStringLiteral("expandGenerators"))->isVisible());
        const int others = plain.table->model()->rowCount();
        const SiteId site = target.site("numbers(int)", "/src/numbers.cpp", 3);
        const SiteId start = target.site("numbers(int)", "/src/numbers.cpp", 1);
        const SiteId end = target.site("numbers(int)", "/src/numbers.cpp", 9);
        const CoroutineId first = target.population->size();
        const auto suspend = [&target](CoroutineId generator, SiteId where, PointKind kind) {
            target.suspend(generator, where);
            target.batch.transitions.back().kind = kind;
        };
        const auto bear = [&](int count) {
            for (int i = 0; i < count; ++i) {
                const CoroutineId generator = target.born(0);
                suspend(generator, start, PointKind::Initial);
                if (i % 4 == 3)
                    continue;  // not started
                target.resume(generator);
                suspend(generator, site, PointKind::Yield);
                target.resume(generator);
                suspend(generator, end, PointKind::Final);
                if (i % 4 == 2)
                    target.destroy(generator);
            }
            target.commit();
        };
        bear(40);
        Dock view(target.population);
        const auto rows = [&] { return view.table->model()->rowCount(); };
        const auto at = [&](int column) {
            return view.table->model()->index(view.dock.model()->rowOf(first), column).data().toString();
        };
        auto *button = view.dock.findChild<QToolButton *>(QStringLiteral("expandGenerators"));
        QVERIFY(button->isVisible());
        QVERIFY(!button->isChecked());
        QTRY_COMPARE_WITH_TIMEOUT(rows(), others + 1, ct::test::kPatienceMs);
        QCOMPARE(at(Model::NameColumn), QStringLiteral("numbers ×40"));
        QCOMPARE(at(Model::EventsColumn), QString::number(30 * 5 + 10));
        view.dock.select(first);
        gui::takePicture(&view.dock, "generators");
        QVERIFY(
            view.dock.findChild<QLabel *>(QStringLiteral("coroutineCount"))->text().contains(QLatin1String(" of ")));

        view.dock.select(0);
        view.dock.select(first + 5);  // another view shows a generator of the group
        QCOMPARE(view.table->currentIndex().row(), view.dock.model()->rowOf(first));

        // New generators join the group and get no rows in between.
        int most = rows();
        connect(view.table->model(), &QAbstractItemModel::rowsInserted, [&] { most = std::max(most, rows()); });
        bear(20);
        QTRY_COMPARE_WITH_TIMEOUT((view.dock.sample(), at(Model::NameColumn)), QStringLiteral("numbers ×60"),
                                  ct::test::kPatienceMs);
        QCOMPARE(most, others + 1);

        QTest::mouseClick(button, Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(rows(), others + 60, ct::test::kPatienceMs);
        QCOMPARE(at(Model::NameColumn), QStringLiteral("numbers"));
        QCOMPARE(at(Model::EventsColumn), QStringLiteral("5"));
        QTest::mouseClick(button, Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(rows(), others + 1, ct::test::kPatienceMs);
    }

    /// Another view can show a coroutine before the table does.
    void selectsACoroutineOnceItIsInTheTable()
    {
        NotedTarget target;
        fill(target);
        Dock view(target.population);
        const auto current = [&view] {
            view.dock.sample();
            const QModelIndex index = view.table->currentIndex();
            return index.isValid() ? view.dock.model()->idAt(index.row()) : kNoCoroutine;
        };
        const auto add = [&target] {
            const CoroutineId id = target.born();
            target.commit();
            return id;
        };
        const CoroutineId late = add();
        view.dock.select(late);
        QVERIFY(!view.table->currentIndex().isValid());
        QTRY_COMPARE(current(), late);
        // A filter can hide it, too.
        view.dock.setFilterText(QStringLiteral("acceptor"));
        QTRY_COMPARE(view.dock.model()->rowOf(7), -1);
        view.dock.select(7);
        QCOMPARE(current(), kNoCoroutine);
        view.dock.setFilterText({});
        QTRY_COMPARE(current(), CoroutineId{7});
        // The last choice counts, here and elsewhere.
        const CoroutineId later = add();
        view.dock.select(later);
        view.dock.select(3);
        QTRY_VERIFY(current() != kNoCoroutine && view.dock.model()->rowOf(later) >= 0);
        QCOMPARE(current(), CoroutineId{3});
        const CoroutineId latest = add();
        view.dock.select(latest);
        view.table->setCurrentIndex(view.table->model()->index(view.dock.model()->rowOf(5), 0));
        QTRY_VERIFY(current() != kNoCoroutine && view.dock.model()->rowOf(latest) >= 0);
        QCOMPARE(current(), CoroutineId{5});
    }

    void detailsLinkToRelatedCoroutines()
    {
        NotedTarget target;
        fill(target);
        target.destroy(10);
        target.commit();
        DetailsDock dock;
        dock.resize(420, 520);
        dock.setTrace(target.population, target.history);
        dock.show();
        QVERIFY(QTest::qWaitForWindowExposed(&dock, ct::test::kPatienceMs));
        dock.select(3);
        QCOMPARE(dock.findChild<QLineEdit *>(QStringLiteral("detailsName"))->text(),
                 QStringLiteral("server::handleConnection"));
        auto *parent = dock.findChild<QLabel *>(QStringLiteral("detailsParent"));
        QVERIFY(parent->isVisible());
        QVERIFY(!dock.findChild<QLabel *>(QStringLiteral("detailsChildren"))->isVisible());
        QVERIFY(dock.findChild<QLabel *>(QStringLiteral("detailsWaits"))->text().contains(QLatin1String("href=\"0\"")));
        gui::takePicture(&dock, "details");
        QSignalSpy selected(&dock, &DetailsDock::coroutineSelected);
        parent->setFocus(Qt::TabFocusReason);
        QTest::keyClick(parent, Qt::Key_Tab);  // no link in the label has the focus before
        parent->setFocus(Qt::TabFocusReason);
        QTest::mouseClick(parent, Qt::LeftButton, {}, QPoint(8, parent->height() / 2));
        QCOMPARE(selected.count(), 1);
        QCOMPARE(selected.at(0).at(0).toUInt(), 0U);
        dock.select(0);
        auto *children = dock.findChild<QLabel *>(QStringLiteral("detailsChildren"));
        QVERIFY(children->isVisible());
        QVERIFY(!parent->isVisible());
        QSignalSpy tree(&dock, &DetailsDock::treeRequested);
        QTest::mouseClick(children, Qt::LeftButton, {}, QPoint(8, children->height() / 2));
        QCOMPARE(tree.count(), 1);
        QCOMPARE(tree.at(0).at(0).toUInt(), 0U);
        dock.select(10);
        QVERIFY(
            dock.findChild<QLineEdit *>(QStringLiteral("detailsBorn"))->text().contains(QLatin1String("destroyed")));
        dock.select(31);
        QCOMPARE(dock.width(), 420);
        applyTheme(Theme::Dark);
        gui::takePicture(&dock, "details-dark");
    }

    void filtersAMillionRows()
    {
        NotedTarget target;
        for (int i = 0; i < 1'000'000; ++i)
            target.born(i > 0 ? 0 : kNoCoroutine, i % 1000 == 0 ? "special " + std::to_string(i) : std::string());
        target.commit();
        Dock view(target.population);
        QTRY_VERIFY(!view.dock.model()->isSorting());
        QCOMPARE(view.table->model()->rowCount(), 1'000'000);
        view.dock.setFilterText(QStringLiteral("special 77"));
        QTRY_COMPARE_WITH_TIMEOUT(view.table->model()->rowCount(), 11, ct::test::kPatienceMs);
        QVERIFY(QTest::qWaitForWindowExposed(&view.dock, ct::test::kPatienceMs));
        view.dock.setFilterText({});
        QTRY_COMPARE_WITH_TIMEOUT(view.table->model()->rowCount(), 1'000'000, ct::test::kPatienceMs);
        gui::takePicture(&view.dock, "table-million");
    }

private:
    gui::Sandbox m_sandbox;
};

CT_QT_SUITE(TestCoroutineDock)
#include "tst_coroutinedock.moc"
