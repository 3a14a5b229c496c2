// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/timelinescene.h"

#include "ui/format/format.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ct {

namespace {

constexpr TimelineTime kFirstSpan = 10'000'000'000;
constexpr int kBarInset = 4;                     // logical pixels above and below a bar
constexpr int kNarrowestText = 52;               // logical pixels
constexpr std::chrono::milliseconds kBudget{8};  // time on the GUI thread for one update
constexpr std::chrono::milliseconds kPausesEvery{100};
constexpr int kTickDistance = 110;  // logical pixels

QColor textOn(const QColor &background)
{
    return qGray(background.rgb()) > 140 ? QColor(0x1D, 0x23, 0x2B) : QColor(Qt::white);
}

}  // namespace

void TimelineScene::setTrace(const Population *population, const History *history,
                             std::shared_ptr<AddressResolver> resolver)
{
    m_resolver = std::move(resolver);
    m_live.reset();
    m_population = history ? population : nullptr;
    m_history = population ? history : nullptr;
    if (m_population)
        m_live = std::make_unique<Live>(*m_population, *m_history);
    m_rows.clear();
    m_locations.clear();
    m_now = 0;
    m_begun = false;
    m_off.clear();
    m_stopped.clear();
    m_suspends.clear();
    m_pausesAt = {};
    m_firstVisible = 0;
    selected = kNoCoroutine;
    hovered.reset();
    measure.reset();
}

void TimelineScene::setRows(std::vector<CoroutineId> rows)
{
    m_rows = std::move(rows);
    hovered.reset();
}

void TimelineScene::setSize(QSize size, qreal pixelRatio)
{
    const TimelineTime span = view.span();
    const bool first = m_size.isEmpty();
    const TimelineTime right = view.to() - 1;
    m_size = size;
    m_ratio = pixelRatio;
    view.setColumns(static_cast<int>(std::ceil(plot().width() * m_ratio)));
    if (first)
        view.fit(view.to() - kFirstSpan, view.to());
    else if (span != view.span())
        view.setRightEdge(right);
}

bool TimelineScene::setStretches(std::vector<History::Stretch> stretches, TimelineTime knownEnd)
{
    m_stretches = std::move(stretches);
    m_densityView = view;
    std::vector<DensityColumn> density = densityColumns(m_stretches, view);
    const bool changed = density != m_density;
    m_density = std::move(density);
    return std::exchange(m_knownEnd, knownEnd) != knownEnd || changed;
}

void TimelineScene::setScroll(int pixels)
{
    m_scroll = std::max(0, pixels);
}

bool TimelineScene::sample()
{
    if (!m_live)
        return false;
    const TimelineTime before = timelineTime(m_now);
    m_now = std::max({m_now, m_population->now(), m_history->lastTs()});
    const bool switched = updatePauses();
    const bool changed = update();
    const std::uint64_t addresses = m_resolver ? m_resolver->generation() : 0;
    const bool named = std::exchange(m_generationSeen, addresses) != addresses;
    return switched || changed || named || view.clampedColumnOf(before) != view.clampedColumnOf(timelineTime(m_now));
}

bool TimelineScene::update()
{
    if (!m_live)
        return false;
    if (m_now == 0)
        m_now = std::max(m_population->now(), m_history->lastTs());
    updateLimits();
    keepUp();
    const auto [first, last] = visibleRows();
    const bool scrolled = first != m_firstVisible;
    m_firstVisible = first;
    const bool changed = m_live->geometry.update(
        view, std::span(m_rows).subspan(first, last - first), m_now,
        [this](const CoroutineSnapshot &coroutine) {
            return m_suspects && m_suspects->find(coroutine) ? 0 : kNeverStuck;
        },
        kBudget);
    return changed || scrolled;
}

/// Reads the switches at intervals of kPausesEvery, because there can be tens of thousands.
bool TimelineScene::updatePauses()
{
    const auto now = std::chrono::steady_clock::now();
    if (now - m_pausesAt < kPausesEvery)
        return false;
    m_pausesAt = now;
    std::vector<PausedInterval> off = offIntervals(m_population->switches());
    std::vector<PausedInterval> stopped = stoppedIntervals(m_population->samples());
    std::vector<MachineSuspend> suspends = m_population->samples().machineSuspends();
    if (off == m_off && stopped == m_stopped && suspends == m_suspends)
        return false;
    m_off = std::move(off);
    m_stopped = std::move(stopped);
    m_suspends = std::move(suspends);
    return true;
}

