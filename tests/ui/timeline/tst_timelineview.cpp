// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/qtsuite.h"
#include "tests/ui/timeline/timelinesupport.h"
#include "ui/timeline/timelinetooltip.h"

#include <QElapsedTimer>
#include <QHelpEvent>
#include <QImage>
#include <QSignalSpy>
#include <QToolTip>

#include <array>
#include <random>

using namespace ct;
using namespace ct::test;

namespace {

/// Sixty coroutines of a server: requests and answers, busy coroutines, stuck coroutines, and a gap.
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
            trace.destroy(id, t + 300 * kMs);
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
    void init() { m_test = std::make_unique<ViewUnderTest>(); }
    void explainsAnEmptyView();
    void everyKindOfMarkIsVisible_data();
    void everyKindOfMarkIsVisible();
    void followsUntilPannedBack();
    void selectionScrollsIntoView();
    void toolTipShowsStateLocationAndDuration();
    void toolTipExplainsMissingEvents();
    void statesEndWithTheirProcess();
    void repaintsOnlyWhenSomethingChanged();
    void showsAHundredThousandRows();
    void paintsAtAPixelRatioOfTwo();
    void survivesTheRemovalOfTheTrace();

private:
    std::unique_ptr<ViewUnderTest> m_test;
};

void TimelineViewTest::explainsAnEmptyView()
{
    QVERIFY(!m_test->view.accessibleName().isEmpty());
    m_test->view.sample();
    m_test->view.grab();
    m_test->view.zoomToFit();
    m_test->view.zoomIn();
    QTest::mouseDClick(m_test->view.viewport(), Qt::LeftButton, {}, QPoint(500, 100));
    TimelineScene scene;
    const QString nothing = scene.emptyText();
    TimelineTrace trace;
    scene.setTrace(&trace.population, &trace.history);
    const QString noCoroutine = scene.emptyText();
    fillWaiting(trace, 1);
    const QString filtered = scene.emptyText();
    QVERIFY(nothing != noCoroutine && noCoroutine != filtered && nothing != filtered);
    m_test->view.setTrace(&trace.population, &trace.history);
    m_test->view.sample();
    m_test->view.setRows({0, 17});  // coroutine 17 does not exist (yet)
    m_test->view.sample();
    m_test->view.grab();
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
    m_test->view.setPalette(palette);
    m_test->view.resize(1400, 1000);
    m_test->show(server.trace);
    Verdict verdict;
    verdict.judgedAt = server.trace.population.now();
    verdict.findings.resize(1);
    verdict.findings[0].severity = Severity::Warning;
    for (CoroutineId id = 0; id < server.trace.population.size(); ++id)
        if (verdict.judgedAt - server.trace.population.at(id).since > 2 * kSecond)
            verdict.findings[0].coroutines.push_back(id);
    m_test->view.setSuspects(std::make_shared<Suspects>(verdict));
    m_test->view.zoomToFit();
    const QImage image = m_test->picture();
    QHash<QRgb, int> counts;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            ++counts[image.pixel(x, y)];
    for (const QColor &color : {colors.running, colors.suspended, colors.stuck, colors.gap, colors.finished})
        QVERIFY2(counts.value(color.rgb()) > 50, qPrintable(color.name()));
    // Pictures for people: CT_PICTURES names the folder.
    if (qEnvironmentVariableIsSet("CT_PICTURES"))
        image.save(qEnvironmentVariable("CT_PICTURES") + QStringLiteral("/timeline-%1.png").arg(dark));
}

void TimelineViewTest::followsUntilPannedBack()
{
    TimelineTrace trace;
    fillWaiting(trace, 3);
    m_test->show(trace);
    QVERIFY(m_test->view.followLive());
    const auto rightEdge = [&] {
        return static_cast<std::uint64_t>(m_test->view.visibleFrom() + m_test->view.visibleSpan());
    };
    const std::int64_t span = m_test->view.visibleSpan();
    for (std::uint64_t now = kBase + 11 * kSecond; now < kBase + 13 * kSecond; now += 33 * kMs) {
        trace.pass(now);
        m_test->view.sample();
        QVERIFY(rightEdge() > now && rightEdge() <= now + static_cast<std::uint64_t>(span) / 500);
        QCOMPARE(m_test->view.visibleSpan(), span);
    }
    QSignalSpy spy(&m_test->view, &TimelineView::followLiveChanged);
    QTest::keyClick(&m_test->view, Qt::Key_Left);
    QVERIFY(!m_test->view.followLive());
    QCOMPARE(spy.count(), 1);
    QCOMPARE(spy.takeFirst().at(0).toBool(), false);
    const std::int64_t from = m_test->view.visibleFrom();
    trace.pass(kBase + 14 * kSecond);
    m_test->view.sample();
    QCOMPARE(m_test->view.visibleFrom(), from);
    m_test->view.setFollowLive(true);
    QCOMPARE(spy.count(), 1);
    QVERIFY(rightEdge() > kBase + 14 * kSecond);
    m_test->view.zoomIn();  // it still follows
    QVERIFY(m_test->view.followLive());
    QVERIFY(m_test->view.visibleSpan() < span && rightEdge() > kBase + 14 * kSecond);
}

