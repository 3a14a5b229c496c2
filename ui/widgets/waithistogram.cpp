// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/waithistogram.h"

#include "ui/format/colors.h"
#include "ui/format/format.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace ct {

namespace {

constexpr int kMargin = 8;
constexpr int kPlotHeight = 44;

double decadesOf(std::uint64_t ns)
{
    return std::log10(static_cast<double>(std::max<std::uint64_t>(ns, 1)));
}

/// "1 ms": a power of ten.
QString decadeText(int decades)
{
    static constexpr std::array<const char *, 4> kUnits = {"ns", "µs", "ms", "s"};
    const int unit = std::clamp(decades / 3, 0, 3);
    const auto number = static_cast<qint64>(std::pow(10, decades - unit * 3) + 0.5);
    return QStringLiteral("%1 %2").arg(number).arg(QString::fromUtf8(kUnits.at(static_cast<std::size_t>(unit))));
}

}  // namespace

WaitHistogram::WaitHistogram(QWidget *parent) : QWidget(parent)
{
    setObjectName(QStringLiteral("waitHistogram"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void WaitHistogram::show(const SiteStatistics &completed, std::uint64_t waitNs)
{
    m_completed = completed;
    m_waitNs = waitNs;
    std::uint64_t least = std::max<std::uint64_t>(waitNs, 1);
    for (int bucket = 0; bucket < SiteStatistics::kBuckets; ++bucket)
        if (completed.buckets[static_cast<std::size_t>(bucket)] != 0) {
            least = std::min(least, SiteStatistics::upperBoundOf(bucket));
            break;
        }
    m_first = std::floor(decadesOf(least) - 0.3);
    m_last = std::max(m_first + 1, decadesOf(std::max(waitNs, completed.maxNs)) + 0.15);
    const QString text =
        completed.completed == 0
            ? tr("No wait was completed at this site. This wait: %1").arg(format::duration(waitNs))
            : tr("%1 completed waits at this site, half of them within %2, the longest %3. This wait: %4")
                  .arg(format::count(completed.completed), format::duration(completed.quantile(0.5)),
                       format::duration(completed.maxNs), format::duration(waitNs));
    setToolTip(text);
    setAccessibleName(text);
    update();
}

QSize WaitHistogram::sizeHint() const
{
    return {240, minimumSizeHint().height()};
}

QSize WaitHistogram::minimumSizeHint() const
{
    return {120, kPlotHeight + 2 * fontMetrics().height() + 8};
}

QRect WaitHistogram::plot() const
{
    return rect().adjusted(kMargin, fontMetrics().height() + 4, -kMargin, -(fontMetrics().height() + 4));
}

int WaitHistogram::xOf(std::uint64_t ns) const
{
    const double share = (decadesOf(ns) - m_first) / (m_last - m_first);
    return plot().left() + static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * (plot().width() - 1)));
}

void WaitHistogram::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    paintAxis(painter);
    paintBars(painter);
    paintMark(painter);
}

/// The height of a bar grows with the logarithm of its count, so that single long waits are visible next to thousands.
void WaitHistogram::paintBars(QPainter &painter) const
{
    const std::uint64_t most = *std::max_element(m_completed.buckets.begin(), m_completed.buckets.end());
    if (most == 0)
        return;
    const double scale = plot().height() / std::log2(static_cast<double>(most) + 2);
    std::uint64_t from = 0;
    for (int bucket = 0; bucket < SiteStatistics::kBuckets; ++bucket) {
        const std::uint64_t to = SiteStatistics::upperBoundOf(bucket);
        const std::uint64_t count = m_completed.buckets[static_cast<std::size_t>(bucket)];
        if (count != 0) {
            const int height = std::max(2, static_cast<int>(std::log2(static_cast<double>(count) + 1) * scale));
            const int left = xOf(from);
            painter.fillRect(QRect(left, plot().bottom() - height + 1, std::max(2, xOf(to) - left), height),
                             colorsFor(palette()).suspended);
        }
        from = to;
    }
}

void WaitHistogram::paintAxis(QPainter &painter) const
{
    const Colors &colors = colorsFor(palette());
    painter.setPen(colors.textMuted);
    painter.drawLine(plot().bottomLeft() + QPoint(0, 1), plot().bottomRight() + QPoint(0, 1));
    int free = 0;  // texts must not overlap
    for (int decades = static_cast<int>(std::ceil(m_first)); decades <= m_last; ++decades) {
        const int x = xOf(static_cast<std::uint64_t>(std::pow(10, decades) + 0.5));
        painter.drawLine(x, plot().bottom() + 1, x, plot().bottom() + 4);
        const QString text = decadeText(decades);
        const int width = fontMetrics().horizontalAdvance(text);
        const int left = std::clamp(x - width / 2, 0, std::max(0, this->width() - width));
        if (left < free)
            continue;
        painter.drawText(left, height() - fontMetrics().descent() - 1, text);
        free = left + width + 8;
    }
    if (kMargin + fontMetrics().horizontalAdvance(title()) + kMargin <= markLeft())
        painter.drawText(kMargin, fontMetrics().ascent() + 1, title());
}

QString WaitHistogram::title() const
{
    return m_completed.completed == 0 ? tr("No wait was completed here")
                                      : tr("%1 completed waits").arg(format::count(m_completed.completed));
}

QString WaitHistogram::markText() const
{
    return tr("this wait, %1").arg(format::duration(m_waitNs));
}

/// Where the text of the mark begins: above the mark, but behind the title, if there is room for both.
int WaitHistogram::markLeft() const
{
    const int width = fontMetrics().horizontalAdvance(markText());
    const int last = std::max(0, this->width() - width - kMargin);
    const int behindTitle = kMargin + fontMetrics().horizontalAdvance(title()) + kMargin;
    return std::clamp(xOf(m_waitNs) - width / 2, behindTitle <= last ? behindTitle : 0, last);
}

void WaitHistogram::paintMark(QPainter &painter) const
{
    const Colors &colors = colorsFor(palette());
    const int x = xOf(m_waitNs);
    painter.fillRect(QRect(x - 1, plot().top() - 2, 2, plot().height() + 4), colors.stuck);
    painter.setPen(colors.warningText);
    painter.drawText(markLeft(), fontMetrics().ascent() + 1, markText());
}

}  // namespace ct
