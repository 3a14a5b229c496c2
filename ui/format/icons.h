// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Draws the icons of resources/icons with QSvgRenderer in the present colour of the palette. Needs no icon theme and no
// SVG image plugin. A change of theme needs no reload.
#pragma once

#include <QIcon>
#include <QPixmap>

namespace ct::icons {

/// Returns an icon by name: "run" for resources/icons/run.svg.
QIcon icon(const QString &name);
/// Returns an icon in one fixed colour.
QIcon icon(const QString &name, const QColor &color);
QIcon application();
/// Returns a filled round dot, as shown next to the name of a state. `size` in logical pixels.
QPixmap dot(const QColor &color, int size, qreal devicePixelRatio);

}  // namespace ct::icons
