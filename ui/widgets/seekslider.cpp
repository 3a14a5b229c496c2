// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/seekslider.h"

#include <QMouseEvent>
#include <QStyle>

namespace ct {

SeekSlider::SeekSlider(QWidget *parent) : QSlider(Qt::Horizontal, parent)
{
    connect(this, &QSlider::sliderReleased, this, [this] { Q_EMIT seekRequested(value()); });
    connect(this, &QSlider::actionTriggered, this, [this] {
        if (!isSliderDown())
            Q_EMIT seekRequested(sliderPosition());
    });
}

int SeekSlider::valueAt(const QPointF &position) const
{
    return QStyle::sliderValueFromPosition(minimum(), maximum(), static_cast<int>(position.x()), width());
}

void SeekSlider::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton)
        return;
    setSliderDown(true);
    setSliderPosition(valueAt(event->position()));
}

void SeekSlider::mouseMoveEvent(QMouseEvent *event)
{
    if (isSliderDown())
        setSliderPosition(valueAt(event->position()));
}

void SeekSlider::mouseReleaseEvent(QMouseEvent *event)
{
    if (event->button() == Qt::LeftButton)
        setSliderDown(false);
}

}  // namespace ct
