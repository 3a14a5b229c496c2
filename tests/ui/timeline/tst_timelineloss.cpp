// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Losses in the timeline: each is visible at every zoom, and none hides captured events.
#include "tests/support/qtsuite.h"
#include "tests/ui/guisupport.h"
#include "tests/ui/timeline/timelinesupport.h"
#include "ui/format/colors.h"
#include "ui/format/theme.h"

#include <QImage>

using namespace ct;
using namespace ct::test;

namespace {

enum Rows { Healthy, Sprinkled, OneMoment, HalfLost, Storm, RowCount };

/// Writes ten seconds of turns: 2 ms running, 8 ms suspended. Each row except Healthy loses events in its own pattern.
void fill(TimelineTrace &trace)
{
    const SiteId site = trace.site("Task<void> net::serve(Connection)", "src/net/serve.cpp", 88);
    constexpr std::uint64_t kTurn = 10 * kMs;
    for (int row = 0; row < RowCount; ++row)
        (void)trace.born(kBase);
    const auto turn = [&](CoroutineId id, std::uint64_t ts) {
        trace.resume(id, ts, 101);
        trace.suspend(id, ts + 2 * kMs, site);
    };
    for (std::uint64_t number = 0; number < 1000; ++number) {
        const std::uint64_t ts = kBase + number * kTurn;
        turn(Healthy, ts);
        // In each 10 ms: a turn, a lost turn, and a short turn.
        turn(Sprinkled, ts);
        trace.lose(Sprinkled, 2);
        trace.resume(Sprinkled, ts + 2 * kMs + kMs / 2);
        trace.suspend(Sprinkled, ts + 3 * kMs, site);
        if (number < 300 || number >= 600)
            turn(OneMoment, ts);
        if (number / 100 % 2 == 1 && number % 100 == 0)
            trace.lose(HalfLost, 200);
        if (number / 100 % 2 == 0)
            turn(HalfLost, ts);
        if (number % 20 == 0) {
            turn(Storm, ts);
            trace.lose(Storm, 1000);
        }
        if (number == 450) {  // in the middle of a long suspension
            trace.resume(OneMoment, ts, 101);
            trace.lose(OneMoment, 2);
            trace.suspend(OneMoment, ts + 1000, site);
        }
    }
    trace.pass(kBase + 10 * kSecond);
}

/// Counts the pixels of these colours in a row's bar or, with `above`, in the 4 pixels above the bar.
int count(const QImage &image, int row, bool above, const std::vector<QRgb> &colors)
{
    const int top = TimelineScene::kAxisHeight + row * TimelineScene::kRowHeight;
    int pixels = 0;
    for (int y = top + (above ? 0 : 4); y < top + (above ? 4 : TimelineScene::kRowHeight - 4); ++y)
        for (int x = kPlotLeft; x < kPlotLeft + 750; ++x)
            pixels += std::count(colors.begin(), colors.end(), image.pixel(x, y)) > 0 ? 1 : 0;
    return pixels;
}

}  // namespace

class TimelineLossTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init()
    {
        applyTheme(Theme::Light);
        m_trace = std::make_unique<TimelineTrace>(64U << 20U);
        fill(*m_trace);
        m_test = std::make_unique<ViewUnderTest>();
        m_test->view.resize(m_test->view.width(), 200);
        m_test->show(*m_trace);
        QVERIFY(QTest::qWaitForWindowExposed(&m_test->view, ct::test::kPatienceMs));
        m_test->view.zoomToFit();
    }
    void cleanup() { m_test.reset(); }

    void longLossesAreHatchedAndShortOnesMarkedFromAfar_data() { themes(); }
    void longLossesAreHatchedAndShortOnesMarkedFromAfar()
    {
        QFETCH(int, theme);
        applyTheme(static_cast<Theme>(theme));
        const QImage image = picture("far");
        QCOMPARE(hatched(image, Healthy), 0);
        QCOMPARE(marked(image, Healthy), 0);
        // Short losses everywhere.
        QCOMPARE(hatched(image, Sprinkled), 0);
        QVERIFY(marked(image, Sprinkled) > 700);
        // One loss of 1 us in ten seconds.
        QCOMPARE(hatched(image, OneMoment), 0);
        QVERIFY(marked(image, OneMoment) >= 3);
        QVERIFY(marked(image, OneMoment) <= 20);
        QVERIFY(hatched(image, HalfLost) > 750 * 14 / 3);
        QVERIFY(hatched(image, Storm) > 750 * 14 / 2);
    }

    void shortLossesAreHatchedUpClose_data() { themes(); }
    void shortLossesAreHatchedUpClose()
    {
        QFETCH(int, theme);
        applyTheme(static_cast<Theme>(theme));
        // About 0.2 ms per pixel, within the first second.
        zoomTo(kPlotLeft + 20, 64);
        const QImage image = picture("near");
        QVERIFY(hatched(image, Sprinkled) > 0);
        QCOMPARE(hatched(image, Healthy), 0);
    }

private:
    static void themes()
    {
        QTest::addColumn<int>("theme");
        QTest::newRow("light") << static_cast<int>(Theme::Light);
        QTest::newRow("dark") << static_cast<int>(Theme::Dark);
    }
    QImage picture(const char *name)
    {
        const QImage image = m_test->picture();
        gui::takePicture(
            &m_test->view,
            qPrintable(QStringLiteral("loss-%1-%2").arg(QLatin1String(name), QLatin1String(QTest::currentDataTag()))));
        return image;
    }
    int hatched(const QImage &image, int row) const
    {
        const TimelinePixels pixels(colorsFor(m_test->view.palette()));
        return count(image, row, false, {pixels.gap, pixels.gapBackground});
    }
    int marked(const QImage &image, int row) const
    {
        return count(image, row, true, {TimelinePixels(colorsFor(m_test->view.palette())).gap});
    }
    void zoomTo(int x, double factor)
    {
        for (double zoomed = 1; zoomed < factor; zoomed *= 1.25)
            m_test->wheel({x, 40}, {0, 120}, Qt::ControlModifier);
    }

    std::unique_ptr<TimelineTrace> m_trace;
    std::unique_ptr<ViewUnderTest> m_test;
};

CT_QT_SUITE(TimelineLossTest)
#include "tst_timelineloss.moc"
