// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/timelinepainter.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>

namespace ct {

namespace {

QRgb mix(const QColor &a, const QColor &b, double shareOfA)
{
    const auto channel = [&](int x, int y) { return qRound(x * shareOfA + y * (1 - shareOfA)); };
    return qRgb(channel(a.red(), b.red()), channel(a.green(), b.green()), channel(a.blue(), b.blue()));
}

/// The look of one mark from top to bottom: one or two colours, or a hatch.
struct Look {
    int top = 0;  ///< first line, relative to the row's bar
    int split = 0;
    int bottom = 0;
    QRgb upper = 0;        ///< top <= y < split
    QRgb lower = 0;        ///< split <= y < bottom
    bool hatched = false;  ///< stripes of `upper`, on `lower` unless that is transparent
};

constexpr QRgb kSeeThrough = 0;
constexpr int kColumnsWithEdge = 6;
constexpr int kLossyTop = 3;  // logical pixels above the bar
constexpr int kLossyBottom = 1;
constexpr int kLossyWidth = 3;
constexpr int kLowestDensity = 3;  // logical pixels: short running times stay visible

Look thin(int height, int thickness, QRgb color)
{
    const int top = (height - thickness) / 2;
    return {top, top + thickness, top + thickness, color, color, false};
}

Look lookOf(const TimelineMark &mark, int height, int scale, const TimelinePixels &pixels)
{
    const auto full = [height](QRgb color) { return Look{0, height, height, color, color, false}; };
    const auto hatch = [height](QRgb stripes, QRgb ground) { return Look{0, 0, height, stripes, ground, true}; };
    switch (mark.kind) {
    case MarkKind::Created: return thin(height, 2 * scale, pixels.created);
    case MarkKind::Running: return full(pixels.running);
    case MarkKind::Suspended: return full(pixels.suspended);
    case MarkKind::Runnable: return full(pixels.runnable);
    case MarkKind::Stuck: return full(pixels.stuck);
    case MarkKind::Finished: return thin(height, std::max(2 * scale, height / 3), pixels.finished);
    case MarkKind::Gap: return hatch(pixels.gap, pixels.gapBackground);
    case MarkKind::Unknown: return hatch(pixels.unknown, kSeeThrough);
    case MarkKind::Evicted: return hatch(pixels.evicted, kSeeThrough);
    case MarkKind::Pending: {
        const Look line = thin(height, 2 * scale, pixels.evicted);
        return {line.top, line.top, line.bottom, pixels.evicted, kSeeThrough, true};
    }
    case MarkKind::Mixed: {
        const int lowest = std::min(kLowestDensity * scale, height);
        const int lower = std::clamp(height * mark.density / TimelineMark::kFullDensity, lowest, height);
        return {0, height - lower, height, pixels.suspended, pixels.running, false};
    }
    }
    return full(pixels.unknown);
}

void hatchLine(QRgb *line, int x0, int x1, int y, int scale, const Look &look)
{
    const int period = 6 * scale;
    for (int x = x0; x < x1; ++x) {
        const bool stripe = (x + y) % period < 2 * scale;
        if (stripe)
            line[x] = look.upper;
        else if (look.lower != kSeeThrough)
            line[x] = look.lower;
    }
}

/// Marks a loss above the bar. A narrow mark is widened to stay visible.
void markLossy(QImage &image, int x0, int x1, int top, int scale, QRgb color)
{
    const int missing = std::max(0, kLossyWidth * scale - (x1 - x0));
    x0 = std::max(x0 - missing / 2, 0);
    x1 = std::min(x1 + missing - missing / 2, image.width());
    for (int y = std::max(0, top - kLossyTop * scale); y < std::min(top - kLossyBottom * scale, image.height()); ++y) {
        auto *line = reinterpret_cast<QRgb *>(image.scanLine(y));
        std::fill(line + x0, line + x1, color);
    }
}

}  // namespace

TimelinePixels::TimelinePixels(const Colors &colors)
    : background(colors.background.rgb()),
      stripe(colors.stripe.rgb()),
      grid(mix(colors.grid, colors.background, 0.7)),
      created(colors.created.rgb()),
      runnable(colors.runnable.rgb()),
      running(colors.running.rgb()),
      suspended(colors.suspended.rgb()),
      stuck(colors.stuck.rgb()),
      stuckEdge(mix(colors.stuck, colors.text, 0.7)),
      finished(colors.finished.rgb()),
      gap(colors.gap.rgb()),
      gapBackground(mix(colors.gap, colors.background, 0.25)),
      unknown(mix(colors.gap, colors.background, 0.45)),
      evicted(colors.grid.rgb())
{
}

namespace timelinepainter {

void fillLines(QImage &image, int y0, int y1, QRgb color)
{
    y0 = std::max(y0, 0);
    y1 = std::min(y1, image.height());
    for (int y = y0; y < y1; ++y) {
        auto *line = reinterpret_cast<QRgb *>(image.scanLine(y));
        std::fill(line, line + image.width(), color);
    }
}

void fillColumn(QImage &image, int x, QRgb color)
{
    if (x < 0 || x >= image.width())
        return;
    for (int y = 0; y < image.height(); ++y)
        reinterpret_cast<QRgb *>(image.scanLine(y))[x] = color;
}

void paintMarks(QImage &image, std::span<const TimelineMark> marks, int top, int height, int scale,
                const TimelinePixels &pixels)
{
    const int y0 = std::max(top, 0);
    const int y1 = std::min(top + height, image.height());
    if (y0 >= y1)
        return;
    for (const TimelineMark &mark : marks) {
        const int x0 = std::max(mark.x0, 0);
        const int x1 = std::min(mark.x1, image.width());
        if (x0 >= x1)
            continue;
        if (mark.lossy)
            markLossy(image, x0, x1, top, scale, pixels.gap);
        const Look look = lookOf(mark, height, scale, pixels);
        const bool edge = mark.kind == MarkKind::Stuck && mark.x0 > 0 && mark.x1 - mark.x0 >= kColumnsWithEdge * scale;
        for (int y = std::max(y0, top + look.top); y < std::min(y1, top + look.bottom); ++y) {
            auto *line = reinterpret_cast<QRgb *>(image.scanLine(y));
            if (look.hatched)
                hatchLine(line, x0, x1, y, scale, look);
            else
                std::fill(line + x0, line + x1, y < top + look.split ? look.upper : look.lower);
            if (edge)
                std::fill(line + x0, line + std::min(x0 + scale, x1), pixels.stuckEdge);
        }
    }
}

namespace {

/// The decimals of a second in groups of three: "123 456".
QString fraction(TimelineTime nanoseconds, int digits)
{
    const QString all = QStringLiteral("%1").arg(nanoseconds, 9, 10, QLatin1Char('0'));
    QString text;
    for (int i = 0; i < digits; ++i) {
        if (i > 0 && i % 3 == 0)
            text += QChar(0x202F);
        text += all[i];
    }
    return text;
}

/// "5 s" below a minute, then "2:05", "1:02:05", "3 d 1:02:05".
QString clockText(TimelineTime nanoseconds, int digits)
{
    const TimelineTime seconds = nanoseconds / 1'000'000'000;
    const QString tail = digits > 0 ? QLatin1Char('.') + fraction(nanoseconds % 1'000'000'000, digits) : QString();
    if (seconds < 60)
        return QStringLiteral("%1%2 s").arg(seconds).arg(tail);
    const auto two = [](TimelineTime value) { return QStringLiteral("%1").arg(value, 2, 10, QLatin1Char('0')); };
    const TimelineTime minutes = seconds / 60;
    if (minutes < 60)
        return QStringLiteral("%1:%2%3").arg(minutes).arg(two(seconds % 60), tail);
    const QString day = minutes >= 24 * 60 ? QStringLiteral("%1 d ").arg(minutes / (24 * 60)) : QString();
    return QStringLiteral("%1%2:%3:%4%5")
        .arg(day)
        .arg(minutes / 60 % 24)
        .arg(two(minutes % 60), two(seconds % 60), tail);
}

int digitsFor(TimelineTime step)
{
    int digits = 0;
    for (TimelineTime unit = 1'000'000'000; digits < 9 && unit > step; digits += 3)
        unit /= 1000;
    return digits;
}

const char *unitText(TickUnit unit)
{
    switch (unit) {
    case TickUnit::Nanoseconds: return "ns";
    case TickUnit::Microseconds: return "\u00b5s";
    case TickUnit::Milliseconds: return "ms";
    case TickUnit::Seconds: return "s";
    case TickUnit::Minutes: return "min";
    }
    return "";
}

}  // namespace

QString timeText(TimelineTime sinceOrigin, TimelineTime step)
{
    const QString sign = sinceOrigin < 0 ? QString(QChar(0x2212)) : QString();
    return sign + clockText(sinceOrigin < 0 ? -sinceOrigin : sinceOrigin, digitsFor(step));
}

QString tickText(const Tick &tick, const TickStep &step)
{
    if (step.unit >= TickUnit::Seconds)
        return timeText(tick.sinceOrigin, step.ns);
    if (tick.sinceRound == 0)
        return tick.sinceOrigin == 0 ? QStringLiteral("0")
                                     : timeText(tick.sinceOrigin, 1000 * nanosecondsIn(step.unit));
    const QString value = QStringLiteral("%1 %2")
                              .arg(tick.sinceRound / nanosecondsIn(step.unit))
                              .arg(QString::fromUtf8(unitText(step.unit)));
    return tick.sinceOrigin == tick.sinceRound ? value : QLatin1Char('+') + value;
}

void paintAxis(QPainter &painter, const QRect &area, const Ticks &ticks, qreal pixelRatio, const Colors &colors)
{
    painter.fillRect(area, colors.stripe);
    const QFontMetrics metrics = painter.fontMetrics();
    int free = area.left();  // x from which a label may start: labels never overlap
    for (const Tick &tick : ticks.ticks) {
        const int x = area.left() + static_cast<int>(tick.column / pixelRatio);
        const bool round = tick.sinceRound == 0;
        painter.fillRect(QRect(x, area.bottom() - (round ? 8 : 5), 1, round ? 9 : 6), colors.textMuted);
        const QString text = tickText(tick, ticks.step);
        const int width = metrics.horizontalAdvance(text);
        if (x + 4 < free || x + 4 + width > area.right())
            continue;
        painter.setPen(round ? colors.text : colors.textMuted);
        painter.drawText(QRect(x + 4, area.top(), width + 2, area.height() - 2), Qt::AlignLeft | Qt::AlignVCenter,
                         text);
        free = x + 4 + width + 8;
    }
    painter.fillRect(QRect(area.left(), area.bottom(), area.width(), 1), colors.grid);
}

void paintLabel(QPainter &painter, const QRect &area, const RowLabel &label, const Colors &colors)
{
    if (label.selected) {
        QColor wash = colors.accent;
        wash.setAlphaF(0.22F);
        painter.fillRect(area, wash);
        painter.fillRect(QRect(area.left(), area.top(), 3, area.height()), colors.accent);
    } else if (label.hovered) {
        painter.fillRect(area, colors.noticeBackground);
    }
    const QFontMetrics metrics = painter.fontMetrics();
    const QRect inner = area.adjusted(10, 0, -8, 0);
    const int idWidth = metrics.horizontalAdvance(label.id);
    painter.setPen(colors.textMuted);
    painter.drawText(inner, Qt::AlignRight | Qt::AlignVCenter, label.id);
    painter.setPen(label.alive ? colors.text : colors.textMuted);
    const int nameWidth = inner.width() - idWidth - 10;
    if (nameWidth > 0)
        painter.drawText(QRect(inner.left(), inner.top(), nameWidth, inner.height()), Qt::AlignLeft | Qt::AlignVCenter,
                         metrics.elidedText(label.name, Qt::ElideMiddle, nameWidth));
}

void paintBarText(QPainter &painter, const QRect &bar, const QString &full, const QString &brief, const QColor &color)
{
    constexpr int kPadding = 5;
    const int width = bar.width() - 2 * kPadding;
    const QFontMetrics metrics = painter.fontMetrics();
    const QString &text = metrics.horizontalAdvance(full) <= width ? full : brief;
    if (text.isEmpty() || metrics.horizontalAdvance(text) > width)
        return;
    painter.setPen(color);
    painter.drawText(bar.adjusted(kPadding, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, text);
}

void paintElsewhere(QPainter &painter, const QRect &row, Side side, const Colors &colors)
{
    constexpr int kSize = 4;
    const int tip = side == Side::Left ? row.left() + 4 : row.right() - 4;
    const int base = side == Side::Left ? tip + kSize : tip - kSize;
    const int middle = row.center().y();
    painter.setPen(Qt::NoPen);
    painter.setBrush(colors.textMuted);
    painter.drawPolygon(QPolygon({QPoint(tip, middle), QPoint(base, middle - kSize), QPoint(base, middle + kSize)}));
}

void paintMeasure(QPainter &painter, const QRect &range, const QString &text, const Colors &colors)
{
    QColor wash = colors.accent;
    wash.setAlphaF(0.18F);
    painter.fillRect(range, wash);
    painter.fillRect(QRect(range.left(), range.top(), 1, range.height()), colors.accent);
    painter.fillRect(QRect(range.right(), range.top(), 1, range.height()), colors.accent);
    const QFontMetrics metrics = painter.fontMetrics();
    QRect box(0, 0, metrics.horizontalAdvance(text) + 16, metrics.height() + 6);
    box.moveCenter(QPoint(range.center().x(), range.top() - box.height() / 2 - 1));
    painter.setPen(Qt::NoPen);
    painter.setBrush(colors.accent);
    painter.drawRoundedRect(box, 4, 4);
    painter.setPen(colors.background);
    painter.drawText(box, Qt::AlignCenter, text);
}

void paintEvictedEdge(QPainter &painter, const QRect &plot, int x, const Colors &colors)
{
    painter.setPen(QPen(colors.gap, 1, Qt::DashLine));
    painter.drawLine(x, plot.top(), x, plot.bottom());
}

void paintDensity(QPainter &painter, const QRect &axis, std::span<const DensityColumn> columns, qreal pixelRatio,
                  const Colors &colors)
{
    constexpr double kHeight = 9;
    QColor here = colors.accent;
    here.setAlphaF(0.45F);
    QColor elsewhere = colors.textMuted;
    elsewhere.setAlphaF(0.35F);
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const DensityColumn &column = columns[i];
        if (column.share <= 0)
            continue;
        const double height = std::max(1.0, kHeight * static_cast<double>(column.share));
        const QRectF bar(axis.left() + static_cast<double>(i) / pixelRatio, axis.bottom() - height, 1 / pixelRatio,
                         height);
        painter.fillRect(bar, column.inMemory >= 0.5F ? here : elsewhere);
    }
}

void paintEvictedText(QPainter &painter, const QRect &plot, const QString &text, const Colors &colors)
{
    const QFontMetrics metrics = painter.fontMetrics();
    const QString shown = metrics.elidedText(text, Qt::ElideRight, plot.width() - 32);
    const QRect box(plot.left() + 8, plot.bottom() - metrics.height() - 14, metrics.horizontalAdvance(shown) + 16,
                    metrics.height() + 6);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(colors.grid, 1));
    painter.setBrush(colors.background);
    painter.drawRoundedRect(box, 4, 4);
    painter.setPen(colors.textMuted);
    painter.drawText(box, Qt::AlignCenter, shown);
    painter.restore();
}

namespace {

void paintPause(QPainter &painter, const QRect &area, double wash, const QColor &lines, Qt::BrushStyle pattern,
                const Colors &colors)
{
    QColor cover = colors.background;
    cover.setAlphaF(static_cast<float>(wash));
    painter.fillRect(area, cover);
    painter.fillRect(area, QBrush(lines, pattern));
    for (const int x : {area.left(), area.right()})
        painter.fillRect(QRect(x, area.top(), 1, area.height()), lines);
}

}  // namespace

void paintOff(QPainter &painter, const QRect &area, const Colors &colors)
{
    paintPause(painter, area, 0.72, colors.grid, Qt::BDiagPattern, colors);
}

void paintStopped(QPainter &painter, const QRect &area, const Colors &colors)
{
    QColor lines = colors.textMuted;
    lines.setAlphaF(0.5F);
    paintPause(painter, area, 0.5, lines, Qt::VerPattern, colors);
}

void paintMachineSuspend(QPainter &painter, const QRect &plot, int x, const QString &duration, const Colors &colors)
{
    painter.setPen(QPen(colors.textMuted, 1, Qt::DashDotLine));
    painter.drawLine(x, plot.top(), x, plot.bottom());
    const QString text = QCoreApplication::translate("TimelinePainter", "machine suspended for %1").arg(duration);
    const QFontMetrics metrics = painter.fontMetrics();
    QRect box(x + 3, plot.bottom() - metrics.height() - 6, metrics.horizontalAdvance(text) + 10, metrics.height() + 4);
    if (box.right() > plot.right())
        box.moveRight(x - 3);
    painter.fillRect(box, colors.background);
    painter.setPen(colors.textMuted);
    painter.drawText(box, Qt::AlignCenter, text);
}

void paintNowLine(QPainter &painter, const QRect &plot, int x, const Colors &colors)
{
    painter.fillRect(QRect(x, plot.top(), 1, plot.height()), colors.accent);
}

}  // namespace timelinepainter

}  // namespace ct
