// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The colour vocabulary of every view: one meaning, one colour, in a light and a dark edition. The hues follow Okabe
// and Ito, so that they stay apart for colour-blind readers; stuck and gap are told apart by lightness as well.
#pragma once

#include "core/trace/population.h"

#include <QColor>
#include <QPalette>

namespace ct {

struct Colors {
    QColor running;
    QColor suspended;
    QColor stuck;  ///< suspended suspiciously long
    QColor gap;    ///< events were lost here; also the colour of loss warnings
    QColor finished;
    QColor destroyed;
    QColor created;
    QColor text;
    QColor textMuted;  ///< still readable (4.5:1) on `background`
    QColor background;
    QColor stripe;  ///< every other row
    QColor grid;
    QColor accent;  ///< selection, links
    QColor warningBackground;
    QColor noticeBackground;
    QColor warningText;  ///< `stuck`, dark (or light) enough to be read as small text
    QColor lossText;     ///< the same of `gap`
};

/// True when text is lighter than its background.
bool isDark(const QPalette &palette);

const Colors &lightColors();
const Colors &darkColors();
/// The edition that fits a widget's palette.
const Colors &colorsFor(const QPalette &palette);

/// Colour of a state, for dots and bars.
QColor stateColor(const Colors &colors, CoroutineState state);

}  // namespace ct
