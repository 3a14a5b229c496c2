// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/querychart.h"

#include "ui/format/colors.h"
#include "ui/format/format.h"

#include <QChart>
#include <QChartView>
#include <QComboBox>
#include <QEvent>
#include <QGraphicsLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLegend>
#include <QLineSeries>
#include <QVBoxLayout>
#include <QValueAxis>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace ct {

namespace {

constexpr qsizetype kMostTitle = 60;
/// A column is not offered if these first rows have no number in it.
constexpr std::size_t kTriedRows = 1000;

/// Larger values have no place on an axis: the difference of two of them can be infinite.
constexpr double kLargest = 1e300;
/// Values that differ less, in proportion, are drawn as one: an axis cannot tell them apart.
constexpr double kLeastDifference = 1e-12;

std::optional<double> numberOf(const QueryValue &value)
{
    if (const auto *integer = std::get_if<std::int64_t>(&value))
        return static_cast<double>(*integer);
    const auto *real = std::get_if<double>(&value);
    return real && std::abs(*real) <= kLargest ? std::optional<double>(*real) : std::nullopt;
}

bool hasNumbers(const QueryRows &rows, std::size_t column)
{
    for (std::size_t row = 0; row < std::min(rows.count(), kTriedRows); ++row) {
        if (numberOf(rows.at(row, column)))
            return true;
    }
    return false;
}

/// Pixels per tick.
constexpr int kTickHeight = 36;
constexpr int kTickWidth = 120;
/// With fewer pixels, the titles of the axes would leave no room for the chart.
constexpr int kTitledHeight = 180;

double largestOf(double lowest, double highest)
{
    return std::max(std::abs(lowest), std::abs(highest));
}

/// Room on each side of a range of values: a share of the range. A single value gets an axis, too.
double roomAround(double lowest, double highest, double share)
{
    const double largest = largestOf(lowest, highest);
    return highest - lowest > largest * kLeastDifference ? (highest - lowest) * share : std::max(1.0, largest) * 0.5;
}

/// Ticks at round numbers: at most `ticks` steps of 1, 2 or 5 times a power of ten.
void setTicks(QValueAxis &axis, int ticks)
{
    const double step = (axis.max() - axis.min()) / std::clamp(ticks, 2, 5);
    const double power = std::pow(10, std::floor(std::log10(step)));
    const double rest = step / power;
    const double interval = power * (rest <= 1 ? 1 : rest <= 2 ? 2 : rest <= 5 ? 5 : 10);
    const double largest = largestOf(axis.min(), axis.max());
    // Qt Charts adds the interval until it is past the end: with a smaller interval it would never get there.
    if (!(interval > largest * kLeastDifference / 10)) {
        axis.setTickType(QValueAxis::TicksFixed);
        return;
    }
    axis.setTickAnchor(0);
    axis.setTickInterval(interval);
    axis.setTickType(QValueAxis::TicksDynamic);
    // As many digits as distinguish two ticks.
    const int digits = static_cast<int>(std::ceil(std::log10(std::max(1.0, largest / interval)))) + 1;
    axis.setLabelFormat(QStringLiteral("%.%1g").arg(std::clamp(digits, 6, 15)));
}

/// The values of an axis, as the user reads them.
struct Scale {
    double origin = 0;
    double unit = 1;
    QString title;
    bool isTime = false;
    bool hasUnit = false;
};

/// Times count from the earliest one. Times and durations get a unit that fits their range.
Scale scaleOf(const QString &column, double lowest, double highest)
{
    const bool isTime = column == QLatin1String("ts") || column.endsWith(QLatin1String("_ts")) ||
                        column.endsWith(QLatin1String("_since")) || column == QLatin1String("deadline");
    if (!isTime && column != QLatin1String("ns") && !column.endsWith(QLatin1String("_ns")))
        return {0, 1, column, false, false};
    const double range = isTime ? highest - lowest : std::max(std::abs(lowest), std::abs(highest));
    const auto [unit, name] = range >= 1e9   ? std::pair(1e9, QStringLiteral("s"))
                              : range >= 1e6 ? std::pair(1e6, QStringLiteral("ms"))
                              : range >= 1e3 ? std::pair(1e3, QStringLiteral("µs"))
                                             : std::pair(1.0, QStringLiteral("ns"));
    return {isTime ? lowest : 0, unit, QueryChart::tr("%1, in %2").arg(column, name), isTime, true};
}

}  // namespace

