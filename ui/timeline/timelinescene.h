// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The timeline without its widget: visible rows and times, positions, and painting. Positions are in logical pixels of
// the whole area (labels, axis, plot). Columns are in device pixels of the plot.
#pragma once

#include "core/addresses/addressresolver.h"
#include "core/analysis/suspects.h"
#include "models/pausedintervals.h"
#include "models/timelinebar.h"
#include "models/timelinedensity.h"
#include "models/timelinegeometry.h"
#include "ui/timeline/timelinepainter.h"

#include <QImage>
#include <QRect>

#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

class QPainter;

namespace ct {

class TimelineScene {
public:
    static constexpr int kAxisHeight = 26;
    static constexpr int kRowHeight = 22;
    static constexpr int kRowsBelow = 1;  ///< free space after the last row, in rows

    void setTrace(const Population *population, const History *history,
                  std::shared_ptr<AddressResolver> resolver = nullptr);
    void setRows(std::vector<CoroutineId> rows);
    /// Sets the coroutines whose present suspension is marked; null = none. The next sample() shows them.
    void setSuspects(std::shared_ptr<const Suspects> suspects) { m_suspects = std::move(suspects); }
    void setSize(QSize size, qreal pixelRatio);
    void setScroll(int pixels);  ///< first visible pixel of the rows

    /// Updates the time and the marks from the trace. Returns true if something visible changed.
    bool sample();
    /// Updates the marks at the time of the latest sample(), so that a paused view keeps its time. Returns true if
    /// something visible changed.
    bool update();
    /// Returns false while marks are missing; the next update() adds them.
    bool isComplete() const { return !m_live || m_live->geometry.isComplete(); }

    const Population *population() const { return m_population; }
    const History *history() const { return m_history; }
    AddressResolver *resolver() const { return m_resolver.get(); }  ///< may be nullptr
    const std::vector<CoroutineId> &rows() const { return m_rows; }
    const Suspects *suspects() const { return m_suspects.get(); }  ///< may be nullptr
    const ProcessLives &lives() const { return m_live->geometry.lives(); }
    /// Returns the end of a coroutine's bar (ns): its death, the end of its process, or now.
    std::uint64_t endOf(const CoroutineSnapshot &coroutine) const;
    std::uint64_t now() const { return m_now; }
    TimelineTime origin() const { return m_origin; }
    qreal pixelRatio() const { return m_ratio; }

    TimelineCoordinates view;
    bool follow = true;
    CoroutineId selected = kNoCoroutine;
    std::optional<std::size_t> hovered;  ///< index in rows()
    struct Measure {
        TimelineTime a = 0;
        TimelineTime b = 0;
    };
    std::optional<Measure> measure;
    QString evictedText;            ///< a text about evicted events
    bool viewIsIncomplete = false;  ///< part of the view is not in memory

    /// Sets the event density of the run; empty if all of it is in memory. `knownEnd` is the end (ns) of a file that is
    /// being loaded, else 0. Returns true if something visible changed.
    bool setStretches(std::vector<History::Stretch> stretches, TimelineTime knownEnd);
    void fit();
    /// Moves the view to the latest time if `follow` is on.
    void keepUp();
    bool seesNow() const;
    bool showsEvicted() const;  ///< true if a row has Evicted marks, as of the latest update()

    QRect plot() const;
    int rowsHeight() const;
    int scroll() const { return m_scroll; }
    int columnAt(int x) const;
    TimelineTime timeAt(int x) const { return view.timeAt(columnAt(x)); }
    std::optional<std::size_t> rowAt(int y) const;
    std::optional<std::size_t> rowOf(CoroutineId id) const;

    void paint(QPainter &painter, const Colors &colors);
    QString emptyText() const;

private:
    struct Live {
        Live(const Population &population, const History &history) : geometry(population, history) {}
        TimelineGeometry geometry;
    };

    std::pair<std::size_t, std::size_t> visibleRows() const;
    void updateLimits();
    void drawCanvas(const QFont &font, const Colors &colors);
    void drawBarTexts(QPainter &painter, std::size_t visibleRow, const Colors &colors);
    QString threadText(CoroutineId id, const TimelineMark &mark) const;
    void paintElsewhere(QPainter &painter, const Colors &colors);
    void paintPauses(QPainter &painter, const Colors &colors);
    bool updatePauses();
    using Columns = std::vector<std::pair<int, int>>;
    Columns pausedColumnsOf(std::span<const PausedInterval> intervals, const CoroutineSnapshot &coroutine) const;
    void paintLabels(QPainter &painter, const Colors &colors);
    void paintDensity(QPainter &painter, const Colors &colors);
    void paintOverlays(QPainter &painter, const Colors &colors);
    int labelWidth() const;
    int deviceTop(std::size_t row) const;
    int xOf(TimelineTime time) const;
    struct LocationText {
        QString full;
        QString brief;  ///< file and line
    };
    const LocationText &locationText(SiteId site);

    const Population *m_population = nullptr;
    const History *m_history = nullptr;
    std::shared_ptr<AddressResolver> m_resolver;
    std::uint64_t m_generationSeen = 0;  ///< generation of the shown addresses
    std::unique_ptr<Live> m_live;
    std::shared_ptr<const Suspects> m_suspects;
    std::vector<CoroutineId> m_rows;
    QSize m_size;
    qreal m_ratio = 1;
    int m_scroll = 0;
    std::uint64_t m_now = 0;
    TimelineTime m_origin = 0;
    TimelineTime m_begin = 0;
    bool m_begun = false;
    std::vector<History::Stretch> m_stretches;
    TimelineTime m_knownEnd = 0;
    std::vector<DensityColumn> m_density;  ///< density of m_stretches in m_densityView
    TimelineCoordinates m_densityView;     ///< the view of m_density
    std::vector<PausedInterval> m_off;     ///< tracing was off
    std::vector<MachineSuspend> m_suspends;
    std::vector<PausedInterval> m_stopped;             ///< the process was stopped
    std::chrono::steady_clock::time_point m_pausesAt;  ///< time of the latest update of both
    std::size_t m_firstVisible = 0;
    QImage m_canvas;
    std::unordered_map<SiteId, LocationText> m_locations;
};

}  // namespace ct
