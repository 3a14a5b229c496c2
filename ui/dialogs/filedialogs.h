// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Dialogs that ask for a file. They open without blocking; the callback gets the path that the user chose.
#pragma once

#include "core/exporting/exportformat.h"

#include <QString>

#include <functional>

class QWidget;

namespace ct {

/// For a recording or a region to open.
void askForRecording(QWidget *parent, std::function<void(const QString &path)> chosen);

/// For the file of an export. `name` is proposed, without an extension. The callback also gets the variant of the
/// format: for spreadsheets or not.
void askForExport(QWidget *parent, const ExportFormat &format, const QString &name,
                  std::function<void(const ExportFormat &format, const QString &path)> chosen);

/// For the copy of a recording. `name` is proposed.
void askForSave(QWidget *parent, const QString &name, std::function<void(const QString &path)> chosen);

/// For a picture of a graph (suffix "svg") or a graph for Graphviz ("dot"). `name` is proposed.
void askForGraphFile(QWidget *parent, const QString &name, const QString &suffix,
                     std::function<void(const QString &path)> chosen);

}  // namespace ct
