// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/savedqueries.h"

#include <QSettings>
#include <QVariantMap>

namespace ct::savedqueries {

namespace {

/// One value, because a name may contain the slashes that separate keys.
const QString kKey = QStringLiteral("queries/saved");

const QString kHistoryKey = QStringLiteral("queries/history");
constexpr qsizetype kMostHistory = 20;
constexpr qsizetype kLongest = 10'000;  ///< characters; settings are read at every start

QVariantMap all()
{
    return QSettings().value(kKey).toMap();
}

}  // namespace

QStringList names()
{
    return all().keys();
}

QString statementOf(const QString &name)
{
    return all().value(name).toString();
}

void save(const QString &name, const QString &statement)
{
    QVariantMap queries = all();
    queries[name] = statement;
    QSettings().setValue(kKey, queries);
}

void remove(const QString &name)
{
    QVariantMap queries = all();
    queries.remove(name);
    QSettings().setValue(kKey, queries);
}

QStringList history()
{
    return QSettings().value(kHistoryKey).toStringList();
}

void remember(const QString &statement)
{
    if (statement.size() > kLongest)
        return;
    QStringList statements = history();
    statements.removeAll(statement);
    statements.prepend(statement);
    QSettings().setValue(kHistoryKey, statements.mid(0, kMostHistory));
}

}  // namespace ct::savedqueries