QList<QPointF> chartPoints(const QueryRows &rows, std::size_t x, std::size_t y)
{
    QList<QPointF> points;
    for (std::size_t row = 0; row < rows.count(); ++row) {
        const std::optional<double> atX = numberOf(rows.at(row, x));
        const std::optional<double> atY = numberOf(rows.at(row, y));
        if (atX && atY)
            points.append({*atX, *atY});
    }
    std::stable_sort(points.begin(), points.end(),
                     [](const QPointF &one, const QPointF &other) { return one.x() < other.x(); });
    return points;
}

QList<QPointF> decimatedPoints(const QList<QPointF> &points, std::size_t most)
{
    const auto count = static_cast<std::size_t>(points.size());
    if (count <= most)
        return points;
    const std::size_t pieces = std::max<std::size_t>(1, most / 2);
    QList<QPointF> fewer;
    for (std::size_t piece = 0; piece < pieces; ++piece) {
        const auto begin = points.begin() + static_cast<qsizetype>(piece * count / pieces);
        const auto end = points.begin() + static_cast<qsizetype>((piece + 1) * count / pieces);
        const auto [lowest, highest] = std::minmax_element(
            begin, end, [](const QPointF &one, const QPointF &other) { return one.y() < other.y(); });
        fewer << *std::min(lowest, highest);
        if (lowest != highest)
            fewer << *std::max(lowest, highest);
    }
    return fewer;
}

QueryChart::QueryChart(QWidget *parent)
    : QWidget(parent),
      m_chart(new QChart),
      m_view(new QChartView(m_chart)),
      m_x(new QComboBox),
      m_y(new QComboBox),
      m_note(new QLabel),
      m_series(new QLineSeries(m_chart))
{
    m_x->setObjectName(QStringLiteral("queryChartX"));
    m_x->setAccessibleName(tr("Column of the horizontal axis"));
    m_y->setObjectName(QStringLiteral("queryChartY"));
    m_y->setAccessibleName(tr("Column of the vertical axis"));
    m_note->setObjectName(QStringLiteral("queryChartNote"));
    m_note->setWordWrap(true);  // a long line would make the dock wide
    m_view->setFrameShape(QFrame::NoFrame);
    m_view->setAccessibleName(tr("Chart of the result"));
    m_view->setRenderHint(QPainter::Antialiasing);
    m_chart->addSeries(m_series);
    m_chart->createDefaultAxes();
    m_chart->legend()->hide();
    m_chart->setMargins(QMargins(2, 2, 10, 2));
    m_chart->layout()->setContentsMargins(0, 0, 0, 0);
    m_chart->setBackgroundRoundness(0);
    auto *bar = new QHBoxLayout;
    bar->setContentsMargins(6, 4, 6, 0);
    bar->addWidget(new QLabel(tr("Horizontal:")));
    bar->addWidget(m_x);
    bar->addWidget(new QLabel(tr("Vertical:")));
    bar->addWidget(m_y);
    bar->addWidget(m_note, 1);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addLayout(bar);
    layout->addWidget(m_view, 1);
    connect(m_x, &QComboBox::activated, this, &QueryChart::draw);
    connect(m_y, &QComboBox::activated, this, &QueryChart::draw);
    connect(m_chart, &QGraphicsWidget::geometryChanged, this, &QueryChart::arrangeAxes);
    m_note->setTextFormat(Qt::PlainText);
    applyColors();
    applyFont();
    draw();
}

void QueryChart::setRows(std::shared_ptr<const QueryRows> rows)
{
    m_rows = std::move(rows);
    m_x->clear();
    m_y->clear();
    for (std::size_t column = 0; m_rows && m_rows->count() > 0 && column < m_rows->columns.size(); ++column) {
        if (!hasNumbers(*m_rows, column))
            continue;
        for (QComboBox *box : {m_x, m_y})
            box->addItem(QString::fromStdString(m_rows->columns[column]).left(kMostTitle), static_cast<int>(column));
    }
    m_y->setCurrentIndex(std::min(1, m_y->count() - 1));
    draw();
}

