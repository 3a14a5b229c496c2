// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The look of the application: the Fusion style with its own light and dark palettes.
#pragma once

#include <QPalette>

#include <optional>

class QSettings;

namespace ct {

enum class Theme { System, Light, Dark };

QPalette lightPalette();
QPalette darkPalette();

/// Styles the whole application. System uses the desktop's theme as of the first call.
void applyTheme(Theme theme);
/// Returns the latest applied theme; nullopt if there is none yet.
std::optional<Theme> appliedTheme();
Theme savedTheme(const QSettings &settings);
void saveTheme(QSettings &settings, Theme theme);

}  // namespace ct
