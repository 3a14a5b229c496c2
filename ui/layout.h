// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The layout of a window: the default one, and the saved one.
#pragma once

class QMainWindow;

namespace ct {

struct Views;

/// Arranges the docks as in a window that was never used.
void resetLayout(QMainWindow &window, const Views &views);
/// Restores the layout of the last window, if it has the same docks.
void restoreLayout(QMainWindow &window, const Views &views);
void saveLayout(const QMainWindow &window);

}  // namespace ct
