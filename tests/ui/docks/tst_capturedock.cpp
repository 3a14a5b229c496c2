// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The capture dock shows every sum of the capture and hides none.
#include "tests/models/notedtarget.h"
#include "tests/support/qtsuite.h"
#include "tests/ui/guisupport.h"
#include "ui/docks/capturedock.h"
#include "ui/format/colors.h"
#include "ui/format/theme.h"
#include "ui/widgets/statusbar.h"

#include <QLabel>
#include <QProgressBar>
#include <QTabWidget>
#include <QTableView>

using namespace ct;
using test::NotedTarget;

namespace {

Accounting busySums()
{
    Accounting sums;
    sums.captured = 12'345'678;
    sums.lost = 321;
    sums.missedBeforeAttach = 1000;
    sums.coroutines = 100'000;
    sums.untraced = 2;
    sums.bornWhileOff = 17;
    sums.bornBeforeInit = 1;
    sums.stationsAllocated = 98'304;
    sums.stationsMax = 2'097'151;
    sums.recordsDropped = 400;
    sums.threadsWithoutLane = 3;
    sums.lanesInUse = 15;
    sums.lanes = 16;
    sums.laneBytes = 250ULL << 20;
    sums.laneBytesMax = 256ULL << 20;
    sums.laneFill = 0.42;
    sums.regionBytes = 300ULL << 20;
    sums.processes = 3;
    sums.coroutinesMissed = 2500;
    sums.notesLost = 7;
    sums.overflowCoroutines = 1234;
    sums.overflowEvents = 56'789;
    return sums;
}

QString textOf(QWidget &parent, const char *name)
{
    QString text = parent.findChild<QLabel *>(QLatin1String(name))->text();
    return text.replace(QChar(0x202F), u' ').replace(QChar(0x00A0), u' ');
}

void fill(NotedTarget &target)
{
    target.process(28'660, "ct_server");
    target.process(28'661, "worker-with-a-long-program-name");
    target.process(28'662, "helper");
    target.thread(101, "io-loop");
    for (int i = 0; i < 40; ++i)
        target.born(kNoCoroutine, {}, 28'660 + static_cast<std::uint32_t>(i % 3));
    target.commit(1'500'000'000);
    target.drops(101, 12'000, 3'000'000);
    target.drops(102, 400, 90'000);
    target.batch.notes.switches.push_back({28'661, target.now, false});
    target.batch.notes.processEnds.push_back({28'662, target.now});
    target.commit(100'000'000);
}

}  // namespace

class TestCaptureDock : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { applyTheme(Theme::Light); }

    void emptyDockHidesOptionalGauges()
    {
        CaptureDock dock;
        dock.resize(900, 220);
        dock.show();
        QVERIFY(QTest::qWaitForWindowExposed(&dock, ct::test::kPatienceMs));
        QCOMPARE(textOf(dock, "gaugeCaptured"), QStringLiteral("0"));
        QVERIFY(!dock.findChild<QLabel *>(QStringLiteral("gaugeWhileOff"))->isVisible());
        QVERIFY(!dock.findChild<QLabel *>(QStringLiteral("gaugeWithout"))->isVisible());
        QVERIFY(!dock.findChild<QLabel *>(QStringLiteral("gaugeTraceless"))->isVisible());
        QVERIFY(!dock.findChild<QLabel *>(QStringLiteral("gaugeNotesLost"))->isVisible());
        QVERIFY(!dock.findChild<QLabel *>(QStringLiteral("gaugeOverflow"))->isVisible());
        QVERIFY(!dock.findChild<QLabel *>(QStringLiteral("gaugeOverflowEvents"))->isVisible());
        QVERIFY(!dock.findChild<QLabel *>(QStringLiteral("gaugeEffect"))->isVisible());
        QVERIFY(!dock.findChild<QLabel *>(QStringLiteral("gaugeLimited"))->isVisible());
        gui::takePicture(&dock, "capture-empty");
    }

    void showsEverySum()
    {
        NotedTarget target;
        fill(target);
        CaptureDock dock;
        dock.resize(900, 240);
        dock.setTrace(target.population);
        dock.setOrigin(5'000'000'000'000);
        dock.show();
        QVERIFY(QTest::qWaitForWindowExposed(&dock, ct::test::kPatienceMs));
        dock.sample(busySums());
        QTRY_VERIFY((dock.sample(busySums()), textOf(dock, "gaugeCaptured") == QLatin1String("12 345 678")));
        QVERIFY(textOf(dock, "gaugeLost").contains(QLatin1String("321")));
        QCOMPARE(textOf(dock, "gaugeMissed"), QStringLiteral("1 000"));
        QVERIFY(textOf(dock, "gaugeTotal").contains(QLatin1String("12 346 999")));
        QVERIFY(textOf(dock, "gaugeUntraced").contains(u'2'));
        QCOMPARE(textOf(dock, "gaugeWhileOff"), QStringLiteral("17"));
        QCOMPARE(textOf(dock, "gaugeEarly"), QStringLiteral("1"));
        QCOMPARE(textOf(dock, "gaugeTraceless"), QStringLiteral("2 500"));
        QVERIFY(textOf(dock, "gaugeNotesLost").contains(u'7'));
        QVERIFY(textOf(dock, "gaugeOverflow").contains(QLatin1String("1 234")));
        QVERIFY(textOf(dock, "gaugeOverflowEvents").contains(QLatin1String("56 789")));
        QCOMPARE(textOf(dock, "gaugePool"), QStringLiteral("250 MiB of 256 MiB"));
        QCOMPARE(textOf(dock, "gaugeLanes"), QStringLiteral("15 in use, 16 made"));
        QVERIFY(textOf(dock, "gaugeWithout").contains(u'3'));
        QVERIFY(textOf(dock, "gaugeDropped").contains(QLatin1String("400")));
        QCOMPARE(textOf(dock, "gaugeRegion"), QStringLiteral("300 MiB"));
        QCOMPARE(textOf(dock, "gaugeFullest"), QStringLiteral("42 %"));
        gui::takePicture(&dock, "capture");
        applyTheme(Theme::Dark);
        dock.findChild<QTabWidget *>(QStringLiteral("captureTabs"))->setCurrentIndex(1);
        gui::takePicture(&dock, "capture-dark");
        dock.resize(440, 420);
        gui::takePicture(&dock, "capture-narrow");
        Accounting limited = busySums();
        limited.eventNs = 9.2;
        limited.targetCpuNs = 10'000'000'000;
        limited.limitedNs = 61'000'000'000;
        dock.resize(900, 320);
        applyTheme(Theme::Light);
        QTRY_COMPARE((dock.sample(limited), textOf(dock, "gaugeLimited")), QStringLiteral("1 min 1 s"));
        QCOMPARE(textOf(dock, "gaugeEffect"), QStringLiteral("1.1 %"));
        QString figures = dock.findChild<QLabel *>(QStringLiteral("gaugeEffect"))->toolTip();
        figures.replace(QChar(0xA0), u' ').replace(QChar(0x202F), u' ');
        QVERIFY2(figures.endsWith(QLatin1String("12 345 999 events of 9.2 ns, in 10.0 s of processor time")),
                 qPrintable(figures));
        gui::takePicture(&dock, "capture-effect");
        Accounting full = busySums();
        full.growthStopped = true;
        QTRY_VERIFY((dock.sample(full), textOf(dock, "gaugeRegion").contains(QLatin1String("file system is full"))));
    }

    void listsProcessesAndDrops()
    {
        NotedTarget target;
        fill(target);
        CaptureDock dock;
        dock.resize(900, 240);
        dock.setTrace(target.population);
        dock.show();
        QVERIFY(QTest::qWaitForWindowExposed(&dock, ct::test::kPatienceMs));
        const auto *processes = dock.findChild<QTableView *>(QStringLiteral("processTable"));
        QTRY_VERIFY((dock.sample({}), processes->model()->rowCount() >= 3));
        QStringList states;
        for (int row = 0; row < processes->model()->rowCount(); ++row)
            states << processes->model()->index(row, 2).data().toString();
        QVERIFY(states.contains(QLatin1String("Switched off")));
        QVERIFY(states.contains(QLatin1String("Ended")));
        auto *tabs = dock.findChild<QTabWidget *>(QStringLiteral("captureTabs"));
        QCOMPARE(tabs->tabText(1), QStringLiteral("Dropped (2)"));
        tabs->setFocus();
        QTest::keyClick(tabs->tabBar(), Qt::Key_Right);
        const auto *drops = dock.findChild<QTableView *>(QStringLiteral("dropTable"));
        QVERIFY(drops->isVisible());
        QCOMPARE(drops->model()->index(0, 3).data().toString(), QStringLiteral("102"));
        QCOMPARE(drops->model()->index(1, 3).data().toString(), QStringLiteral("io-loop (101)"));
    }

    void statusBarWarnsOfFullRegionAndTracingOff()
    {
        StatusBar bar;
        bar.show();
        Accounting sums = busySums();
        bar.showSums(sums, 1e6);
        QVERIFY(!bar.findChild<QLabel *>(QStringLiteral("statusFull"))->isVisible());
        sums.growthStopped = true;
        bar.showSums(sums, 1e6);
        QVERIFY(bar.findChild<QLabel *>(QStringLiteral("statusFull"))->isVisible());
        auto *state = bar.findChild<QLabel *>(QStringLiteral("statusState"));
        bar.showState(QStringLiteral("a < b"), false);
        QVERIFY(!state->text().contains(QLatin1String("<b")));
        bar.showState(QStringLiteral("Tracing is off"), true);
        QVERIFY(state->text().contains(lightColors().lossText.name()));
    }

private:
    gui::Sandbox m_sandbox;
};

CT_QT_SUITE(TestCaptureDock)
#include "tst_capturedock.moc"
