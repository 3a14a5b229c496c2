// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the window's docks look alike in. GUI thread.
#pragma once

class QLabel;
class QTableView;

namespace ct {

/// A table of whole rows: striped, without a grid or row numbers; Tab leaves it.
void styleTable(QTableView &table);
/// What stands in the place of a list that has nothing to show.
void styleEmptyText(QLabel &label);

}  // namespace ct
