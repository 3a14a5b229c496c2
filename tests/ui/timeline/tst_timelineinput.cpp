// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Mouse, wheel and keys in the timeline.
#include "tests/support/qtsuite.h"
#include "tests/ui/timeline/timelinesupport.h"

#include <QImage>
#include <QSignalSpy>

using namespace ct;
using namespace ct::test;

class TimelineInputTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { m_test = std::make_unique<ViewUnderTest>(); }
    void wheelScrollsRowsZoomsAndPans();
    void zoomKeepsTheTimeUnderTheCursor();
    void clickActivatesTheRow();
    void dragPansBothWays();
    void shiftDragMeasures();
    void doubleClickZoomsToTheBar();
    void keysSelectZoomAndFollow();
    void scrollBarMovesInTime();

private:
    std::unique_ptr<ViewUnderTest> m_test;
};

void TimelineInputTest::wheelScrollsRowsZoomsAndPans()
{
    TimelineTrace trace;
    fillWaiting(trace, 200);
    m_test->show(trace);
    m_test->view.zoomToFit();
    m_test->wheel({600, 100}, {0, -120}, Qt::NoModifier);
    QCOMPARE(m_test->view.verticalScrollBar()->value(), 3 * TimelineScene::kRowHeight);
    const std::int64_t span = m_test->view.visibleSpan();
    m_test->wheel({600, 100}, {0, 120}, Qt::ControlModifier);
    QVERIFY(m_test->view.visibleSpan() < span);
    const std::int64_t from = m_test->view.visibleFrom();
    m_test->wheel({600, 100}, {0, -120}, Qt::ShiftModifier);
    QVERIFY(m_test->view.visibleFrom() > from);
    m_test->wheel({600, 100}, {120, 0}, Qt::NoModifier);
    QCOMPARE(m_test->view.visibleFrom(), from);
    QCOMPARE(m_test->view.verticalScrollBar()->value(), 3 * TimelineScene::kRowHeight);
}

void TimelineInputTest::zoomKeepsTheTimeUnderTheCursor()
{
    TimelineTrace trace;
    fillWaiting(trace, 5);
    m_test->show(trace);
    m_test->view.zoomToFit();
    const int columns = m_test->view.viewport()->width() - kPlotLeft;
    const auto timeAt = [&](int x) {
        return m_test->view.visibleFrom() + m_test->view.visibleSpan() / columns * (x - kPlotLeft);
    };
    const std::int64_t before = timeAt(700);
    for (int i = 0; i < 30; ++i) {
        m_test->wheel({700, 50}, {0, 120}, Qt::ControlModifier);
        QCOMPARE(timeAt(700), before);
    }
    for (int i = 0; i < 20; ++i)
        m_test->wheel({700, 50}, {0, -120}, Qt::ControlModifier);
    QCOMPARE(timeAt(700), before);
}

void TimelineInputTest::clickActivatesTheRow()
{
    TimelineTrace trace;
    fillWaiting(trace, 5);
    m_test->view.setTrace(&trace.population, &trace.history);
    m_test->view.setRows({4, 3, 2, 1, 0});
    m_test->view.show();
    QSignalSpy spy(&m_test->view, &TimelineView::coroutineActivated);
    QTest::mouseClick(m_test->view.viewport(), Qt::LeftButton, {}, m_test->center(1, 600));
    QCOMPARE(spy.count(), 1);
    QCOMPARE(spy.takeFirst().at(0).value<CoroutineId>(), 3U);
    QTest::mouseClick(m_test->view.viewport(), Qt::LeftButton, {}, m_test->center(4, 20));
    QCOMPARE(spy.takeFirst().at(0).value<CoroutineId>(), 0U);
    QTest::mouseClick(m_test->view.viewport(), Qt::LeftButton, {}, QPoint(600, 5));
    QTest::mouseClick(m_test->view.viewport(), Qt::LeftButton, {}, m_test->center(8, 600));
    QCOMPARE(spy.count(), 0);
}

void TimelineInputTest::dragPansBothWays()
{
    TimelineTrace trace;
    fillWaiting(trace, 300);
    m_test->show(trace);
    m_test->view.zoomToFit();
    m_test->view.zoomIn();
    const std::int64_t from = m_test->view.visibleFrom();
    QSignalSpy spy(&m_test->view, &TimelineView::coroutineActivated);
    QTest::mousePress(m_test->view.viewport(), Qt::LeftButton, {}, QPoint(600, 300));
    QTest::mouseMove(m_test->view.viewport(), QPoint(560, 260));
    QTest::mouseMove(m_test->view.viewport(), QPoint(500, 200));
    QTest::mouseRelease(m_test->view.viewport(), Qt::LeftButton, {}, QPoint(500, 200));
    QVERIFY(m_test->view.visibleFrom() > from);
    QCOMPARE(m_test->view.verticalScrollBar()->value(), 100);
    QCOMPARE(spy.count(), 0);
}

