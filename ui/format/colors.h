// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The colours of all views, in a light and a dark version. Each meaning has one colour. The hues follow Okabe and Ito,
// so that colour-blind readers can distinguish them. Stuck and gap also differ in lightness.
#pragma once

#include "core/trace/population.h"

#include <QColor>
#include <QPalette>

namespace ct {

struct Colors {
    QColor runnable;  ///< woken, and not resumed yet
    QColor running;
    QColor suspended;
    QColor stuck;  ///< suspended far longer than usual
    QColor gap;    ///< missing events; also the colour of loss warnings
    QColor finished;
    QColor destroyed;
    QColor created;
    QColor text;
    QColor textMuted;  ///< contrast to `background` at least 4.5:1
    QColor background;
    QColor stripe;  ///< background of every other row
    QColor grid;
    QColor accent;  ///< selection, links
    QColor warningBackground;
    QColor noticeBackground;
    QColor warningText;  ///< the hue of `stuck`, with enough contrast for small text
    QColor lossText;     ///< the hue of `gap`, with enough contrast for small text
    QColor cycle;        ///< coroutines and objects that wait for one another
};

/// True if text is lighter than its background.
bool isDark(const QPalette &palette);

const Colors &lightColors();
const Colors &darkColors();
/// Returns the colours that fit a widget's palette.
const Colors &colorsFor(const QPalette &palette);

/// Returns the colour of a state, for dots and bars.
QColor stateColor(const Colors &colors, CoroutineState state);

}  // namespace ct
