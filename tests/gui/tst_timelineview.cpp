// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/models/timelinetrace.h"
#include "ui/timelinescene.h"
#include "ui/timelineview.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QHelpEvent>
#include <QImage>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QToolTip>
#include <QWheelEvent>

#include <array>
#include <memory>
#include <numeric>
#include <random>

using namespace ct;
using test::TimelineTrace;

namespace {

constexpr std::uint64_t kMs = 1'000'000;
constexpr std::uint64_t kSecond = 1'000 * kMs;
constexpr std::uint64_t kBase = 5'000 * kSecond;

/// Sixty coroutines of a server: requests and answers, busy ones, stuck ones, a gap.
struct Server {
    TimelineTrace trace;
    std::vector<CoroutineId> rows;
    std::mt19937 random{7};

    std::uint64_t below(std::uint64_t limit)
    {
        return std::uniform_int_distribution<std::uint64_t>(0, limit - 1)(random);
    }

    void fill(std::uint64_t end)
    {
        const SiteId accept = trace.site("Task<void> net::acceptLoop(net::Listener&)", "src/net/listener.cpp", 41);
        const SiteId read = trace.site("Task<std::size_t> net::Connection::asyncRead(std::span<std::byte>)",
                                       "src/net/connection.cpp", 88);
        const SiteId write = trace.site("Task<void> net::Connection::asyncWrite(std::span<const std::byte>)",
                                        "src/net/connection.cpp", 121);
        const SiteId query = trace.site("Task<Rows> db::Pool::query(std::string_view)", "src/db/pool.cpp", 203);
        const SiteId handle = trace.site("Task<void> handleRequest(Request)", "src/server.cpp", 64);
        const SiteId timer = trace.site("Task<void> heartbeat()", "src/heartbeat.cpp", 17);
        const CoroutineId acceptor = trace.born(kBase);
        trace.resume(acceptor, kBase + 1000, 101);
        std::uint64_t t = kBase + 200'000;
        while (t < end) {
            trace.suspend(acceptor, t, accept);
            t += 20 * kMs + below(300 * kMs);
            if (t >= end)
                break;
            trace.resume(acceptor, t, 101);
            t += 50'000 + below(kMs);
        }
        const CoroutineId beat = trace.born(kBase);
        for (std::uint64_t ts = kBase + 5 * kMs; ts < end; ts += 250 * kMs) {
            trace.resume(beat, ts, 102);
            trace.suspend(beat, ts + 3 * kMs, timer);
        }
        for (int i = 0; i < 58; ++i)
            connection(kBase + below(end - kBase - kSecond), end, i, {read, write, query, handle});
        trace.pass(end);
    }

    void connection(std::uint64_t t, std::uint64_t end, int kind, const std::array<SiteId, 4> &sites)
    {
        const auto [read, write, query, handle] = sites;
        const CoroutineId id = trace.born(t);
        const bool stuck = kind % 9 == 4;
        const bool busy = kind % 7 == 3;
        const int requests = busy ? 4000 : 5 + static_cast<int>(below(40));
        for (int i = 0; i < requests; ++i) {
            t += busy ? 20'000 : 200'000;
            if (t >= end)
                return;
            trace.resume(id, t, 101 + static_cast<std::uint32_t>(below(4)));
            t += busy ? below(kMs) : kMs + below(8 * kMs);
            if (t >= end)
                return;
            trace.suspend(id, t, i % 3 == 0 ? read : i % 3 == 1 ? query : write);
            t += busy ? below(2 * kMs) : i % 3 == 1 ? 40 * kMs + below(60 * kMs) : 2 * kMs + below(120 * kMs);
            if (kind == 12 && i == 6) {
                trace.lose(id, 40);
                t += 400 * kMs;
            }
            if (stuck && t > end - 7 * kSecond) {
                return;
            }
        }
        if (t + 500 * kMs >= end)
            return;
        trace.resume(id, t, 103);
        trace.suspend(id, t + kMs, handle, PointKind::Final);
        if (kind % 2)
            trace.dies(id, t + 300 * kMs);
    }
};

/// Counts paint events of a viewport.
class PaintCounter : public QObject {
public:
    int count = 0;
    bool eventFilter(QObject *, QEvent *event) override
    {
        count += event->type() == QEvent::Paint;
        return false;
    }
};

}  // namespace

class TimelineViewTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init();
    void emptyStates();
    void everyKindOfMarkIsVisible_data();
    void everyKindOfMarkIsVisible();
    void followsUntilPannedIntoThePast();
    void wheelScrollsRowsZoomsAndPans();
    void zoomKeepsTheTimeUnderTheCursor();
    void clickActivatesTheRow();
    void selectionScrollsIntoView();
    void dragPansBothWays();
    void shiftDragMeasures();
    void doubleClickZoomsToTheBar();
    void keyboard();
    void toolTipTellsStatePlaceAndDuration();
    void scrollBarMovesInTime();
    void repaintsOnlyWhenSomethingChanged();
    void hundredThousandRows();
    void severalPixelsInOne();
    void survivesATraceThatGoesAway();

private:
    void wheel(QPoint position, QPoint delta, Qt::KeyboardModifiers modifiers);
    QPoint center(int row, int x) const;

    std::unique_ptr<TimelineView> m_view;
};

namespace {

constexpr int kPlotLeft = 250;  // of a view 1000 wide

std::vector<CoroutineId> allRows(const TimelineTrace &trace)
{
    std::vector<CoroutineId> rows(trace.population.size());
    std::iota(rows.begin(), rows.end(), 0U);
    return rows;
}

/// `count` coroutines that wait since kBase + 1 s; now is kBase + 10 s.
void fillWaiting(TimelineTrace &trace, int count)
{
    const SiteId site = trace.site("Task<void> net::waiter(int)", "src/wait<er>.cpp", 42);
    for (int i = 0; i < count; ++i) {
        const CoroutineId id = trace.born(kBase);
        trace.resume(id, kBase, 77);
        trace.suspend(id, kBase + kSecond, site);
    }
    trace.pass(kBase + 10 * kSecond);
}

}  // namespace

void TimelineViewTest::init()
{
    m_view = std::make_unique<TimelineView>();
    m_view->resize(1000 + m_view->verticalScrollBar()->sizeHint().width(), 400);
}

