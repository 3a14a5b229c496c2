// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The durations of the completed waits at a site as a histogram with a logarithmic time axis, and one wait marked in
// it.
#pragma once

#include "core/trace/population.h"

#include <QString>
#include <QWidget>

namespace ct {

class WaitHistogram : public QWidget {
    Q_OBJECT
public:
    explicit WaitHistogram(QWidget *parent = nullptr);

    /// `waitNs`: the duration of the marked wait.
    void show(const SiteStatistics &completed, std::uint64_t waitNs);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    /// The horizontal position of a duration, in pixels of the widget.
    int xOf(std::uint64_t ns) const;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QRect plot() const;
    QString title() const;
    QString markText() const;
    int markLeft() const;
    void paintBars(QPainter &painter) const;
    void paintAxis(QPainter &painter) const;
    void paintMark(QPainter &painter) const;

    SiteStatistics m_completed;
    std::uint64_t m_waitNs = 0;
    double m_first = 0;  ///< decades of ns at the left edge of the plot, and at the right one
    double m_last = 1;
};

}  // namespace ct
