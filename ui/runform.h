// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What is typed into the Run dialog, as a value: checked, turned into a request, kept as a recent run. No widgets.
#pragma once

#include "core/session/startrequest.h"

#include <QList>
#include <QString>

class QSettings;

namespace ct {

struct RunForm {
    struct Variable {
        QString name;
        QString value;
        bool removed = false;  ///< the target shall not have it
        bool operator==(const Variable &) const = default;
    };

    bool shell = false;
    QString command;    ///< a program, or a shell line
    QString arguments;  ///< quoted as in a shell, without its expansions; unused with `shell`
    QString directory;
    QList<Variable> environment;
    int stations = corotracer::kMostStations;

    bool operator==(const RunForm &) const = default;

    /// Checked for what can be known without starting it.
    Result<StartRequest> request() const;
    /// One line for a menu.
    QString title() const;
};

/// Splits like a POSIX shell: blanks, '...', "...", backslash; no expansions. An error names an open quote.
Result<std::vector<std::string>> splitArguments(const QString &text);

/// Latest first, without duplicates.
QList<RunForm> recentRuns(QSettings &settings);
void addRecentRun(QSettings &settings, const RunForm &form);

}  // namespace ct
