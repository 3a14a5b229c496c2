// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/qtsuite.h"
#include "ui/timeline/timelinepainter.h"

using namespace ct;

namespace {

constexpr QRgb kGround = 0xFF010203;

QImage canvas(int width, int height)
{
    QImage image(width, height, QImage::Format_RGB32);
    image.fill(kGround);
    return image;
}

TimelineMark mark(int x0, int x1, MarkKind kind, int density = 0)
{
    return {x0, x1, kind, static_cast<std::uint8_t>(density), kUnknownSite};
}

/// Returns one letter for each pixel: r = running, s = suspended, x = stuck, ! = edge of stuck, f = finished,
/// c = created, g = gap, b = background of a gap, u = unknown, . = untouched, ? = other.
QString line(const QImage &image, int y, const TimelinePixels &pixels)
{
    const QList<QPair<QRgb, char>> names{{pixels.running, 'r'},   {pixels.suspended, 's'},     {pixels.stuck, 'x'},
                                         {pixels.stuckEdge, '!'}, {pixels.finished, 'f'},      {pixels.created, 'c'},
                                         {pixels.gap, 'g'},       {pixels.gapBackground, 'b'}, {pixels.unknown, 'u'},
                                         {kGround, '.'}};
    QString text;
    for (int x = 0; x < image.width(); ++x) {
        char name = '?';
        for (const auto &[color, letter] : names)
            if (image.pixel(x, y) == color)
                name = letter;
        text += QLatin1Char(name);
    }
    return text;
}

}  // namespace

class TimelinePainterTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void fillsExactlyTheMarks();
    void densityRisesFromTheBottom();
    void thinMarksLieInTheMiddle();
    void hatchesShowTheBackground();
    void lossyMarksHaveALineAboveThem();
    void pendingMarksAreADottedLine();
    void stuckMarksHighlightTheirStart();
    void clipsToTheImage();
    void formatsTickTexts_data();
    void formatsTickTexts();
    void formatsTimes();
    void axisLabelsDoNotOverlap();
    void barTextFitsOrIsLeftOut();
};

void TimelinePainterTest::fillsExactlyTheMarks()
{
    const TimelinePixels pixels(lightColors());
    QImage image = canvas(10, 5);
    const std::vector<TimelineMark> marks{mark(1, 3, MarkKind::Running), mark(3, 7, MarkKind::Suspended)};
    timelinepainter::paintMarks(image, marks, 1, 3, 1, pixels);
    QCOMPARE(line(image, 0, pixels), QStringLiteral(".........."));
    for (int y = 1; y < 4; ++y)
        QCOMPARE(line(image, y, pixels), QStringLiteral(".rrssss..."));
    QCOMPARE(line(image, 4, pixels), QStringLiteral(".........."));
}

void TimelinePainterTest::densityRisesFromTheBottom()
{
    const TimelinePixels pixels(darkColors());
    QImage image = canvas(3, 16);
    const std::vector<TimelineMark> marks{mark(0, 1, MarkKind::Mixed, 1), mark(1, 2, MarkKind::Mixed, 8),
                                          mark(2, 3, MarkKind::Mixed, 15)};
    timelinepainter::paintMarks(image, marks, 0, 16, 1, pixels);
    QCOMPARE(line(image, 0, pixels), QStringLiteral("sss"));
    QCOMPARE(line(image, 1, pixels), QStringLiteral("ssr"));
    QCOMPARE(line(image, 7, pixels), QStringLiteral("ssr"));
    QCOMPARE(line(image, 8, pixels), QStringLiteral("srr"));
    QCOMPARE(line(image, 12, pixels), QStringLiteral("srr"));
    QCOMPARE(line(image, 13, pixels), QStringLiteral("rrr"));  // at least three pixels
}

void TimelinePainterTest::thinMarksLieInTheMiddle()
{
    const TimelinePixels pixels(lightColors());
    QImage image = canvas(4, 12);
    const std::vector<TimelineMark> marks{mark(0, 2, MarkKind::Finished), mark(2, 4, MarkKind::Created)};
    timelinepainter::paintMarks(image, marks, 0, 12, 1, pixels);
    QCOMPARE(line(image, 3, pixels), QStringLiteral("...."));
    QCOMPARE(line(image, 4, pixels), QStringLiteral("ff.."));
    QCOMPARE(line(image, 5, pixels), QStringLiteral("ffcc"));
    QCOMPARE(line(image, 6, pixels), QStringLiteral("ffcc"));
    QCOMPARE(line(image, 7, pixels), QStringLiteral("ff.."));
    QCOMPARE(line(image, 8, pixels), QStringLiteral("...."));
}

