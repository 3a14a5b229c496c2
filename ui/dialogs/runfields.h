// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The fields of the Run dialog as a value: checks them, makes a request, and keeps recent runs. No widgets.
#pragma once

#include "core/session/startrequest.h"

#include <QList>
#include <QString>

class QSettings;

namespace ct {

struct RunFields {
    struct Variable {
        QString name;
        QString value;
        bool removed = false;  ///< remove the variable from the target's environment
        bool operator==(const Variable &) const = default;
    };

    bool shell = false;
    QString command;    ///< a program, or a shell line if `shell` is set
    QString arguments;  ///< quoted as in a shell, without expansions; unused if `shell` is set
    QString directory;
    QList<Variable> environment;
    int stations = corotracer::kMostStations;

    bool operator==(const RunFields &) const = default;

    /// Makes a request. Returns an error for mistakes that can be found without starting the program.
    Result<StartRequest> request() const;
    /// A title for a menu, in one line.
    QString title() const;
};

/// Splits text like a POSIX shell: blanks, '...', "...", backslash; no expansions. The error names an unclosed quote.
Result<std::vector<std::string>> splitArguments(const QString &text);

/// Returns the recent runs, latest first, without duplicates.
QList<RunFields> recentRuns(QSettings &settings);
void addRecentRun(QSettings &settings, const RunFields &form);

}  // namespace ct
