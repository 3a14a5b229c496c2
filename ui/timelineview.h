// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Every coroutine's life as a bar on a common time axis.
#pragma once

#include "core/session/places.h"
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

    /// Both must outlive the view or the next setTrace(); nullptr shows the empty state. Clears the rows.
    void setTrace(const Population *population, const History *history, std::shared_ptr<Places> places = nullptr);
    /// Coroutines from top to bottom; ids the population does not know are shown empty.
    void setRows(std::vector<CoroutineId> rows);
    /// Looks at the trace again. To be called about 30 times a second; repaints only when something visible changed.
    void sample();

    bool followLive() const;
    /// False while marks are missing: a paint that takes too long leaves them to the next one, which follows by itself.
    bool isComplete() const;
    std::int64_t visibleFrom() const;  ///< ns, CLOCK_MONOTONIC, of the left edge; may lie before 0
    std::int64_t visibleSpan() const;  ///< ns
    /// What there is to say about what is not in memory; empty = nothing. `isMissing`: a part of the view is, whose end
    /// is marked.
    void setPastText(const QString &text, bool isMissing);
    QString pastText() const;
    /// A row shows that a part of its life is not in memory.
    bool showsDropped() const;
    /// How busy the run was where not all of it is in memory, and its last moment (ns) as far as that is known ahead of
    /// its events; empty and 0 = all is there.
    void setStretches(std::vector<History::Stretch> stretches, std::uint64_t knownEnd);
    QSize sizeHint() const override;

public Q_SLOTS:
    /// Brings everything up to date without moving on in time.
    void refresh();
    /// While following, the right edge is the trace's `now` and the visible span stays.
    void setFollowLive(bool follow);
    /// Highlights the row and scrolls it into view; kNoCoroutine clears.
    void setSelected(ct::CoroutineId coroutine);
    void zoomToFit();
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
    void zoomTo(std::int64_t from, std::int64_t to);  ///< ns
    void zoomToLife(CoroutineId coroutine);
    void moveSelection(int rows);

    struct State;
    std::unique_ptr<State> m_state;
};

}  // namespace ct