void TimelinePainterTest::hatchesShowTheBackground()
{
    const TimelinePixels pixels(lightColors());
    QImage image = canvas(12, 2);
    const std::vector<TimelineMark> marks{mark(0, 6, MarkKind::Gap), mark(6, 12, MarkKind::Unknown)};
    timelinepainter::paintMarks(image, marks, 0, 2, 1, pixels);
    QCOMPARE(line(image, 0, pixels), QStringLiteral("ggbbbbuu...."));
    QCOMPARE(line(image, 1, pixels), QStringLiteral("gbbbbgu....u"));
}

void TimelinePainterTest::lossyMarksHaveALineAboveThem()
{
    const TimelinePixels pixels(lightColors());
    QImage image = canvas(16, 6);
    std::vector<TimelineMark> marks{mark(0, 6, MarkKind::Running), mark(6, 7, MarkKind::Suspended),
                                    mark(7, 10, MarkKind::Running), mark(10, 16, MarkKind::Suspended)};
    marks[1].lossy = marks[3].lossy = true;
    timelinepainter::paintMarks(image, marks, 4, 2, 1, pixels);
    QCOMPARE(line(image, 0, pixels), QStringLiteral("................"));
    for (int y = 1; y < 3; ++y)  // at least three pixels
        QCOMPARE(line(image, y, pixels), QStringLiteral(".....ggg..gggggg"));
    QCOMPARE(line(image, 3, pixels), QStringLiteral("................"));
    for (int y = 4; y < 6; ++y)
        QCOMPARE(line(image, y, pixels), QStringLiteral("rrrrrrsrrrssssss"));
    // Marks that cross the edges of the image do no harm.
    QImage small = canvas(1, 1);
    marks[0].lossy = true;
    for (int top = -3; top < 6; ++top)
        timelinepainter::paintMarks(small, marks, top, 2, 2, pixels);
}

void TimelinePainterTest::pendingMarksAreADottedLine()
{
    const TimelinePixels pixels(lightColors());
    QImage image = canvas(12, 6);
    const std::vector<TimelineMark> marks{mark(0, 12, MarkKind::Pending)};
    timelinepainter::paintMarks(image, marks, 0, 6, 1, pixels);
    for (int y = 0; y < 6; ++y) {
        int dots = 0;
        for (int x = 0; x < 12; ++x)
            dots += image.pixel(x, y) == pixels.evicted;
        QCOMPARE(dots, y == 2 || y == 3 ? 4 : 0);
    }
}

void TimelinePainterTest::stuckMarksHighlightTheirStart()
{
    const TimelinePixels pixels(lightColors());
    QImage image = canvas(12, 1);
    const std::vector<TimelineMark> marks{mark(0, 2, MarkKind::Suspended), mark(2, 12, MarkKind::Stuck)};
    timelinepainter::paintMarks(image, marks, 0, 1, 1, pixels);
    QCOMPARE(line(image, 0, pixels), QStringLiteral("ss!xxxxxxxxx"));
}

void TimelinePainterTest::clipsToTheImage()
{
    const TimelinePixels pixels(lightColors());
    QImage image = canvas(4, 4);
    const std::vector<TimelineMark> marks{mark(-100, 2, MarkKind::Running), mark(3, 1000, MarkKind::Gap),
                                          mark(500, 600, MarkKind::Mixed, 3)};
    timelinepainter::paintMarks(image, marks, -3, 5, 1, pixels);
    timelinepainter::paintMarks(image, marks, 3, 50, 2, pixels);
    timelinepainter::paintMarks(image, marks, 90, 5, 1, pixels);
    timelinepainter::fillLines(image, 2, 3, pixels.stuck);
    timelinepainter::fillLines(image, -5, -1, pixels.stuck);
    timelinepainter::fillLines(image, 8, 12, pixels.stuck);
    timelinepainter::fillColumn(image, -1, pixels.stuck);
    timelinepainter::fillColumn(image, 4, pixels.stuck);
    QCOMPARE(line(image, 0, pixels).left(3), QStringLiteral("rr."));
    QCOMPARE(line(image, 2, pixels), QStringLiteral("xxxx"));
    QCOMPARE(line(image, 3, pixels).left(3), QStringLiteral("rr."));
}

