// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A slider like those of media players: a click moves it to that position.
#pragma once

#include <QSlider>

namespace ct {

class SeekSlider : public QSlider {
    Q_OBJECT
public:
    explicit SeekSlider(QWidget *parent = nullptr);

Q_SIGNALS:
    void seekRequested(int value);  ///< after a click, the end of a drag, a key or the wheel

protected:
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;

private:
    int valueAt(const QPointF &position) const;
};

}  // namespace ct