void TimelineInputTest::shiftDragMeasures()
{
    TimelineTrace trace;
    fillWaiting(trace, 3);
    m_test->show(trace);
    m_test->view.zoomToFit();
    const std::int64_t from = m_test->view.visibleFrom();
    const QImage before = m_test->picture();
    QTest::mousePress(m_test->view.viewport(), Qt::LeftButton, Qt::ShiftModifier, QPoint(500, 300));
    QTest::mouseMove(m_test->view.viewport(), QPoint(700, 300));
    QTest::mouseRelease(m_test->view.viewport(), Qt::LeftButton, Qt::ShiftModifier, QPoint(700, 300));
    const QImage during = m_test->picture();
    QVERIFY(during.pixel(600, 300) != before.pixel(600, 300));
    QCOMPARE(during.pixel(720, 300), before.pixel(720, 300));
    QCOMPARE(m_test->view.visibleFrom(), from);
    QTest::keyClick(&m_test->view, Qt::Key_Escape);
    QCOMPARE(m_test->picture().pixel(600, 300), before.pixel(600, 300));
}

void TimelineInputTest::doubleClickZoomsToTheBar()
{
    TimelineTrace trace;
    fillWaiting(trace, 3);
    m_test->show(trace);
    m_test->view.zoomToFit();
    // The bar of the first second, while the coroutine runs, is at the left.
    QTest::mouseDClick(m_test->view.viewport(), Qt::LeftButton, {}, m_test->center(0, kPlotLeft + 30));
    QVERIFY(!m_test->view.followLive());
    QVERIFY(m_test->view.visibleFrom() < static_cast<std::int64_t>(kBase));
    QVERIFY(m_test->view.visibleSpan() > static_cast<std::int64_t>(kSecond));
    QVERIFY(m_test->view.visibleSpan() < static_cast<std::int64_t>(2 * kSecond));
    // A double click on the label shows the whole life of the coroutine.
    QTest::mouseDClick(m_test->view.viewport(), Qt::LeftButton, {}, m_test->center(0, 20));
    QVERIFY(m_test->view.visibleSpan() > static_cast<std::int64_t>(10 * kSecond));
}

void TimelineInputTest::keysSelectZoomAndFollow()
{
    TimelineTrace trace;
    fillWaiting(trace, 100);
    m_test->show(trace);
    QSignalSpy spy(&m_test->view, &TimelineView::coroutineActivated);
    for (const Qt::Key key : {Qt::Key_Down, Qt::Key_Down, Qt::Key_Down, Qt::Key_Up})
        QTest::keyClick(&m_test->view, key);
    QCOMPARE(spy.count(), 4);
    QCOMPARE(spy.last().at(0).value<CoroutineId>(), 1U);
    QTest::keyClick(&m_test->view, Qt::Key_PageDown);
    QVERIFY(spy.last().at(0).value<CoroutineId>() > 8U);
    const std::int64_t span = m_test->view.visibleSpan();
    QTest::keyClick(&m_test->view, Qt::Key_Plus);
    QTest::keyClick(&m_test->view, Qt::Key_Plus);
    QTest::keyClick(&m_test->view, Qt::Key_Minus);
    QVERIFY(m_test->view.visibleSpan() < span);
    QTest::keyClick(&m_test->view, Qt::Key_Home);
    QVERIFY(!m_test->view.followLive());
    QVERIFY(m_test->view.visibleFrom() <= static_cast<std::int64_t>(kBase));
    QTest::keyClick(&m_test->view, Qt::Key_End);
    QVERIFY(m_test->view.followLive());
    QTest::keyClick(&m_test->view, Qt::Key_F);
    QVERIFY(!m_test->view.followLive());
    QTest::keyClick(&m_test->view, Qt::Key_F);
    QVERIFY(m_test->view.followLive());
}

void TimelineInputTest::scrollBarMovesInTime()
{
    TimelineTrace trace;
    fillWaiting(trace, 2);
    trace.pass(kBase + 1000 * kSecond);
    m_test->show(trace);
    m_test->view.sample();
    QSignalSpy spy(&m_test->view, &TimelineView::followLiveChanged);
    QScrollBar *bar = m_test->view.horizontalScrollBar();
    QVERIFY(bar->maximum() > 0);
    bar->setValue(bar->minimum());
    QCOMPARE(spy.count(), 1);
    QVERIFY(m_test->view.visibleFrom() <= static_cast<std::int64_t>(kBase));
    bar->setValue(bar->maximum() / 2);
    const std::int64_t middle =
        m_test->view.visibleFrom() + m_test->view.visibleSpan() / 2 - static_cast<std::int64_t>(kBase);
    QVERIFY(middle > static_cast<std::int64_t>(450 * kSecond) && middle < static_cast<std::int64_t>(550 * kSecond));
}

CT_QT_SUITE(TimelineInputTest)
#include "tst_timelineinput.moc"
