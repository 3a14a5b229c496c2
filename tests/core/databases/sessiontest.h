// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Writes and reads the sessions of SQLite files, and changes them as other programs do.
#pragma once

#include "core/databases/openstream.h"
#include "core/databases/sessionwriter.h"
#include "core/databases/sqlite/sqlitestore.h"
#include "core/databases/storedsums.h"
#include "tests/core/recording/streamtext.h"
#include "tests/support/paths.h"

#include <QSqlDatabase>
#include <QSqlError>
#include <QSqlQuery>
#include <QStringList>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ct::test {

/// The content of a stream, independent of its batch boundaries.
struct Content {
    QStringList events;  ///< in their order
    QStringList others;  ///< all other rows, sorted, without duplicates
    Accounting sums;
    RecordingInfo info;
    std::vector<FrameLocation> frames;
    std::uint64_t now = 0;
    std::uint64_t notSelected = 0;  ///< FileFacts::notSelected
    bool hasEnded = false;
    std::string error;
};

inline Content read(StreamFile &file, Sink *sink = nullptr)
{
    Content content;
    FileFacts facts;
    Batch batch;
    for (bool more = true; more;) {
        batch.clear();
        const Result<bool> next = file.next(batch);
        if (!next)
            content.error = next.error().message;
        more = next && *next;
        if (file.takeFacts(facts))
            content.frames.insert(content.frames.end(), facts.frames.begin(), facts.frames.end());
        if (sink && more && !sink->consume(batch))
            content.error = "the sink failed";
        content.now = std::max(content.now, batch.now);
        for (const QString &line : QString::fromStdString(textOf(batch)).split(QLatin1Char('\n'))) {
            if (line.startsWith(QLatin1String("T ")))
                content.events << line;
            else if (!line.isEmpty() && !line.startsWith(QLatin1String("now ")))
                content.others << line;
        }
    }
    content.others.sort();
    // A target can report the name of a thread several times.
    content.others.removeDuplicates();
    content.sums = file.accounting();
    content.info = facts.info;
    content.notSelected = facts.notSelected;
    content.hasEnded = file.hasEnded();
    return content;
}

inline Content read(const std::string &place, Sink *sink = nullptr)
{
    Result<std::unique_ptr<StreamFile>> file = openStream(place);
    if (file)
        return read(**file, sink);
    Content content;
    content.error = file.error().message;
    return content;
}

inline std::unique_ptr<SessionWriter> writerOf(const std::string &path, const RecordingInfo &info = {})
{
    Result<std::unique_ptr<RowStore>> store = makeSqliteStore(path);
    if (!store)
        return nullptr;
    ExportContext context;
    context.info = [info] { return info; };
    return std::make_unique<SessionWriter>(std::move(*store), context);
}

/// Writes `from` into a database. Returns the content of `from`.
inline Content write(const std::string &from, const std::string &to)
{
    const Content first = read(from);
    const std::unique_ptr<SessionWriter> writer = writerOf(to, first.info);
    Content content = read(from, writer.get());
    if (!writer->finish(content.sums))
        content.error = "the database was not written";
    return content;
}

inline std::map<std::string, std::uint64_t> sumsOf(const Accounting &accounting)
{
    std::map<std::string, std::uint64_t> sums;
    for (const StoredSum &sum : storedSums())
        sums[std::string(sum.name)] = sum.get(accounting);
    return sums;
}

/// All rows of all tables, in the order of the tables.
inline QStringList rowsOf(const std::string &path)
{
    QStringList rows;
    {
        QSqlDatabase database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), QStringLiteral("rows"));
        database.setDatabaseName(QString::fromStdString(path));
        database.open();
        for (std::size_t i = 0; i < kTables; ++i) {
            const TableSchema &schema = schemaOf(static_cast<Table>(i));
            QSqlQuery query(QStringLiteral("SELECT * FROM %1").arg(QLatin1String(schema.name.data())), database);
            while (query.next()) {
                QString row = QLatin1String(schema.name.data());
                for (std::size_t column = 0; column < schema.columns.size(); ++column)
                    row += QLatin1Char('|') + query.value(static_cast<int>(column)).toString();
                rows << row;
            }
        }
    }
    QSqlDatabase::removeDatabase(QStringLiteral("rows"));
    return rows;
}

/// Changes the database as another program would. Returns the error of the database, or nothing.
inline QString change(const std::string &path, const QString &statement)
{
    QString error;
    {
        QSqlDatabase database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), QStringLiteral("change"));
        database.setDatabaseName(QString::fromStdString(path));
        database.open();
        QSqlQuery query(database);
        if (!query.exec(statement))
            error = query.lastError().text();
    }
    QSqlDatabase::removeDatabase(QStringLiteral("change"));
    return error;
}

inline std::string recording(const char *name)
{
    return kSourceDir + "/tests/corpus/recordings/" + name;
}

inline bool contains(const std::string &text, const char *part)
{
    return text.find(part) != std::string::npos;
}

}  // namespace ct::test
