// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The timeline: the life of each coroutine as a bar on a common time axis.
#pragma once

#include "core/addresses/addressresolver.h"
#include "core/analysis/suspects.h"
#include "core/trace/history.h"
#include "core/trace/population.h"

#include <QAbstractScrollArea>

#include <memory>
#include <vector>

namespace ct {

class TimelineView : public QAbstractScrollArea {
    Q_OBJECT

public:
    explicit TimelineView(QWidget *parent = nullptr);
    ~TimelineView() override;

    /// Sets the trace and clears the rows. `population` and `history` must live until the next setTrace() or the end of
    /// the view. nullptr shows the empty state.
    void setTrace(const Population *population, const History *history,
                  std::shared_ptr<AddressResolver> resolver = nullptr);
    /// Sets the coroutines from top to bottom. The row of an unknown id is empty.
    void setRows(std::vector<CoroutineId> rows);
    /// Updates the view from the trace. Call about 30 times a second; repaints only if something visible changed.
    void sample();

    bool followLive() const;
    /// Returns false while marks are missing because an update ran out of time. The next sample(), or a timer,
    /// continues.
    bool isComplete() const;
    std::int64_t visibleFrom() const;  ///< ns, CLOCK_MONOTONIC, of the left edge; may be negative
    std::int64_t visibleSpan() const;  ///< ns
    /// Sets the coroutines whose present suspension is marked; null = none.
    void setSuspects(std::shared_ptr<const Suspects> suspects);
    /// Sets a text about evicted events; empty = none. `isMissing`: part of the view is not in memory, and its edge is
    /// marked.
    void setEvictedText(const QString &text, bool isMissing);
    QString evictedText() const;
    /// Returns true if a row shows that part of its history is not in memory.
    bool showsEvicted() const;
    /// Sets the event density of the run; empty if all of it is in memory. `knownEnd` is the end (ns) of a file that is
    /// being loaded, else 0.
    void setStretches(std::vector<History::Stretch> stretches, std::uint64_t knownEnd);
    QSize sizeHint() const override { return {900, 360}; }

public Q_SLOTS:
    /// Updates the view and keeps its time.
    void refresh();
    /// While following, the right edge is the latest time of the trace, and the visible span is constant.
    void setFollowLive(bool follow);
    /// Highlights the row and scrolls to it; kNoCoroutine clears the selection.
    void setSelected(ct::CoroutineId coroutine);
    void zoomToFit();
    /// Shows a time (ns, CLOCK_MONOTONIC) with some room around it.
    void zoomTo(std::int64_t from, std::int64_t to);
    void zoomIn();
    void zoomOut();

Q_SIGNALS:
    void coroutineActivated(ct::CoroutineId coroutine);
    void followLiveChanged(bool follow);

protected:
    bool viewportEvent(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void scrollContentsBy(int dx, int dy) override;
    void timerEvent(QTimerEvent *event) override;

private:
    void moved();
    void updateScrollBars();
    QString toolTipAt(QPoint position) const;
    void zoomToLife(CoroutineId coroutine);
    void moveSelection(int rows);

    struct State;
    std::unique_ptr<State> m_state;
};

}  // namespace ct
