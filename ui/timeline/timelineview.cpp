// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/timelineview.h"

#include "ui/timeline/timelinescene.h"
#include "ui/timeline/timelinetooltip.h"

#include <QApplication>
#include <QBasicTimer>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QNativeGestureEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <utility>

namespace ct {

namespace {

constexpr double kZoomStep = 1.25;
constexpr double kButtonZoom = 2;
constexpr int kRestInterval = 15;  // ms
constexpr int kWheelNotch = 120;
constexpr int kRowsANotch = 3;
constexpr int kScrollRange = 1'000'000;  // range of the horizontal bar, whose true range exceeds an int

}  // namespace

struct TimelineView::State {
    TimelineScene scene;

    enum class Drag { None, Pressed, Pan, Measure };
    Drag drag = Drag::None;
    QPoint pressedAt;
    TimelineTime pressedFrom = 0;
    int pressedScroll = 0;
    bool settingBars = false;
    QBasicTimer rest;  ///< runs while marks are missing, because sample() may not be called

    /// Moves the view by a share of its width, -1 .. 1.
    void pan(double share) { scene.view.panBy(std::llround(share * scene.view.columns())); }

    void zoom(double factor, int column)
    {
        if (scene.follow)
            scene.view.zoomAboutRightEdge(factor);
        else
            scene.view.zoomAbout(column, factor);
    }
};

TimelineView::TimelineView(QWidget *parent) : QAbstractScrollArea(parent), m_state(std::make_unique<State>())
{
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setMouseTracking(true);
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
    setVerticalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    verticalScrollBar()->setSingleStep(TimelineScene::kRowHeight);
    horizontalScrollBar()->setSingleStep(kScrollRange / 100);
    setAccessibleName(tr("Timeline of coroutines"));
    setAccessibleDescription(tr("One row for each coroutine, time from left to right. Up and Down select a row, Left "
                                "and Right move in time, plus and minus zoom, F follows live."));
    setWhatsThis(tr("<p>Every coroutine's life from left to right.</p><p>Wheel: rows. Ctrl+wheel: zoom. Shift+wheel or "
                    "drag: move in time. Shift+drag: measure. Double click: zoom to the bar. Home: start of the run. "
                    "End: now. 0: whole run. F: follow live.</p>"));
}

TimelineView::~TimelineView() = default;

void TimelineView::setTrace(const Population *population, const History *history,
                            std::shared_ptr<AddressResolver> resolver)
{
    m_state->scene.setTrace(population, history, std::move(resolver));
    m_state->drag = State::Drag::None;
    verticalScrollBar()->setValue(0);
    setFollowLive(true);
    refresh();
}

void TimelineView::setSuspects(std::shared_ptr<const Suspects> suspects)
{
    m_state->scene.setSuspects(std::move(suspects));
}

void TimelineView::setRows(std::vector<CoroutineId> rows)
{
    if (rows == m_state->scene.rows())
        return;
    m_state->scene.setRows(std::move(rows));
    refresh();
}

void TimelineView::sample()
{
    if (!m_state->scene.population())
        return;
    const bool changed = m_state->scene.sample();
    updateScrollBars();
    if (changed)
        viewport()->update();
}

void TimelineView::setEvictedText(const QString &text, bool isMissing)
{
    TimelineScene &scene = m_state->scene;
    const bool isNew = std::exchange(scene.evictedText, text) != text;
    if (std::exchange(scene.viewIsIncomplete, isMissing) != isMissing || isNew)
        viewport()->update();
}

QString TimelineView::evictedText() const
{
    return m_state->scene.evictedText;
}

bool TimelineView::showsEvicted() const
{
    return m_state->scene.showsEvicted();
}

void TimelineView::setStretches(std::vector<History::Stretch> stretches, std::uint64_t knownEnd)
{
    if (m_state->scene.setStretches(std::move(stretches), timelineTime(knownEnd)))
        viewport()->update();
}

void TimelineView::refresh()
{
    updateScrollBars();
    m_state->scene.update();
    updateScrollBars();
    viewport()->update();
    if (!m_state->scene.isComplete())
        m_state->rest.start(kRestInterval, this);
}

void TimelineView::timerEvent(QTimerEvent *event)
{
    if (event->timerId() != m_state->rest.timerId())
        return QAbstractScrollArea::timerEvent(event);
    m_state->rest.stop();
    refresh();
}

bool TimelineView::isComplete() const
{
    return m_state->scene.isComplete();
}

bool TimelineView::followLive() const
{
    return m_state->scene.follow;
}

std::int64_t TimelineView::visibleFrom() const
{
    return m_state->scene.view.from();
}

std::int64_t TimelineView::visibleSpan() const
{
    return m_state->scene.view.span();
}

void TimelineView::setFollowLive(bool follow)
{
    if (follow == m_state->scene.follow)
        return;
    m_state->scene.follow = follow;
    if (follow)
        refresh();
    Q_EMIT followLiveChanged(follow);
}

void TimelineView::setSelected(CoroutineId coroutine)
{
    TimelineScene &scene = m_state->scene;
    if (scene.selected == coroutine)
        return;
    scene.selected = coroutine;
    if (const auto row = scene.rowOf(coroutine)) {
        const int top = static_cast<int>(*row) * TimelineScene::kRowHeight;
        const int lowest = top + TimelineScene::kRowHeight - scene.plot().height();
        const int value = verticalScrollBar()->value();
        verticalScrollBar()->setValue(std::clamp(value, lowest, std::max(top, lowest)));
    }
    refresh();
}

void TimelineView::zoomToFit()
{
    setFollowLive(false);
    m_state->scene.fit();
    refresh();
}

void TimelineView::zoomIn()
{
    m_state->zoom(1 / kButtonZoom, m_state->scene.view.columns() / 2);
    refresh();
}

void TimelineView::zoomOut()
{
    m_state->zoom(kButtonZoom, m_state->scene.view.columns() / 2);
    refresh();
}

/// Call after the user moved the view. Stops following if the present is no longer visible.
void TimelineView::moved()
{
    if (m_state->scene.follow && !m_state->scene.seesNow())
        setFollowLive(false);
    refresh();
}

void TimelineView::updateScrollBars()
{
    State &state = *m_state;
    state.settingBars = true;
    const TimelineScene &scene = state.scene;
    QScrollBar *rows = verticalScrollBar();
    rows->setPageStep(scene.plot().height());
    rows->setRange(0, std::max(0, scene.rowsHeight() - scene.plot().height()));
    state.scene.setScroll(rows->value());
    QScrollBar *time = horizontalScrollBar();
    const auto lowest = static_cast<double>(scene.view.lowestFrom());
    const auto length = static_cast<double>(scene.view.highestFrom()) - lowest;
    const auto span = static_cast<double>(scene.view.span());
    const double share = length > 0 ? (static_cast<double>(scene.view.from()) - lowest) / length : 0;
    time->setPageStep(std::max(1, static_cast<int>(kScrollRange * (span / std::max(span, length)))));
    time->setRange(0, length > 0 ? kScrollRange : 0);
    time->setValue(static_cast<int>(std::clamp(share, 0.0, 1.0) * kScrollRange));
    state.settingBars = false;
}

void TimelineView::scrollContentsBy(int dx, int dy)
{
    if (m_state->settingBars) {
        return;
    }
    TimelineScene &scene = m_state->scene;
    if (dy != 0)
        scene.setScroll(verticalScrollBar()->value());
    if (dx != 0) {
        const double share = horizontalScrollBar()->value() / static_cast<double>(kScrollRange);
        const auto length = static_cast<double>(scene.view.highestFrom() - scene.view.lowestFrom());
        scene.view.panTo(scene.view.lowestFrom() + static_cast<TimelineTime>(share * length));
        moved();
    } else {
        refresh();
    }
}

void TimelineView::resizeEvent(QResizeEvent *)
{
    m_state->scene.setSize(viewport()->size(), viewport()->devicePixelRatioF());
    refresh();
}

void TimelineView::changeEvent(QEvent *event)
{
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        viewport()->update();
}

void TimelineView::paintEvent(QPaintEvent *)
{
    TimelineScene &scene = m_state->scene;
    if (scene.pixelRatio() != viewport()->devicePixelRatioF()) {  // moved to another screen
        scene.setSize(viewport()->size(), viewport()->devicePixelRatioF());
        scene.update();
    }
    QPainter painter(viewport());
    scene.paint(painter, colorsFor(palette()));
    if (hasFocus() && scene.population()) {
        painter.setPen(colorsFor(palette()).accent);
        painter.drawRect(viewport()->rect().adjusted(0, 0, -1, -1));
    }
}

bool TimelineView::viewportEvent(QEvent *event)
{
    TimelineScene &scene = m_state->scene;
    switch (event->type()) {
    case QEvent::ToolTip: {
        auto *help = static_cast<QHelpEvent *>(event);
        const QString text = toolTipAt(help->pos());
        if (text.isEmpty())
            QToolTip::hideText();
        else
            QToolTip::showText(help->globalPos(), text, viewport());
        return true;
    }
    case QEvent::Leave:
        scene.hovered.reset();
        viewport()->update();
        break;
    case QEvent::NativeGesture: {
        auto *gesture = static_cast<QNativeGestureEvent *>(event);
        if (gesture->gestureType() == Qt::ZoomNativeGesture && gesture->value() > -1) {
            m_state->zoom(1 / (1 + gesture->value()), scene.columnAt(gesture->position().toPoint().x()));
            refresh();
            return true;
        }
        break;
    }
    default: break;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

QString TimelineView::toolTipAt(QPoint position) const
{
    TimelineScene &scene = m_state->scene;
    const auto row = scene.rowAt(position.y());
    if (!scene.population() || !row || m_state->drag > State::Drag::Pressed)
        return {};
    TimelineHit hit;
    hit.coroutine = scene.rows()[*row];
    hit.step = scene.view.step();
    hit.origin = scene.origin();
    hit.now = scene.now();
    hit.resolver = scene.resolver();
    // The tooltip of a label shows the present state of its coroutine.
    hit.from = position.x() < scene.plot().left() ? timelineTime(scene.now()) : scene.timeAt(position.x());
    if (position.x() < scene.plot().left())
        hit.step = 1;
    return timelineToolTip(*scene.population(), *scene.history(), scene.lives(), scene.suspects(), hit);
}

void TimelineView::wheelEvent(QWheelEvent *event)
{
    const QPoint delta = event->angleDelta();
    const double notches = static_cast<double>(delta.y() != 0 ? delta.y() : delta.x()) / kWheelNotch;
    event->accept();
    if (event->modifiers() & Qt::ControlModifier) {
        m_state->zoom(std::pow(kZoomStep, -notches), m_state->scene.columnAt(event->position().toPoint().x()));
        refresh();
    } else if ((event->modifiers() & Qt::ShiftModifier) || std::abs(delta.x()) > std::abs(delta.y())) {
        m_state->pan(-notches / 10);
        moved();
    } else {
        QScrollBar *rows = verticalScrollBar();
        rows->setValue(rows->value() - static_cast<int>(std::lround(notches * kRowsANotch * rows->singleStep())));
    }
}

void TimelineView::mousePressEvent(QMouseEvent *event)
{
    State &state = *m_state;
    if (event->button() != Qt::LeftButton)
        return;
    state.pressedAt = event->position().toPoint();
    state.pressedFrom = state.scene.view.from();
    state.pressedScroll = verticalScrollBar()->value();
    state.drag = State::Drag::Pressed;
    state.scene.measure.reset();
    if ((event->modifiers() & Qt::ShiftModifier) && state.pressedAt.x() >= state.scene.plot().left()) {
        state.drag = State::Drag::Measure;
        const TimelineTime time = state.scene.timeAt(state.pressedAt.x());
        state.scene.measure = {time, time};
    }
    viewport()->update();
}

void TimelineView::mouseMoveEvent(QMouseEvent *event)
{
    State &state = *m_state;
    const QPoint position = event->position().toPoint();
    const QPoint distance = position - state.pressedAt;
    if (state.drag == State::Drag::Pressed && distance.manhattanLength() >= QApplication::startDragDistance()) {
        state.drag = State::Drag::Pan;
        viewport()->setCursor(Qt::ClosedHandCursor);
    }
    if (state.drag == State::Drag::Pan) {
        verticalScrollBar()->setValue(state.pressedScroll - distance.y());
        state.scene.view.panTo(state.pressedFrom);
        state.scene.view.panBy(-std::lround(distance.x() * state.scene.pixelRatio()));
        moved();
    } else if (state.drag == State::Drag::Measure && state.scene.measure) {
        state.scene.measure->b = state.scene.timeAt(std::max(position.x(), state.scene.plot().left()));
        viewport()->update();
    } else if (const auto row = state.scene.rowAt(position.y()); row != state.scene.hovered) {
        state.scene.hovered = row;
        viewport()->update();
    }
}

void TimelineView::mouseReleaseEvent(QMouseEvent *event)
{
    State &state = *m_state;
    const State::Drag drag = std::exchange(state.drag, State::Drag::None);
    viewport()->unsetCursor();
    if (event->button() != Qt::LeftButton || drag != State::Drag::Pressed)
        return;
    if (const auto row = state.scene.rowAt(event->position().toPoint().y())) {
        const CoroutineId id = state.scene.rows()[*row];
        setSelected(id);
        Q_EMIT coroutineActivated(id);
    }
}

void TimelineView::mouseDoubleClickEvent(QMouseEvent *event)
{
    TimelineScene &scene = m_state->scene;
    const QPoint position = event->position().toPoint();
    const auto row = scene.rowAt(position.y());
    if (event->button() != Qt::LeftButton || !row || !scene.population())
        return;
    if (position.x() < scene.plot().left()) {
        zoomToLife(scene.rows()[*row]);
        return;
    }
    const TimelineTime last = scene.timeAt(position.x()) + scene.view.step() - 1;
    const auto time = std::clamp<TimelineTime>(last, 0, timelineTime(scene.now()));
    const auto bar = barAt(*scene.population(), *scene.history(), scene.rows()[*row], static_cast<std::uint64_t>(time),
                           scene.now(), scene.lives());
    if (bar)
        zoomTo(timelineTime(bar->from), timelineTime(bar->to));
}

void TimelineView::zoomTo(TimelineTime from, TimelineTime to)
{
    TimelineScene &scene = m_state->scene;
    setFollowLive(false);
    const TimelineTime around = (to - from) / 4;
    scene.view.fit(from - around, to + around + 1);
    refresh();
}

/// Shows the whole life of a coroutine: from its birth to its death, or to now.
void TimelineView::zoomToLife(CoroutineId coroutine)
{
    const TimelineScene &scene = m_state->scene;
    if (coroutine >= scene.population()->size())
        return;
    const CoroutineSnapshot snapshot = scene.population()->at(coroutine);
    const TimelineTime end = timelineTime(scene.endOf(snapshot));
    if (snapshot.birthTs != 0)
        zoomTo(timelineTime(snapshot.birthTs), end);
}

/// Selects the row that is `rows` rows below the selected one.
void TimelineView::moveSelection(int rows)
{
    const TimelineScene &scene = m_state->scene;
    if (scene.rows().empty())
        return;
    const auto current = scene.rowOf(scene.selected);
    const auto last = static_cast<std::int64_t>(scene.rows().size()) - 1;
    const std::int64_t row =
        current ? std::clamp<std::int64_t>(static_cast<std::int64_t>(*current) + rows, 0, last) : 0;
    const CoroutineId id = scene.rows()[static_cast<std::size_t>(row)];
    setSelected(id);
    Q_EMIT coroutineActivated(id);
}

void TimelineView::keyPressEvent(QKeyEvent *event)
{
    State &state = *m_state;
    TimelineScene &scene = state.scene;
    const int page = std::max(1, scene.plot().height() / TimelineScene::kRowHeight - 1);
    switch (event->key()) {
    case Qt::Key_Left: state.pan(-0.1); return moved();
    case Qt::Key_Right: state.pan(0.1); return moved();
    case Qt::Key_Up: return moveSelection(-1);
    case Qt::Key_Down: return moveSelection(1);
    case Qt::Key_PageUp: return moveSelection(-page);
    case Qt::Key_PageDown: return moveSelection(page);
    case Qt::Key_Plus:
    case Qt::Key_Equal: return zoomIn();
    case Qt::Key_Minus: return zoomOut();
    case Qt::Key_0: return zoomToFit();
    case Qt::Key_Home: scene.view.panTo(scene.view.lowestFrom()); return moved();
    case Qt::Key_End: return setFollowLive(true);
    case Qt::Key_F: return setFollowLive(!scene.follow);
    case Qt::Key_Escape:
        if (scene.measure) {
            scene.measure.reset();
            return viewport()->update();
        }
        break;
    default: break;
    }
    QAbstractScrollArea::keyPressEvent(event);
}

}  // namespace ct
