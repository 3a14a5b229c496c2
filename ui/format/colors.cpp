// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/format/colors.h"

namespace ct {

bool isDark(const QPalette &palette)
{
    return palette.color(QPalette::WindowText).lightness() > palette.color(QPalette::Window).lightness();
}

const Colors &lightColors()
{
    static const Colors colors{
        .runnable = QColor(0x7E, 0x6B, 0xC9),
        .running = QColor(0x00, 0x9E, 0x73),
        .suspended = QColor(0x8F, 0xC1, 0xE3),
        .stuck = QColor(0xD5, 0x5E, 0x00),
        .gap = QColor(0xB0, 0x30, 0x6A),
        .finished = QColor(0x8A, 0x92, 0x9C),
        .destroyed = QColor(0xC3, 0xC8, 0xCE),
        .created = QColor(0xE0, 0xA8, 0x00),
        .text = QColor(0x1D, 0x23, 0x2B),
        .textMuted = QColor(0x5C, 0x66, 0x72),
        .background = QColor(0xFF, 0xFF, 0xFF),
        .stripe = QColor(0xF6, 0xF8, 0xFA),
        .grid = QColor(0xDD, 0xE2, 0xE8),
        .accent = QColor(0x1F, 0x6F, 0xB8),
        .warningBackground = QColor(0xFD, 0xEB, 0xDD),
        .noticeBackground = QColor(0xE4, 0xF0, 0xFA),
        .warningText = QColor(0xAB, 0x47, 0x00),
        .lossText = QColor(0xA3, 0x23, 0x5E),
        .cycle = QColor(0xD0, 0x20, 0x2E),
    };
    return colors;
}

const Colors &darkColors()
{
    static const Colors colors{
        .runnable = QColor(0xA7, 0x98, 0xF2),
        .running = QColor(0x2F, 0xC4, 0x9A),
        .suspended = QColor(0x3E, 0x6F, 0x97),
        .stuck = QColor(0xFF, 0x8A, 0x3D),
        .gap = QColor(0xE5, 0x6F, 0xA6),
        .finished = QColor(0x7D, 0x87, 0x93),
        .destroyed = QColor(0x4F, 0x58, 0x63),
        .created = QColor(0xF0, 0xC9, 0x4C),
        .text = QColor(0xE3, 0xE8, 0xEE),
        .textMuted = QColor(0x9A, 0xA6, 0xB4),
        .background = QColor(0x1B, 0x1F, 0x25),
        .stripe = QColor(0x20, 0x25, 0x2C),
        .grid = QColor(0x36, 0x3E, 0x48),
        .accent = QColor(0x5A, 0xB0, 0xF5),
        .warningBackground = QColor(0x4A, 0x2E, 0x1B),
        .noticeBackground = QColor(0x1E, 0x34, 0x4A),
        .warningText = QColor(0xFF, 0x9A, 0x55),
        .lossText = QColor(0xF0, 0x8C, 0xBA),
        .cycle = QColor(0xFF, 0x5C, 0x5C),
    };
    return colors;
}

const Colors &colorsFor(const QPalette &palette)
{
    return isDark(palette) ? darkColors() : lightColors();
}

QColor stateColor(const Colors &colors, CoroutineState state)
{
    switch (state) {
    case CoroutineState::Created: return colors.created;
    case CoroutineState::Runnable: return colors.runnable;
    case CoroutineState::Running: return colors.running;
    case CoroutineState::Suspended: return colors.suspended;
    case CoroutineState::Finished: return colors.finished;
    case CoroutineState::Destroyed: return colors.destroyed;
    case CoroutineState::Unknown: return colors.gap;
    }
    return colors.gap;
}

}  // namespace ct