void TimelineScene::updateLimits()
{
    std::uint64_t begin = m_history->firstTs();
    const auto [first, last] = visibleRows();
    const auto consider = [&](CoroutineId id) {
        if (id >= m_population->size())
            return;
        const std::uint64_t birth = m_population->at(id).birthTs;
        if (birth != 0 && (begin == 0 || birth < begin))
            begin = birth;
    };
    consider(0);
    if (begin != 0 && !m_begun) {
        m_begun = true;
        m_begin = m_origin = timelineTime(begin);
    }
    for (std::size_t row = first; row < last; ++row)
        consider(m_rows[row]);
    if (m_begun)
        m_begin = std::min(m_begin, timelineTime(begin));
    view.setLimits(m_begun ? m_begin : timelineTime(m_now), std::max(timelineTime(m_now), m_knownEnd));
}

void TimelineScene::keepUp()
{
    if (follow && m_now != 0)
        view.setRightEdge(timelineTime(m_now));
}

bool TimelineScene::seesNow() const
{
    return view.columnOf(timelineTime(m_now)) < view.columns();
}

bool TimelineScene::showsEvicted() const
{
    for (std::size_t row = 0; m_live && row < m_live->geometry.rowCount(); ++row) {
        const std::vector<TimelineMark> &marks = m_live->geometry.marks(row);
        if (std::any_of(marks.begin(), marks.end(), [](const auto &mark) { return mark.kind == MarkKind::Evicted; }))
            return true;
    }
    return false;
}

void TimelineScene::fit()
{
    if (m_begun)
        view.fit(m_begin, std::max(timelineTime(m_now), m_knownEnd) + 1);
}

int TimelineScene::labelWidth() const
{
    return std::clamp(m_size.width() / 4, 60, 260);
}

QRect TimelineScene::plot() const
{
    return {labelWidth(), kAxisHeight, std::max(1, m_size.width() - labelWidth()),
            std::max(1, m_size.height() - kAxisHeight)};
}

int TimelineScene::rowsHeight() const
{
    constexpr std::size_t kMostRows = std::numeric_limits<int>::max() / kRowHeight - kRowsBelow;
    return static_cast<int>(std::min(m_rows.size(), kMostRows) + kRowsBelow) * kRowHeight;
}

std::pair<std::size_t, std::size_t> TimelineScene::visibleRows() const
{
    const auto first = std::min(static_cast<std::size_t>(m_scroll / kRowHeight), m_rows.size());
    const auto count = static_cast<std::size_t>(plot().height() / kRowHeight + 2);
    return {first, std::min(m_rows.size(), first + count)};
}

int TimelineScene::columnAt(int x) const
{
    return static_cast<int>((x - plot().left()) * m_ratio);
}

int TimelineScene::xOf(TimelineTime time) const
{
    return plot().left() + static_cast<int>(std::floor(view.clampedColumnOf(time) / m_ratio));
}

std::optional<std::size_t> TimelineScene::rowAt(int y) const
{
    const int offset = y - plot().top() + m_scroll;
    if (y < plot().top() || offset < 0)
        return std::nullopt;
    const auto row = static_cast<std::size_t>(offset / kRowHeight);
    return row < m_rows.size() ? std::optional(row) : std::nullopt;
}

std::optional<std::size_t> TimelineScene::rowOf(CoroutineId id) const
{
    const auto position = std::find(m_rows.begin(), m_rows.end(), id);
    if (id == kNoCoroutine || position == m_rows.end())
        return std::nullopt;
    return static_cast<std::size_t>(position - m_rows.begin());
}

int TimelineScene::deviceTop(std::size_t row) const
{
    return qRound((static_cast<double>(row) * kRowHeight - m_scroll) * m_ratio);
}

const TimelineScene::LocationText &TimelineScene::locationText(SiteId site)
{
    static const LocationText kNone;
    const auto found = m_locations.find(site);
    if (found != m_locations.end())
        return found->second;
    const Site *known = m_population->site(site);
    if (!known)
        return kNone;  // the site may become known later
    LocationText text{format::location(known, 0), format::fileName(*known)};
    if (known->line != 0 && !text.brief.isEmpty())
        text.brief += QLatin1Char(':') + QString::number(known->line);
    return m_locations.emplace(site, std::move(text)).first->second;
}

