// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The timeline without its widget: which rows and which time are visible, what is where, and how it is put together.
// Positions are logical pixels of the whole area (labels, axis, plot); columns are device pixels of the plot.
#pragma once

#include "core/session/places.h"
#include "models/timelinebar.h"
#include "models/timelinedensity.h"
#include "models/timelinegeometry.h"
#include "models/timelineoff.h"
#include "models/timelinestuck.h"
#include "ui/timelinepainter.h"

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

    void setTrace(const Population *population, const History *history, std::shared_ptr<Places> places = nullptr);
    void setRows(std::vector<CoroutineId> rows);
    void setSize(QSize size, qreal pixelRatio);
    void setScroll(int pixels);  ///< first visible pixel of the rows

    /// Takes the trace's time; returns true if something visible changed.
    bool sample();
    /// The same at the time of the latest sample(): a paused view stays at its moment.
    bool update();
    /// False while marks are missing that the next update() will bring.
    bool isComplete() const { return !m_live || m_live->geometry.isComplete(); }

    const Population *population() const { return m_population; }
    const History *history() const { return m_history; }
    Places *places() const { return m_addresses.get(); }  ///< may be nullptr
    const std::vector<CoroutineId> &rows() const { return m_rows; }
    StuckThresholds &thresholds() { return m_live->thresholds; }
    const ProcessLives &lives() const { return m_live->geometry.lives(); }
    /// The death, the end of the process, or now.
    std::uint64_t endOf(const CoroutineSnapshot &coroutine) const;
    std::uint64_t now() const { return m_now; }
    TimelineTime origin() const { return m_origin; }
    qreal pixelRatio() const { return m_ratio; }

    TimelineCoordinates view;
    bool follow = true;
    CoroutineId selected = kNoCoroutine;
    std::optional<std::size_t> hovered;  ///< index of a row
    struct Measure {
        TimelineTime a = 0;
        TimelineTime b = 0;
    };
    std::optional<Measure> measure;
    QString pastText;            ///< about what is not in memory
    bool pastIsMissing = false;  ///< a part of the view is not

    /// How busy the run was, where not all of it is in memory, empty = all is; and its end, while it is still being
    /// read, 0 = not known. Returns true if something visible changed.
    bool setStretches(std::vector<History::Stretch> stretches, TimelineTime knownEnd);
    void fit();
    /// Goes to the latest time while `follow` is on.
    void keepUp();
    bool seesNow() const;
    bool showsDropped() const;  ///< in a row, as of the latest update()

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
        Live(const Population &population, const History &history)
            : geometry(population, history), thresholds(population)
        {
        }
        TimelineGeometry geometry;
        StuckThresholds thresholds;
    };

    std::pair<std::size_t, std::size_t> visibleRows() const;
    void updateLimits();
    void drawCanvas(const QFont &font, const Colors &colors);
    void drawBarTexts(QPainter &painter, std::size_t visibleRow, const Colors &colors);
    QString threadText(CoroutineId id, const TimelineMark &mark) const;
    void paintElsewhere(QPainter &painter, const Colors &colors);
    void paintOff(QPainter &painter, const Colors &colors);
    bool updateOff();
    std::vector<std::pair<int, int>> offColumnsOf(const CoroutineSnapshot &coroutine) const;
    void paintLabels(QPainter &painter, const Colors &colors);
    void paintDensity(QPainter &painter, const Colors &colors);
    void paintOverlays(QPainter &painter, const Colors &colors);
    int labelWidth() const;
    int deviceTop(std::size_t row) const;
    int xOf(TimelineTime time) const;
    struct PlaceText {
        QString full;
        QString brief;  ///< file and line
    };
    const PlaceText &placeText(SiteId site);

    const Population *m_population = nullptr;
    const History *m_history = nullptr;
    std::shared_ptr<Places> m_addresses;
    std::uint64_t m_addressesSeen = 0;  ///< generation
    std::unique_ptr<Live> m_live;
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
    std::vector<DensityColumn> m_density;  ///< of them, in
    TimelineCoordinates m_densityView;     ///< this
    std::vector<OffInterval> m_off;
    std::chrono::steady_clock::time_point m_offAt;  ///< when m_off was made
    std::size_t m_firstVisible = 0;
    QImage m_canvas;
    std::unordered_map<SiteId, PlaceText> m_places;
};

}  // namespace ct