void TimelineViewTest::wheel(QPoint position, QPoint delta, Qt::KeyboardModifiers modifiers)
{
    QWheelEvent event(position, m_view->viewport()->mapToGlobal(position), {}, delta, Qt::NoButton, modifiers,
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(m_view->viewport(), &event);
}

QPoint TimelineViewTest::center(int row, int x) const
{
    return {x, TimelineScene::kAxisHeight + row * TimelineScene::kRowHeight + TimelineScene::kRowHeight / 2 -
                   m_view->verticalScrollBar()->value()};
}

void TimelineViewTest::emptyStates()
{
    QVERIFY(!m_view->accessibleName().isEmpty());
    m_view->sample();
    m_view->grab();
    m_view->zoomToFit();
    m_view->zoomIn();
    QTest::mouseDClick(m_view->viewport(), Qt::LeftButton, {}, QPoint(500, 100));
    TimelineScene scene;
    const QString nothing = scene.emptyText();
    TimelineTrace trace;
    scene.setTrace(&trace.population, &trace.history);
    const QString nobody = scene.emptyText();
    fillWaiting(trace, 1);
    const QString filtered = scene.emptyText();
    QVERIFY(nothing != nobody && nobody != filtered && nothing != filtered);
    m_view->setTrace(&trace.population, &trace.history);
    m_view->sample();
    m_view->setRows({0, 17});  // 17 is not known (yet)
    m_view->sample();
    m_view->grab();
}

void TimelineViewTest::everyKindOfMarkIsVisible_data()
{
    QTest::addColumn<bool>("dark");
    QTest::newRow("light") << false;
    QTest::newRow("dark") << true;
}

void TimelineViewTest::everyKindOfMarkIsVisible()
{
    QFETCH(bool, dark);
    Server server;
    server.fill(kBase + 12 * kSecond);
    const Colors &colors = dark ? darkColors() : lightColors();
    QPalette palette;
    palette.setColor(QPalette::Window, colors.background);
    palette.setColor(QPalette::WindowText, colors.text);
    m_view->setPalette(palette);
    m_view->resize(1400, 1000);
    m_view->setTrace(&server.trace.population, &server.trace.history);
    m_view->setRows(allRows(server.trace));
    m_view->show();
    m_view->zoomToFit();
    const QImage image = m_view->grab().toImage();
    QHash<QRgb, int> counts;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            ++counts[image.pixel(x, y)];
    for (const QColor &color : {colors.running, colors.suspended, colors.stuck, colors.gap, colors.finished})
        QVERIFY2(counts.value(color.rgb()) > 50, qPrintable(color.name()));
    // For people: CT_PICTURES names a folder.
    if (qEnvironmentVariableIsSet("CT_PICTURES"))
        image.save(qEnvironmentVariable("CT_PICTURES") + QStringLiteral("/timeline-%1.png").arg(dark));
}

void TimelineViewTest::followsUntilPannedIntoThePast()
{
    TimelineTrace trace;
    fillWaiting(trace, 3);
    m_view->setTrace(&trace.population, &trace.history);
    m_view->setRows(allRows(trace));
    m_view->show();
    QVERIFY(m_view->followLive());
    const auto rightEdge = [&] { return static_cast<std::uint64_t>(m_view->visibleFrom() + m_view->visibleSpan()); };
    const std::int64_t span = m_view->visibleSpan();
    for (std::uint64_t now = kBase + 11 * kSecond; now < kBase + 13 * kSecond; now += 33 * kMs) {
        trace.pass(now);
        m_view->sample();
        QVERIFY(rightEdge() > now && rightEdge() <= now + static_cast<std::uint64_t>(span) / 500);
        QCOMPARE(m_view->visibleSpan(), span);
    }
    QSignalSpy spy(m_view.get(), &TimelineView::followLiveChanged);
    QTest::keyClick(m_view.get(), Qt::Key_Left);
    QVERIFY(!m_view->followLive());
    QCOMPARE(spy.count(), 1);
    QCOMPARE(spy.takeFirst().at(0).toBool(), false);
    const std::int64_t from = m_view->visibleFrom();
    trace.pass(kBase + 14 * kSecond);
    m_view->sample();
    QCOMPARE(m_view->visibleFrom(), from);
    m_view->setFollowLive(true);
    QCOMPARE(spy.count(), 1);
    QVERIFY(rightEdge() > kBase + 14 * kSecond);
    m_view->zoomIn();  // follows on
    QVERIFY(m_view->followLive());
    QVERIFY(m_view->visibleSpan() < span && rightEdge() > kBase + 14 * kSecond);
}

void TimelineViewTest::wheelScrollsRowsZoomsAndPans()
{
    TimelineTrace trace;
    fillWaiting(trace, 200);
    m_view->setTrace(&trace.population, &trace.history);
    m_view->setRows(allRows(trace));
    m_view->show();
    m_view->zoomToFit();
    wheel({600, 100}, {0, -120}, Qt::NoModifier);
    QCOMPARE(m_view->verticalScrollBar()->value(), 3 * TimelineScene::kRowHeight);
    const std::int64_t span = m_view->visibleSpan();
    wheel({600, 100}, {0, 120}, Qt::ControlModifier);
    QVERIFY(m_view->visibleSpan() < span);
    const std::int64_t from = m_view->visibleFrom();
    wheel({600, 100}, {0, -120}, Qt::ShiftModifier);
    QVERIFY(m_view->visibleFrom() > from);
    wheel({600, 100}, {120, 0}, Qt::NoModifier);
    QCOMPARE(m_view->visibleFrom(), from);
    QCOMPARE(m_view->verticalScrollBar()->value(), 3 * TimelineScene::kRowHeight);
}

void TimelineViewTest::zoomKeepsTheTimeUnderTheCursor()
{
    TimelineTrace trace;
    fillWaiting(trace, 5);
    m_view->setTrace(&trace.population, &trace.history);
    m_view->setRows(allRows(trace));
    m_view->show();
    m_view->zoomToFit();
    const int columns = m_view->viewport()->width() - kPlotLeft;
    const auto timeAt = [&](int x) {
        return m_view->visibleFrom() + m_view->visibleSpan() / columns * (x - kPlotLeft);
    };
    const std::int64_t before = timeAt(700);
    for (int i = 0; i < 30; ++i) {
        wheel({700, 50}, {0, 120}, Qt::ControlModifier);
        QCOMPARE(timeAt(700), before);
    }
    for (int i = 0; i < 20; ++i)
        wheel({700, 50}, {0, -120}, Qt::ControlModifier);
    QCOMPARE(timeAt(700), before);
}

void TimelineViewTest::clickActivatesTheRow()
{
    TimelineTrace trace;
    fillWaiting(trace, 5);
    m_view->setTrace(&trace.population, &trace.history);
    m_view->setRows({4, 3, 2, 1, 0});
    m_view->show();
    QSignalSpy spy(m_view.get(), &TimelineView::coroutineActivated);
    QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, center(1, 600));
    QCOMPARE(spy.count(), 1);
    QCOMPARE(spy.takeFirst().at(0).value<CoroutineId>(), 3U);
    QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, center(4, 20));
    QCOMPARE(spy.takeFirst().at(0).value<CoroutineId>(), 0U);
    QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, QPoint(600, 5));
    QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, center(8, 600));
    QCOMPARE(spy.count(), 0);
}