/// Returns the name of the thread that ran a Running mark.
QString TimelineScene::threadText(CoroutineId id, const TimelineMark &mark) const
{
    const TimelineTime middle = std::clamp<TimelineTime>(view.timeAt((mark.x0 + mark.x1) / 2), 0, timelineTime(m_now));
    const auto bar = barAt(*m_population, *m_history, id, static_cast<std::uint64_t>(middle), m_now, lives());
    if (!bar || bar->kind != MarkKind::Running || bar->tid == 0)
        return {};
    const QString name = format::targetName(m_population->threadName(m_population->at(id).pid, bar->tid));
    return name.isEmpty() ? QCoreApplication::translate("TimelineScene", "thread %1").arg(bar->tid) : name;
}

void TimelineScene::drawBarTexts(QPainter &painter, std::size_t visibleRow, const Colors &colors)
{
    const std::size_t row = m_firstVisible + visibleRow;
    if (row >= m_rows.size() || m_rows[row] >= m_population->size())
        return;
    const int top = static_cast<int>(deviceTop(row) / m_ratio);
    // A wash covers the bar where the process was paused. Place the text outside of it.
    Columns paused;
    if (!m_off.empty() || !m_stopped.empty()) {
        const CoroutineSnapshot coroutine = m_population->at(m_rows[row]);
        paused = pausedColumnsOf(m_off, coroutine);
        const Columns stopped = pausedColumnsOf(m_stopped, coroutine);
        paused.insert(paused.end(), stopped.begin(), stopped.end());
        std::sort(paused.begin(), paused.end());
    }
    for (const TimelineMark &mark : m_live->geometry.marks(visibleRow)) {
        const auto [x0, x1] = longestOutside(paused, {mark.x0, mark.x1});
        if (x1 - x0 < kNarrowestText * m_ratio)
            continue;
        const QRect bar(QPoint(static_cast<int>(x0 / m_ratio), top),
                        QSize(static_cast<int>((x1 - x0) / m_ratio), kRowHeight));
        if (mark.kind == MarkKind::Suspended || mark.kind == MarkKind::Runnable || mark.kind == MarkKind::Stuck) {
            const QColor &ground = mark.kind == MarkKind::Stuck      ? colors.stuck
                                   : mark.kind == MarkKind::Runnable ? colors.runnable
                                                                     : colors.suspended;
            const LocationText &text = locationText(mark.site);
            timelinepainter::paintBarText(painter, bar, text.full, text.brief, textOn(ground));
        } else if (mark.kind == MarkKind::Running) {
            timelinepainter::paintBarText(painter, bar, threadText(m_rows[row], mark), {}, textOn(colors.running));
        }
    }
}

void TimelineScene::drawCanvas(const QFont &font, const Colors &colors)
{
    const QSize size(view.columns(), static_cast<int>(std::ceil(plot().height() * m_ratio)));
    if (m_canvas.size() != size)
        m_canvas = QImage(size, QImage::Format_RGB32);
    m_canvas.setDevicePixelRatio(m_ratio);
    const TimelinePixels pixels(colors);
    const Colors &c = colors;
    const QRgb selectedGround =
        qRgb((c.accent.red() + 4 * c.background.red()) / 5, (c.accent.green() + 4 * c.background.green()) / 5,
             (c.accent.blue() + 4 * c.background.blue()) / 5);
    timelinepainter::fillLines(m_canvas, 0, size.height(), pixels.background);
    const std::size_t count = m_live->geometry.rowCount();
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t row = m_firstVisible + i;
        const bool chosen = row < m_rows.size() && m_rows[row] == selected;
        if (chosen || row % 2 == 1)
            timelinepainter::fillLines(m_canvas, deviceTop(row), deviceTop(row + 1),
                                       chosen ? selectedGround : pixels.stripe);
    }
    for (const Tick &tick : ticksOf(view, m_origin, static_cast<int>(kTickDistance * m_ratio)).ticks)
        timelinepainter::fillColumn(m_canvas, tick.column, pixels.grid);
    const int scale = std::max(1, static_cast<int>(m_ratio));
    const int inset = qRound(kBarInset * m_ratio);
    for (std::size_t i = 0; i < count; ++i) {
        const int top = deviceTop(m_firstVisible + i) + inset;
        const int height = deviceTop(m_firstVisible + i + 1) - inset - top;
        timelinepainter::paintMarks(m_canvas, m_live->geometry.marks(i), top, height, scale, pixels);
    }
    QPainter painter(&m_canvas);
    painter.setFont(font);
    for (std::size_t i = 0; i < count; ++i)
        drawBarTexts(painter, i, colors);
}

