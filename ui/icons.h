// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The icons of resources/icons, drawn with QSvgRenderer in the colour of the palette of the moment: no icon theme and
// no SVG image plugin is needed, and a change of theme needs no reload.
#pragma once

#include <QIcon>
#include <QPixmap>

namespace ct::icons {

/// "run" for resources/icons/run.svg.
QIcon icon(const QString &name);
/// The same in one fixed colour.
QIcon icon(const QString &name, const QColor &color);
QIcon application();
/// A filled round dot, as beside the name of a state.
QPixmap dot(const QColor &color, int size, qreal devicePixelRatio);

}  // namespace ct::icons