void TimelinePainterTest::formatsTickTexts_data()
{
    QTest::addColumn<qint64>("sinceOrigin");
    QTest::addColumn<qint64>("step");
    QTest::addColumn<QString>("text");
    const auto row = [](const char *name, qint64 since, qint64 step, const QString &text) {
        QTest::newRow(name) << since << step << text;
    };
    const QString thin(QChar(0x202F));
    row("zero", 0, 1, QStringLiteral("0"));
    row("ns", 250, 50, QStringLiteral("250 ns"));
    row("ns after us", 12'250, 50, QStringLiteral("+250 ns"));
    row("round us", 12'000, 50, QStringLiteral("0.000") + thin + QStringLiteral("012 s"));
    row("us", 300'000, 100'000, QString::fromUtf8("300 \u00b5s"));
    row("ms after s", 12'050'000'000, 50'000'000, QStringLiteral("+50 ms"));
    row("round s", 12'000'000'000, 50'000'000, QStringLiteral("12 s"));
    row("s", 5'000'000'000, 1'000'000'000, QStringLiteral("5 s"));
    row("minutes", 125'000'000'000, 5'000'000'000, QStringLiteral("2:05"));
    row("hours", 3'725'000'000'000, 5'000'000'000, QStringLiteral("1:02:05"));
    row("days", 90'000'000'000'000, 600'000'000'000, QStringLiteral("1 d 1:00:00"));
    row("negative", -2'000'000'000, 1'000'000'000, QChar(0x2212) + QStringLiteral("2 s"));
}

void TimelinePainterTest::formatsTickTexts()
{
    QFETCH(qint64, sinceOrigin);
    QFETCH(qint64, step);
    const TickStep tickStep = tickStepFor(step);
    QCOMPARE(tickStep.ns, step);
    const TimelineTime round = tickStep.unit < TickUnit::Seconds ? 1000 * nanosecondsIn(tickStep.unit) : 0;
    const Tick tick{0, sinceOrigin, round == 0 ? 0 : sinceOrigin % round};
    QTEST(timelinepainter::tickText(tick, tickStep), "text");
}

void TimelinePainterTest::formatsTimes()
{
    QCOMPARE(timelinepainter::timeText(12'345'678'901, 1'000'000'000), QStringLiteral("12 s"));
    QCOMPARE(timelinepainter::timeText(12'345'678'901, 1'000'000), QStringLiteral("12.345 s"));
    QCOMPARE(timelinepainter::timeText(72'345'678'901, 1'000'000), QStringLiteral("1:12.345"));
    QCOMPARE(timelinepainter::timeText(1, 1).remove(QChar(0x202F)), QStringLiteral("0.000000001 s"));
}

void TimelinePainterTest::axisLabelsDoNotOverlap()
{
    // Ticks are closer together than their labels are wide: some labels are omitted, but no tick.
    TimelineCoordinates view;
    view.setColumns(400);
    view.setLimits(0, 1'000'000'000'000);
    view.fit(100'000'000'000, 100'000'400'000);
    const Ticks ticks = ticksOf(view, 0, 10);
    QVERIFY(ticks.ticks.size() > 10);
    QImage image = canvas(400, 26);
    {
        QPainter painter(&image);
        timelinepainter::paintAxis(painter, QRect(0, 0, 400, 26), ticks, 1, lightColors());
    }
    for (const Tick &tick : ticks.ticks)
        QCOMPARE(image.pixelColor(tick.column, 23), lightColors().textMuted);
}

void TimelinePainterTest::barTextFitsOrIsLeftOut()
{
    const auto touched = [](int width) {
        QImage image = canvas(300, 20);
        {
            QPainter painter(&image);
            timelinepainter::paintBarText(painter, QRect(10, 0, width, 20), QStringLiteral("function file.cpp:12"),
                                          QStringLiteral("f:1"), Qt::white);
        }
        int last = 0;
        for (int y = 0; y < 20; ++y)
            for (int x = 0; x < 300; ++x)
                if (image.pixel(x, y) != kGround)
                    last = std::max(last, x);
        return last;
    };
    QCOMPARE(touched(8), 0);
    QVERIFY(touched(60) > 0 && touched(60) < 70);
    QVERIFY(touched(280) > touched(60) && touched(280) < 290);
}

CT_QT_SUITE(TimelinePainterTest)
#include "tst_timelinepainter.moc"