void TimelineScene::paintLabels(QPainter &painter, const Colors &colors)
{
    const int width = labelWidth();
    painter.save();
    painter.setClipRect(QRect(0, kAxisHeight, width, m_size.height() - kAxisHeight));
    const auto [first, last] = visibleRows();
    for (std::size_t row = first; row < last; ++row) {
        const QRect area(0, kAxisHeight + static_cast<int>(row) * kRowHeight - m_scroll, width, kRowHeight);
        painter.fillRect(area, row % 2 == 1 ? colors.stripe : colors.background);
        timelinepainter::RowLabel label;
        label.id = QStringLiteral("#%1").arg(m_rows[row]);
        label.selected = m_rows[row] == selected;
        label.hovered = hovered == row;
        if (m_rows[row] < m_population->size()) {
            const CoroutineSnapshot snapshot = m_population->at(m_rows[row]);
            label.alive = snapshot.deathTs == 0 && !lives().hasEnded(snapshot);
            label.name = format::coroutineName(*m_population, snapshot, m_resolver.get());
        }
        if (label.name.isEmpty())
            label.name = QCoreApplication::translate("TimelineScene", "coroutine");
        timelinepainter::paintLabel(painter, area, label, colors);
    }
    painter.restore();
}

/// Marks rows that are empty here with the direction of their bars.
void TimelineScene::paintElsewhere(QPainter &painter, const Colors &colors)
{
    for (std::size_t i = 0; i < m_live->geometry.rowCount(); ++i) {
        const std::size_t row = m_firstVisible + i;
        if (!m_live->geometry.marks(i).empty() || row >= m_rows.size() || m_rows[row] >= m_population->size())
            continue;
        const CoroutineSnapshot snapshot = m_population->at(m_rows[row]);
        const bool later = timelineTime(snapshot.birthTs) >= view.to();
        const bool earlier = timelineTime(endOf(snapshot)) < view.from();
        if (!later && !earlier)
            continue;
        const QRect area(plot().left(), kAxisHeight + static_cast<int>(row) * kRowHeight - m_scroll, plot().width(),
                         kRowHeight);
        timelinepainter::paintElsewhere(painter, area,
                                        later ? timelinepainter::Side::Right : timelinepainter::Side::Left, colors);
    }
}

std::uint64_t TimelineScene::endOf(const CoroutineSnapshot &coroutine) const
{
    return coroutine.deathTs != 0 ? coroutine.deathTs : lives().nowOf(coroutine, m_now);
}

TimelineScene::Columns TimelineScene::pausedColumnsOf(std::span<const PausedInterval> intervals,
                                                      const CoroutineSnapshot &coroutine) const
{
    return pausedColumns(intervals, coroutine.pid, view, std::min(m_now, lives().endOf(coroutine)));
}

void TimelineScene::paintPauses(QPainter &painter, const Colors &colors)
{
    const auto [first, last] = visibleRows();
    for (std::size_t row = first; row < last && !(m_off.empty() && m_stopped.empty()); ++row) {
        if (m_rows[row] >= m_population->size())
            continue;
        const CoroutineSnapshot snapshot = m_population->at(m_rows[row]);
        const int top = kAxisHeight + static_cast<int>(row) * kRowHeight - m_scroll;
        const auto areaOf = [&](const std::pair<int, int> &columns) {
            const int left = static_cast<int>(columns.first / m_ratio);
            const int width = std::max(static_cast<int>(columns.second / m_ratio) - left, 1);
            return QRect(plot().left() + left, top, width, kRowHeight);
        };
        for (const auto &columns : pausedColumnsOf(m_stopped, snapshot))
            timelinepainter::paintStopped(painter, areaOf(columns), colors);
        for (const auto &columns : pausedColumnsOf(m_off, snapshot))
            timelinepainter::paintOff(painter, areaOf(columns), colors);
    }
}

