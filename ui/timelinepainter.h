// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// How the timeline looks. Marks go straight into an image's scan lines, in device pixels; what is text goes through
// QPainter. No trace, no widget: everything to be drawn is passed in.
#pragma once

#include "models/timelinedensity.h"
#include "models/timelinegeometry.h"
#include "ui/colors.h"

#include <QImage>
#include <QPainter>

#include <span>

namespace ct {

/// Colours of marks as pixels of QImage::Format_RGB32.
struct TimelinePixels {
    explicit TimelinePixels(const Colors &colors);

    QRgb background;
    QRgb stripe;
    QRgb grid;
    QRgb created;
    QRgb running;
    QRgb suspended;
    QRgb stuck;
    QRgb stuckEdge;  ///< where it became stuck
    QRgb finished;
    QRgb gap;
    QRgb gapBackground;
    QRgb unknown;
    QRgb dropped;
};

namespace timelinepainter {

/// Fills lines y0 <= y < y1 of an image in Format_RGB32, clipped to it.
void fillLines(QImage &image, int y0, int y1, QRgb color);
void fillColumn(QImage &image, int x, QRgb color);

/// Paints a row's marks into lines top <= y < top + height, clipped to the image; column 0 is x = 0. Above them, lossy
/// ones get a line of their own: three logical pixels are taken there. `scale`: device pixels in a logical one, for
/// hatches and thin lines.
void paintMarks(QImage &image, std::span<const TimelineMark> marks, int top, int height, int scale,
                const TimelinePixels &pixels);

/// What a label of the axis says: "12.5 s", "1:02:05", or "+250 µs" after the nearest round time.
QString tickText(const Tick &tick, const TickStep &step);
/// A point in time since the origin, as exact as the step asks for: "12.345 678 s".
QString timeText(TimelineTime sinceOrigin, TimelineTime step);

/// The axis above the plot. `area` in logical pixels, its left edge is column 0.
void paintAxis(QPainter &painter, const QRect &area, const Ticks &ticks, qreal pixelRatio, const Colors &colors);

struct RowLabel {
    QString name;
    QString id;
    bool selected = false;
    bool hovered = false;
    bool alive = true;
};
void paintLabel(QPainter &painter, const QRect &area, const RowLabel &label, const Colors &colors);

/// Text inside of a bar: `full` if it fits, else `brief`, else nothing.
void paintBarText(QPainter &painter, const QRect &bar, const QString &full, const QString &brief, const QColor &color);

enum class Side { Left, Right };
/// Tells that a row, empty here, has its bars further on that side.
void paintElsewhere(QPainter &painter, const QRect &row, Side side, const Colors &colors);

/// How busy the run was, at the foot of the axis: in another colour what is not in memory.
void paintDensity(QPainter &painter, const QRect &axis, std::span<const DensityColumn> columns, qreal pixelRatio,
                  const Colors &colors);

/// A measured range across the whole plot, with its length in the axis above it.
void paintMeasure(QPainter &painter, const QRect &range, const QString &text, const Colors &colors);

/// At the lower left of the plot: about what is not in memory.
void paintPastText(QPainter &painter, const QRect &plot, const QString &text, const Colors &colors);
/// Where older history was dropped.
void paintDroppedEdge(QPainter &painter, const QRect &plot, int x, const Colors &colors);

/// Tracing was switched off: nothing is known of this part of a row, and nothing was lost.
void paintOff(QPainter &painter, const QRect &area, const Colors &colors);

void paintNowLine(QPainter &painter, const QRect &plot, int x, const Colors &colors);

}  // namespace timelinepainter

}  // namespace ct