void TimelineViewTest::selectionScrollsIntoView()
{
    TimelineTrace trace;
    fillWaiting(trace, 300);
    m_view->setTrace(&trace.population, &trace.history);
    m_view->setRows(allRows(trace));
    m_view->show();
    m_view->setSelected(200);
    const int top = center(200, 0).y();
    QVERIFY(top > TimelineScene::kAxisHeight && top < m_view->viewport()->height());
    m_view->setSelected(3);
    QVERIFY(center(3, 0).y() > TimelineScene::kAxisHeight);
    m_view->setSelected(kNoCoroutine);
    m_view->setSelected(100'000);
    QVERIFY(center(3, 0).y() > TimelineScene::kAxisHeight);
}

void TimelineViewTest::dragPansBothWays()
{
    TimelineTrace trace;
    fillWaiting(trace, 300);
    m_view->setTrace(&trace.population, &trace.history);
    m_view->setRows(allRows(trace));
    m_view->show();
    m_view->zoomToFit();
    m_view->zoomIn();
    const std::int64_t from = m_view->visibleFrom();
    QSignalSpy spy(m_view.get(), &TimelineView::coroutineActivated);
    QTest::mousePress(m_view->viewport(), Qt::LeftButton, {}, QPoint(600, 300));
    QTest::mouseMove(m_view->viewport(), QPoint(560, 260));
    QTest::mouseMove(m_view->viewport(), QPoint(500, 200));
    QTest::mouseRelease(m_view->viewport(), Qt::LeftButton, {}, QPoint(500, 200));
    QVERIFY(m_view->visibleFrom() > from);
    QCOMPARE(m_view->verticalScrollBar()->value(), 100);
    QCOMPARE(spy.count(), 0);
}

void TimelineViewTest::shiftDragMeasures()
{
    TimelineTrace trace;
    fillWaiting(trace, 3);
    m_view->setTrace(&trace.population, &trace.history);
    m_view->setRows(allRows(trace));
    m_view->show();
    m_view->zoomToFit();
    const std::int64_t from = m_view->visibleFrom();
    const QImage before = m_view->grab().toImage();
    QTest::mousePress(m_view->viewport(), Qt::LeftButton, Qt::ShiftModifier, QPoint(500, 300));
    QTest::mouseMove(m_view->viewport(), QPoint(700, 300));
    QTest::mouseRelease(m_view->viewport(), Qt::LeftButton, Qt::ShiftModifier, QPoint(700, 300));
    const QImage during = m_view->grab().toImage();
    QVERIFY(during.pixel(600, 300) != before.pixel(600, 300));
    QCOMPARE(during.pixel(720, 300), before.pixel(720, 300));
    QCOMPARE(m_view->visibleFrom(), from);
    QTest::keyClick(m_view.get(), Qt::Key_Escape);
    QCOMPARE(m_view->grab().toImage().pixel(600, 300), before.pixel(600, 300));
}

void TimelineViewTest::doubleClickZoomsToTheBar()
{
    TimelineTrace trace;
    fillWaiting(trace, 3);
    m_view->setTrace(&trace.population, &trace.history);
    m_view->setRows(allRows(trace));
    m_view->show();
    m_view->zoomToFit();
    // The run of the first second lies at the left.
    QTest::mouseDClick(m_view->viewport(), Qt::LeftButton, {}, center(0, kPlotLeft + 30));
    QVERIFY(!m_view->followLive());
    QVERIFY(m_view->visibleFrom() < static_cast<std::int64_t>(kBase));
    QVERIFY(m_view->visibleSpan() > static_cast<std::int64_t>(kSecond));
    QVERIFY(m_view->visibleSpan() < static_cast<std::int64_t>(2 * kSecond));
    // On the label: the whole life.
    QTest::mouseDClick(m_view->viewport(), Qt::LeftButton, {}, center(0, 20));
    QVERIFY(m_view->visibleSpan() > static_cast<std::int64_t>(10 * kSecond));
}

void TimelineViewTest::keyboard()
{
    TimelineTrace trace;
    fillWaiting(trace, 100);
    m_view->setTrace(&trace.population, &trace.history);
    m_view->setRows(allRows(trace));
    m_view->show();
    QSignalSpy spy(m_view.get(), &TimelineView::coroutineActivated);
    for (const Qt::Key key : {Qt::Key_Down, Qt::Key_Down, Qt::Key_Down, Qt::Key_Up})
        QTest::keyClick(m_view.get(), key);
    QCOMPARE(spy.count(), 4);
    QCOMPARE(spy.last().at(0).value<CoroutineId>(), 1U);
    QTest::keyClick(m_view.get(), Qt::Key_PageDown);
    QVERIFY(spy.last().at(0).value<CoroutineId>() > 8U);
    const std::int64_t span = m_view->visibleSpan();
    QTest::keyClick(m_view.get(), Qt::Key_Plus);
    QTest::keyClick(m_view.get(), Qt::Key_Plus);
    QTest::keyClick(m_view.get(), Qt::Key_Minus);
    QVERIFY(m_view->visibleSpan() < span);
    QTest::keyClick(m_view.get(), Qt::Key_Home);
    QVERIFY(!m_view->followLive());
    QVERIFY(m_view->visibleFrom() <= static_cast<std::int64_t>(kBase));
    QTest::keyClick(m_view.get(), Qt::Key_End);
    QVERIFY(m_view->followLive());
    QTest::keyClick(m_view.get(), Qt::Key_F);
    QVERIFY(!m_view->followLive());
    QTest::keyClick(m_view.get(), Qt::Key_F);
    QVERIFY(m_view->followLive());
}

void TimelineViewTest::toolTipTellsStatePlaceAndDuration()
{
    TimelineTrace trace;
    fillWaiting(trace, 2);
    m_view->setTrace(&trace.population, &trace.history);
    m_view->setRows(allRows(trace));
    m_view->show();
    m_view->zoomToFit();
    const auto textAt = [&](QPoint position) {
        QToolTip::hideText();
        QHelpEvent event(QEvent::ToolTip, position, m_view->viewport()->mapToGlobal(position));
        QApplication::sendEvent(m_view->viewport(), &event);
        return QToolTip::text();
    };
    const QString waiting = textAt(center(1, 800));
    for (const char *part : {"waiter", "#1", "Stuck", "wait&lt;er&gt;.cpp:42", "so far", "thread"})
        QVERIFY2(waiting.contains(QLatin1String(part)), qPrintable(waiting));
    const QString running = textAt(center(1, kPlotLeft + 40));
    QVERIFY2(running.contains(QStringLiteral("Running")) && running.contains(QStringLiteral("77")),
             qPrintable(running));
    QVERIFY(textAt(center(1, 20)).contains(QStringLiteral("Stuck")));
    textAt(center(9, 800));
    QTRY_VERIFY(!QToolTip::isVisible());
}

void TimelineViewTest::scrollBarMovesInTime()
{
    TimelineTrace trace;
    fillWaiting(trace, 2);
    trace.pass(kBase + 1000 * kSecond);
    m_view->setTrace(&trace.population, &trace.history);
    m_view->setRows(allRows(trace));
    m_view->show();
    m_view->sample();
    QSignalSpy spy(m_view.get(), &TimelineView::followLiveChanged);
    QScrollBar *bar = m_view->horizontalScrollBar();
    QVERIFY(bar->maximum() > 0);
    bar->setValue(bar->minimum());
    QCOMPARE(spy.count(), 1);
    QVERIFY(m_view->visibleFrom() <= static_cast<std::int64_t>(kBase));
    bar->setValue(bar->maximum() / 2);
    const std::int64_t middle = m_view->visibleFrom() + m_view->visibleSpan() / 2 - static_cast<std::int64_t>(kBase);
    QVERIFY(middle > static_cast<std::int64_t>(450 * kSecond) && middle < static_cast<std::int64_t>(550 * kSecond));
}

void TimelineViewTest::repaintsOnlyWhenSomethingChanged()
{
    TimelineTrace trace;
    fillWaiting(trace, 5);
    m_view->setTrace(&trace.population, &trace.history);
    m_view->setRows(allRows(trace));
    m_view->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
    m_view->zoomToFit();
    QCoreApplication::processEvents();
    PaintCounter counter;
    m_view->viewport()->installEventFilter(&counter);
    for (int i = 0; i < 40; ++i) {
        m_view->sample();
        m_view->setRows(allRows(trace));
        QCoreApplication::processEvents();
    }
    QCOMPARE(counter.count, 0);
    trace.pass(kBase + 11 * kSecond);
    m_view->sample();
    QTRY_VERIFY(counter.count > 0);
}

void TimelineViewTest::hundredThousandRows()
{
    TimelineTrace trace(256U << 20U);
    fillWaiting(trace, 100'000);
    m_view->setTrace(&trace.population, &trace.history);
    m_view->setRows(allRows(trace));
    m_view->show();
    m_view->setSelected(99'999);
    const int y = center(99'999, 0).y();
    QVERIFY(y > TimelineScene::kAxisHeight && y < m_view->viewport()->height());
    QSignalSpy spy(m_view.get(), &TimelineView::coroutineActivated);
    QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, center(99'998, 500));
    QCOMPARE(spy.takeFirst().at(0).value<CoroutineId>(), 99'998U);
    QElapsedTimer clock;
    clock.start();
    for (std::uint64_t i = 1; i <= 30; ++i) {
        trace.pass(kBase + 10 * kSecond + i * 33 * kMs);
        m_view->sample();
    }
    qInfo("a sample takes %lld us", static_cast<long long>(clock.nsecsElapsed() / 30'000));
}

void TimelineViewTest::severalPixelsInOne()
{
    TimelineTrace trace;
    fillWaiting(trace, 3);
    TimelineScene scene;
    scene.setSize({1000, 300}, 2);
    scene.setTrace(&trace.population, &trace.history);
    scene.setRows(allRows(trace));
    scene.follow = false;
    scene.sample();
    scene.fit();
    scene.sample();
    QCOMPARE(scene.view.columns(), 2 * scene.plot().width());
    QCOMPARE(scene.columnAt(scene.plot().left() + 100), 200);
    QImage image(2000, 600, QImage::Format_RGB32);
    image.setDevicePixelRatio(2);
    {
        QPainter painter(&image);
        scene.paint(painter, lightColors());
    }
    // The run of one second ends within one device pixel of where it should.
    const int y = 2 * (TimelineScene::kAxisHeight + TimelineScene::kRowHeight / 2);
    const int left = 2 * scene.plot().left();
    const int end = left + scene.view.clampedColumnOf(timelineTime(kBase + kSecond));
    QCOMPARE(image.pixelColor(end - 1, y + 8), lightColors().running);
    QVERIFY(image.pixelColor(end + 1, y + 8) != lightColors().running);
}

void TimelineViewTest::survivesATraceThatGoesAway()
{
    {
        TimelineTrace trace;
        fillWaiting(trace, 50);
        m_view->setTrace(&trace.population, &trace.history);
        m_view->setRows(allRows(trace));
        m_view->show();
        m_view->setSelected(20);
        m_view->setTrace(nullptr, nullptr);
    }
    m_view->sample();
    m_view->grab();
    QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, center(1, 600));
    QTest::keyClick(m_view.get(), Qt::Key_Down);
    QVERIFY(m_view->followLive());
}

QTEST_MAIN(TimelineViewTest)
#include "tst_timelineview.moc"
