// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Describes the content of a format for the export dialog: tables and columns, fields, or tracks, and what the format
// does not keep.
#pragma once

#include <QString>

#include <vector>

namespace ct {

struct ExportFormat;

struct ContentItem {
    QString name;
    QString what;  ///< type or meaning; may be empty
    std::vector<ContentItem> items;
};

/// `eventsView`: the name of the view with the events on a server, as chosen by the user.
std::vector<ContentItem> contentOf(const ExportFormat &format, const QString &eventsView = {});

}  // namespace ct
