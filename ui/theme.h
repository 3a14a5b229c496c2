// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Looks: the Fusion style with a light and a dark palette of our own.
#pragma once

#include <QPalette>

#include <optional>

class QSettings;

namespace ct {

enum class Theme { System, Light, Dark };

QPalette lightPalette();
QPalette darkPalette();

/// Styles the whole application; System follows what the desktop had at the first call.
void applyTheme(Theme theme);
/// What was applied last; nullopt = nothing yet.
std::optional<Theme> appliedTheme();
Theme savedTheme(const QSettings &settings);
void saveTheme(QSettings &settings, Theme theme);

}  // namespace ct