void TimelineScene::paintOverlays(QPainter &painter, const Colors &colors)
{
    const QRect area = plot();
    painter.save();
    painter.setClipRect(area);
    paintPauses(painter, colors);
    for (const MachineSuspend &suspend : m_suspends) {
        const std::int64_t column = view.columnOf(timelineTime(suspend.ts));
        if (column >= 0 && column < view.columns() && suspend.ts <= m_now)
            timelinepainter::paintMachineSuspend(painter, area, xOf(timelineTime(suspend.ts)),
                                                 format::duration(suspend.durationNs), colors);
    }
    paintElsewhere(painter, colors);
    const int evicted = m_live->geometry.evictedColumns();
    if (evicted > 0 && evicted < view.columns() && viewIsIncomplete)
        timelinepainter::paintEvictedEdge(painter, area, area.left() + static_cast<int>(evicted / m_ratio), colors);
    if (!evictedText.isEmpty())
        timelinepainter::paintEvictedText(painter, area, evictedText, colors);
    const std::int64_t nowColumn = view.columnOf(timelineTime(m_now));
    if (m_now != 0 && nowColumn >= 0 && nowColumn < view.columns())
        timelinepainter::paintNowLine(painter, area, xOf(timelineTime(m_now)), colors);
    if (measure) {
        painter.setClipRect(area.adjusted(0, -kAxisHeight, 0, 0));
        const auto [from, to] = std::minmax(measure->a, measure->b);
        const QRect range(QPoint(xOf(from), area.top()), QPoint(xOf(to), area.bottom()));
        timelinepainter::paintMeasure(painter, range, format::duration(static_cast<std::uint64_t>(to - from)), colors);
    }
    painter.restore();
}

void TimelineScene::paintDensity(QPainter &painter, const Colors &colors)
{
    if (m_densityView != view) {
        m_density = densityColumns(m_stretches, view);
        m_densityView = view;
    }
    const QRect area(plot().left(), 0, plot().width(), kAxisHeight);
    timelinepainter::paintDensity(painter, area, m_density, m_ratio, colors);
}

void TimelineScene::paint(QPainter &painter, const Colors &colors)
{
    const QRect area = plot();
    painter.fillRect(QRect(QPoint(0, 0), m_size), colors.background);
    if (!m_live || m_rows.empty()) {
        painter.setPen(colors.textMuted);
        painter.drawText(QRect(QPoint(0, 0), m_size).adjusted(16, 16, -16, -16), Qt::AlignCenter | Qt::TextWordWrap,
                         emptyText());
        return;
    }
    drawCanvas(painter.font(), colors);
    painter.drawImage(area.topLeft(), m_canvas);
    paintLabels(painter, colors);
    const QRect corner(0, 0, area.left(), kAxisHeight);
    painter.fillRect(corner, colors.stripe);
    painter.fillRect(QRect(corner.left(), corner.bottom(), corner.width(), 1), colors.grid);
    painter.setPen(colors.textMuted);
    painter.drawText(corner.adjusted(10, 0, -8, -2), Qt::AlignLeft | Qt::AlignVCenter,
                     timelinepainter::timeText(view.from() - m_origin, view.step()));
    painter.drawText(corner.adjusted(10, 0, -8, -2), Qt::AlignRight | Qt::AlignVCenter,
                     QChar(0x2194) + QLatin1Char(' ') + format::duration(static_cast<std::uint64_t>(view.span())));
    const Ticks ticks = ticksOf(view, m_origin, static_cast<int>(kTickDistance * m_ratio));
    timelinepainter::paintAxis(painter, QRect(area.left(), 0, area.width(), kAxisHeight), ticks, m_ratio, colors);
    paintDensity(painter, colors);
    paintOverlays(painter, colors);
    painter.fillRect(QRect(area.left() - 1, 0, 1, m_size.height()), colors.grid);
}

QString TimelineScene::emptyText() const
{
    if (!m_live)
        return QCoreApplication::translate("TimelineScene",
                                           "The timeline shows every coroutine's life once a program runs.");
    if (m_population->size() == 0)
        return QCoreApplication::translate("TimelineScene", "No coroutine has been born yet.");
    return QCoreApplication::translate("TimelineScene", "No coroutine matches the filter.");
}

}  // namespace ct