void TimelineViewTest::selectionScrollsIntoView()
{
    TimelineTrace trace;
    fillWaiting(trace, 300);
    m_test->show(trace);
    m_test->view.setSelected(200);
    const int top = m_test->center(200, 0).y();
    QVERIFY(top > TimelineScene::kAxisHeight && top < m_test->view.viewport()->height());
    m_test->view.setSelected(3);
    QVERIFY(m_test->center(3, 0).y() > TimelineScene::kAxisHeight);
    m_test->view.setSelected(kNoCoroutine);
    m_test->view.setSelected(100'000);
    QVERIFY(m_test->center(3, 0).y() > TimelineScene::kAxisHeight);
}

void TimelineViewTest::toolTipShowsStateLocationAndDuration()
{
    TimelineTrace trace;
    fillWaiting(trace, 2);
    m_test->show(trace);
    Verdict verdict;
    verdict.judgedAt = trace.population.now();
    verdict.findings.resize(1);
    verdict.findings[0].severity = Severity::Error;
    verdict.findings[0].coroutines = {1};
    m_test->view.setSuspects(std::make_shared<Suspects>(verdict));
    m_test->view.zoomToFit();
    const auto textAt = [&](QPoint position) {
        QToolTip::hideText();
        QHelpEvent event(QEvent::ToolTip, position, m_test->view.viewport()->mapToGlobal(position));
        QApplication::sendEvent(m_test->view.viewport(), &event);
        return QToolTip::text();
    };
    const QString waiting = textAt(m_test->center(1, 800));
    for (const char *part : {"waiter", "#1", "Stuck", "wait&lt;er&gt;.cpp:42", "so far", "thread"})
        QVERIFY2(waiting.contains(QLatin1String(part)), qPrintable(waiting));
    const QString running = textAt(m_test->center(1, kPlotLeft + 40));
    QVERIFY2(running.contains(QStringLiteral("Running")) && running.contains(QStringLiteral("77")),
             qPrintable(running));
    QVERIFY(textAt(m_test->center(1, 20)).contains(QStringLiteral("Stuck")));
    textAt(m_test->center(9, 800));
    QTRY_VERIFY(!QToolTip::isVisible());
}

void TimelineViewTest::toolTipExplainsMissingEvents()
{
    TimelineTrace trace;
    Batch batch;
    const auto at = [&](CoroutineId id, std::uint64_t n, std::uint64_t ts) {
        Transition event;
        event.coroutine = id;
        event.n = n;
        event.ts = ts;
        batch.transitions.push_back(event);
    };
    for (CoroutineId id = 0; id < 3; ++id) {
        batch.births.push_back({id, id, 0, 4711, Dialect::Seqlock, 0x1000U + id * 64U, kBase});
        at(id, id == 1 ? 12 : 0, kBase + kSecond);
    }
    // Coroutine 0 missed, then lost events. 1 comes from a recording that lacks the first events. 2 lost events.
    batch.losses = {{0, 1, 5, true}, {0, 6, 3, false}, {2, 1, 7, false}};
    at(0, 9, kBase + 3 * kSecond);
    at(2, 8, kBase + 3 * kSecond);
    batch.now = kBase + 10 * kSecond;
    (void)trace.history.consume(batch);
    (void)trace.population.consume(batch);
    const auto textAt = [&](CoroutineId id, std::uint64_t ts) {
        const TimelineHit hit{id, timelineTime(ts), 1000, timelineTime(kBase), trace.population.now()};
        return timelineToolTip(trace.population, trace.history, ProcessLives(), nullptr, hit);
    };
    const QString both = textAt(0, kBase + 2 * kSecond);
    QVERIFY2(both.contains(QStringLiteral("5 events from before")) &&
                 both.contains(QStringLiteral("3 events were overwritten or dropped")),
             qPrintable(both));
    const QString unsaved = textAt(1, kBase + kSecond / 2);
    QVERIFY2(unsaved.contains(QStringLiteral("12 events are not in the recording")), qPrintable(unsaved));
    QVERIFY2(!unsaved.contains(QStringLiteral("lost")), qPrintable(unsaved));
    const QString lost = textAt(2, kBase + 2 * kSecond);
    QVERIFY2(lost.contains(QStringLiteral("7 events were overwritten or dropped")) &&
                 !lost.contains(QStringLiteral("missed")),
             qPrintable(lost));
}

void TimelineViewTest::statesEndWithTheirProcess()
{
    TimelineTrace trace;
    fillWaiting(trace, 1);
    const auto toolTipAt = [&trace](std::uint64_t ts) {
        const TimelineHit hit{0, timelineTime(ts), 1000, timelineTime(kBase), trace.population.now()};
        return timelineToolTip(trace.population, trace.history, ProcessLives(trace.population), nullptr, hit);
    };
    QVERIFY2(toolTipAt(kBase + 8 * kSecond).contains(QStringLiteral("so far")),
             qPrintable(toolTipAt(kBase + 8 * kSecond)));
    trace.processEnds(kBase + 6 * kSecond);
    trace.pass(kBase + 12 * kSecond);
    const QString before = toolTipAt(kBase + 5 * kSecond);
    QVERIFY2(before.contains(QStringLiteral("5.0")) && before.contains(QStringLiteral("s, until its process ended")),
             qPrintable(before));
    const QString after = toolTipAt(kBase + 8 * kSecond);
    QVERIFY2(after.contains(QStringLiteral("Its process has ended")), qPrintable(after));
    QVERIFY2(!after.contains(QStringLiteral("Suspended")), qPrintable(after));
}

void TimelineViewTest::repaintsOnlyWhenSomethingChanged()
{
    TimelineTrace trace;
    fillWaiting(trace, 5);
    m_test->show(trace);
    QVERIFY(QTest::qWaitForWindowExposed(&m_test->view, ct::test::kPatienceMs));
    m_test->view.zoomToFit();
    std::vector<History::Stretch> stretches{{kBase, kBase + 2 * kSecond, 1000, false},
                                            {kBase + 2 * kSecond, kBase + 9 * kSecond, 1000, true}};
    m_test->view.setStretches(stretches, 0);
    QCoreApplication::processEvents();
    PaintCounter counter;
    m_test->view.viewport()->installEventFilter(&counter);
    const auto repaints = [&] {
        counter.count = 0;
        for (int i = 0; i < 40; ++i) {
            m_test->view.sample();
            m_test->view.setRows(allRows(trace));
            m_test->view.setStretches(stretches, 0);
            QCoreApplication::processEvents();
        }
        return counter.count;
    };
    QTRY_COMPARE(repaints(), 0);  // a slow machine still paints what was changed above
    stretches[0].inMemory = true;
    m_test->view.setStretches(stretches, 0);
    QTRY_VERIFY(counter.count > 0);
    counter.count = 0;
    trace.pass(kBase + 11 * kSecond);
    m_test->view.sample();
    QTRY_VERIFY(counter.count > 0);
}

void TimelineViewTest::showsAHundredThousandRows()
{
    TimelineTrace trace(256U << 20U);
    fillWaiting(trace, 100'000);
    m_test->show(trace);
    m_test->view.setSelected(99'999);
    const int y = m_test->center(99'999, 0).y();
    QVERIFY(y > TimelineScene::kAxisHeight && y < m_test->view.viewport()->height());
    QSignalSpy spy(&m_test->view, &TimelineView::coroutineActivated);
    QTest::mouseClick(m_test->view.viewport(), Qt::LeftButton, {}, m_test->center(99'998, 500));
    QCOMPARE(spy.takeFirst().at(0).value<CoroutineId>(), 99'998U);
    QElapsedTimer clock;
    clock.start();
    for (std::uint64_t i = 1; i <= 30; ++i) {
        trace.pass(kBase + 10 * kSecond + i * 33 * kMs);
        m_test->view.sample();
    }
    qInfo("a sample takes %lld us", static_cast<long long>(clock.nsecsElapsed() / 30'000));
}

void TimelineViewTest::paintsAtAPixelRatioOfTwo()
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
    // The bar of one second ends within one device pixel of its end time.
    const int y = 2 * (TimelineScene::kAxisHeight + TimelineScene::kRowHeight / 2);
    const int left = 2 * scene.plot().left();
    const int end = left + scene.view.clampedColumnOf(timelineTime(kBase + kSecond));
    QCOMPARE(image.pixelColor(end - 1, y + 8), lightColors().running);
    QVERIFY(image.pixelColor(end + 1, y + 8) != lightColors().running);
}

void TimelineViewTest::survivesTheRemovalOfTheTrace()
{
    {
        TimelineTrace trace;
        fillWaiting(trace, 50);
        m_test->view.setTrace(&trace.population, &trace.history);
        m_test->view.setRows(allRows(trace));
        m_test->view.show();
        m_test->view.setSelected(20);
        m_test->view.setTrace(nullptr, nullptr);
    }
    m_test->view.sample();
    m_test->view.grab();
    QTest::mouseClick(m_test->view.viewport(), Qt::LeftButton, {}, m_test->center(1, 600));
    QTest::keyClick(&m_test->view, Qt::Key_Down);
    QVERIFY(m_test->view.followLive());
}

CT_QT_SUITE(TimelineViewTest)
#include "tst_timelineview.moc"