void QueryChart::draw()
{
    QList<QPointF> all;
    if (m_x->count() >= 2)
        all = chartPoints(*m_rows, m_x->currentData().toUInt(), m_y->currentData().toUInt());
    QList<QPointF> points = decimatedPoints(all, kMostPoints);
    m_view->setVisible(!points.isEmpty());
    if (points.isEmpty())
        return m_note->setText(tr("A chart needs rows with two columns of numbers."));
    const auto [lowest, highest] = std::minmax_element(
        points.begin(), points.end(), [](const QPointF &one, const QPointF &other) { return one.y() < other.y(); });
    const Scale x = scaleOf(m_x->currentText(), points.first().x(), points.last().x());
    const Scale y = scaleOf(m_y->currentText(), lowest->y(), highest->y());
    QStringList notes;
    for (const Scale &scale : {x, y}) {
        if (scale.hasUnit)
            notes << scale.title + u'.';  // a small chart has no titles
    }
    if (x.isTime || y.isTime)
        notes << tr("Times count from the earliest one.");
    if (points.size() < all.size())
        notes << tr("Shows %1 of %2 rows: the lowest and the highest value of each group of neighbouring rows.")
                     .arg(format::count(static_cast<std::uint64_t>(points.size())),
                          format::count(static_cast<std::uint64_t>(all.size())));
    if (const std::size_t without = m_rows->count() - static_cast<std::size_t>(all.size()); without != 0)
        notes << tr("Rows left out because they lack a number: %1.").arg(format::count(without));
    m_note->setText(notes.join(u' '));
    const double bottom = (lowest->y() - y.origin) / y.unit;
    const double top = (highest->y() - y.origin) / y.unit;
    for (QPointF &point : points)
        point = {(point.x() - x.origin) / x.unit, (point.y() - y.origin) / y.unit};
    m_series->replace(points);
    const double left = points.first().x();
    const double right = points.last().x();
    auto *horizontal = static_cast<QValueAxis *>(m_chart->axes(Qt::Horizontal).constFirst());
    auto *vertical = static_cast<QValueAxis *>(m_chart->axes(Qt::Vertical).constFirst());
    const double sideRoom = roomAround(left, right, 0);
    const double topRoom = roomAround(bottom, top, 0.05);
    for (QValueAxis *axis : {horizontal, vertical})
        axis->setTickType(QValueAxis::TicksFixed);  // the interval of another range could make billions of ticks
    horizontal->setRange(left - sideRoom, right + sideRoom);
    vertical->setRange(bottom - topRoom, top + topRoom);
    arrangeAxes();
    horizontal->setTitleText(x.title.toHtmlEscaped());  // Qt Charts shows rich text
    vertical->setTitleText(y.title.toHtmlEscaped());
    m_series->setPointsVisible(points.size() < 100);
}

void QueryChart::applyColors()
{
    const Colors &colors = colorsFor(palette());
    m_chart->setBackgroundBrush(colors.background);
    m_view->setBackgroundBrush(colors.background);
    m_series->setPen(QPen(colors.accent, 1.6));
    for (QAbstractAxis *axis : m_chart->axes()) {
        axis->setLabelsColor(colors.textMuted);
        axis->setTitleBrush(colors.text);
        axis->setLinePenColor(colors.grid);
        axis->setGridLineColor(colors.grid);
    }
}

void QueryChart::applyFont()
{
    QFont small = font();
    small.setPointSizeF(small.pointSizeF() * 0.85);
    for (QAbstractAxis *axis : m_chart->axes()) {
        axis->setLabelsFont(small);
        axis->setTitleFont(small);
    }
}

/// Adapts the axes to the size of the chart.
void QueryChart::arrangeAxes()
{
    const QSizeF size = m_chart->size();
    setTicks(static_cast<QValueAxis &>(*m_chart->axes(Qt::Horizontal).constFirst()),
             static_cast<int>(size.width()) / kTickWidth);
    setTicks(static_cast<QValueAxis &>(*m_chart->axes(Qt::Vertical).constFirst()),
             static_cast<int>(size.height()) / kTickHeight);
    for (QAbstractAxis *axis : m_chart->axes())
        axis->setTitleVisible(size.height() >= kTitledHeight);
}

void QueryChart::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange)
        applyColors();
    if (event->type() == QEvent::FontChange)
        applyFont();
    QWidget::changeEvent(event);
}

}  // namespace ct
