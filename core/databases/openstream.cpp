// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/databases/openstream.h"

#include "core/databases/postgresql/pgsource.h"
#include "core/databases/reading/sessionreader.h"
#include "core/databases/sqlite/sqlitesource.h"

#include <filesystem>
#include <system_error>
#include <utility>

namespace ct {

namespace {

Result<std::unique_ptr<RowSource>> openSource(const std::string &input, const IsCancelled &isCancelled)
{
    if (!isServerAddress(input))
        return openSqliteSource(input, isCancelled);
    const Result<ServerAddress> address = parseServerAddress(input);
    if (!address)
        return address.error();
    if (address->kind == ServerAddress::Kind::PostgreSql)
        return openPgSource(*address, isCancelled);
    return Error{ErrorCode::Unsupported, address->name() + ": sessions can be opened from PostgreSQL and SQLite, not "
                                                           "from MariaDB or MySQL; export the run to one of these"};
}

}  // namespace

bool isDatabase(const std::string &input)
{
    return isServerAddress(input) || isSqliteFile(input);
}

Result<std::unique_ptr<StreamFile>> openStream(const std::string &input, std::shared_ptr<StreamIndex> streamIndex,
                                               FileGrowth *growth, OutputHandler handleOutput, ReadOptions options)
{
    // Lines in JSON may have any name, and no lines are valid, too.
    std::error_code failed;
    if (input.ends_with(".sqlite") && std::filesystem::file_size(input, failed) == 0)
        return Error{ErrorCode::BadFormat, input + " is empty, so it is no database; choose another file"};
    if (!isDatabase(input))
        return openRecording(input, std::move(streamIndex), growth, std::move(handleOutput), options);
    Result<std::unique_ptr<RowSource>> source = openSource(input, options.isCancelled);
    if (!source)
        return source.error();
    Result<std::unique_ptr<SessionReader>> reader = SessionReader::open(std::move(*source));
    if (!reader)
        return reader.error();
    if (streamIndex)
        streamIndex->close();
    return std::unique_ptr<StreamFile>(std::move(*reader));
}

}  // namespace ct
