// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The queries that the user has saved, in the settings.
#pragma once

#include <QString>
#include <QStringList>

namespace ct::savedqueries {

QStringList names();  ///< sorted
/// Empty if there is no such query.
QString statementOf(const QString &name);
/// Replaces a query of this name.
void save(const QString &name, const QString &statement);
void remove(const QString &name);

/// The latest queries, the latest first, without repetitions and very long ones.
QStringList history();
void remember(const QString &statement);

}  // namespace ct::savedqueries
