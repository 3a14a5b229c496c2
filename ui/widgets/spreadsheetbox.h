// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A check box: write CSV for spreadsheets or for programs. The settings keep the choice, for exports and dumps.
#pragma once

class QCheckBox;
class QFileDialog;
class QWidget;

namespace ct {

struct ExportFormat;

/// Creates the box "spreadsheetBox" with the latest choice. Each click is saved at once.
QCheckBox *makeSpreadsheetBox(QWidget *parent);
/// Adds a box below the file name. Call it before the dialog is shown. The dialog is then not the native one.
void addSpreadsheetBox(QFileDialog &dialog);
/// Returns forSpreadsheets(format) if the user chose that, else `format`.
const ExportFormat &formatAsChosen(const ExportFormat &format);

}  // namespace ct
