// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Paints the timeline. Marks are written directly into the scan lines of an image, in device pixels. Text uses
// QPainter. It needs no trace and no widget: the caller passes all data.
#pragma once

#include "models/timelinedensity.h"
#include "models/timelinegeometry.h"
#include "ui/format/colors.h"

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
    QRgb runnable;
    QRgb running;
    QRgb suspended;
    QRgb stuck;
    QRgb stuckEdge;  ///< marks where the coroutine became stuck
    QRgb finished;
    QRgb gap;
    QRgb gapBackground;
    QRgb unknown;
    QRgb evicted;
};

namespace timelinepainter {

/// Fills lines y0 <= y < y1 of a Format_RGB32 image, clipped to the image.
void fillLines(QImage &image, int y0, int y1, QRgb color);
void fillColumn(QImage &image, int x, QRgb color);

/// Paints the marks of a row into lines top <= y < top + height, clipped to the image. Column 0 is x = 0. Lossy marks
/// get an extra line above, within three logical pixels. `scale` is the number of device pixels per logical pixel.
void paintMarks(QImage &image, std::span<const TimelineMark> marks, int top, int height, int scale,
                const TimelinePixels &pixels);

/// The label of a tick: "12.5 s", "1:02:05", or "+250 µs" after the last round time.
QString tickText(const Tick &tick, const TickStep &step);
/// A time since the origin, with as many digits as `step` needs: "12.345 678 s".
QString timeText(TimelineTime sinceOrigin, TimelineTime step);

/// Paints the axis above the plot. `area` is in logical pixels; its left edge is column 0.
void paintAxis(QPainter &painter, const QRect &area, const Ticks &ticks, qreal pixelRatio, const Colors &colors);

struct RowLabel {
    QString name;
    QString id;
    bool selected = false;
    bool hovered = false;
    bool alive = true;
};
void paintLabel(QPainter &painter, const QRect &area, const RowLabel &label, const Colors &colors);

/// Paints text inside a bar: `full` if it fits, else `brief` if it fits, else nothing.
void paintBarText(QPainter &painter, const QRect &bar, const QString &full, const QString &brief, const QColor &color);

enum class Side { Left, Right };
/// Marks a row that is empty here: its bars are further on that side.
void paintElsewhere(QPainter &painter, const QRect &row, Side side, const Colors &colors);

/// Paints the event density at the bottom of the axis. Columns whose events are mostly not in memory have another
/// colour.
void paintDensity(QPainter &painter, const QRect &axis, std::span<const DensityColumn> columns, qreal pixelRatio,
                  const Colors &colors);

/// Paints a measured range across the whole plot, with its length in the axis above.
void paintMeasure(QPainter &painter, const QRect &range, const QString &text, const Colors &colors);

/// Paints a text about evicted events at the lower left of the plot.
void paintEvictedText(QPainter &painter, const QRect &plot, const QString &text, const Colors &colors);
/// Paints the edge before which history was evicted.
void paintEvictedEdge(QPainter &painter, const QRect &plot, int x, const Colors &colors);

/// Covers a part of a row in which tracing was switched off: nothing is known there, and nothing was lost.
void paintOff(QPainter &painter, const QRect &area, const Colors &colors);
/// Covers a part of a row in which the process was stopped: the states are known, but nothing could change.
void paintStopped(QPainter &painter, const QRect &area, const Colors &colors);

/// Marks the moment at which the machine was suspended, with the duration as a text.
void paintMachineSuspend(QPainter &painter, const QRect &plot, int x, const QString &duration, const Colors &colors);

void paintNowLine(QPainter &painter, const QRect &plot, int x, const Colors &colors);

}  // namespace timelinepainter

}  // namespace ct
