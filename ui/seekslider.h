// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A slider as media players have it: a click goes there.
#pragma once

#include <QSlider>

namespace ct {

class SeekSlider : public QSlider {
    Q_OBJECT
public:
    explicit SeekSlider(QWidget *parent = nullptr);

Q_SIGNALS:
    void sought(int value);  ///< by a click, at the end of a drag, by a key or the wheel

protected:
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;

private:
    int valueAt(const QPointF &position) const;
};

}  // namespace ct
