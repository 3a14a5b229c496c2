// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The menus and tool bars of a window.
#pragma once

class QMainWindow;

namespace ct {

struct Actions;
struct Views;

void makeMenus(QMainWindow &window, const Actions &actions, const Views &views);
void makeToolBars(QMainWindow &window, const Actions &actions, const Views &views);

}  // namespace ct
