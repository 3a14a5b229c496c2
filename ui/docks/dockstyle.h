// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The common style of the docks. GUI thread.
#pragma once

class QLabel;
class QStackedWidget;
class QTableView;
class QTreeView;
class QWidget;

namespace ct {

/// Styles a table: selects whole rows, striped, without a grid or row numbers. Tab leaves the table.
void styleTable(QTableView &table);
/// Styles a tree: striped, without a frame, and with long texts shortened in the middle.
void styleTree(QTreeView &tree);
/// Adds two pages: the text that replaces an empty list, and the list below its bar.
void addPages(QStackedWidget &pages, QLabel *empty, QWidget *bar, QWidget *list);
/// Styles the text that replaces an empty list.
void styleEmptyText(QLabel &label);

}  // namespace ct
