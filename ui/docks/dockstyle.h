// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The common style of the docks. GUI thread.
#pragma once

class QLabel;
class QTableView;

namespace ct {

/// Styles a table: selects whole rows, striped, without a grid or row numbers. Tab leaves the table.
void styleTable(QTableView &table);
/// Styles the text that replaces an empty list.
void styleEmptyText(QLabel &label);

}  // namespace ct
