// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The choice whether CSV is written for spreadsheets or for programs. Kept in the settings, for exports and dumps.
#pragma once

class QCheckBox;
class QFileDialog;
class QWidget;

namespace ct {

struct ExportFormat;

/// "spreadsheetBox", set as chosen last; a click is kept at once.
QCheckBox *makeSpreadsheetBox(QWidget *parent);
/// Adds one below the name of the file. To be called before the dialog is shown: it will not be the system's.
void addSpreadsheetBox(QFileDialog &dialog);
/// forSpreadsheets(format), if that was chosen.
const ExportFormat &formatAsChosen(const ExportFormat &format);

}  // namespace ct
