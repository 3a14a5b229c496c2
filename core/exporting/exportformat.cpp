// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exporting/exportformat.h"

#include "core/base/fileending.h"
#include "core/databases/mysql/mysqlstore.h"
#include "core/databases/postgresql/pgstore.h"
#include "core/databases/sessionwriter.h"
#include "core/databases/sqlite/sqlitestore.h"
#include "core/exporting/csv/csvcauses.h"
#include "core/exporting/csv/csvwriter.h"
#include "core/exporting/jsonlexport.h"
#include "core/exporting/recordingexport.h"
#include "core/exporting/viewers/viewerwriter.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace ct {

namespace {

Result<std::shared_ptr<Sink>> makeJsonl(const std::string &path, const std::string &, const ExportContext &context)
{
    return makeJsonlExport(path, context, OldContent::Replace);
}

Result<std::shared_ptr<Sink>> makeCsv(const std::string &path, const std::string &causesPath,
                                      const ExportContext &context)
{
    return makeCsvWriter(path, causesPath, context.resolver);
}

Result<std::shared_ptr<Sink>> makeSpreadsheetCsv(const std::string &path, const std::string &causesPath,
                                                 const ExportContext &context)
{
    return makeSpreadsheetCsvWriter(path, causesPath, context.resolver);
}

Result<std::shared_ptr<Sink>> writerOf(Result<std::unique_ptr<RowStore>> store, const ExportContext &context)
{
    if (!store)
        return store.error();
    return std::shared_ptr<Sink>(std::make_shared<SessionWriter>(std::move(*store), context));
}

Result<std::shared_ptr<Sink>> makeSqlite(const std::string &path, const std::string &, const ExportContext &context)
{
    return writerOf(makeSqliteStore(path), context);
}

Result<std::shared_ptr<Sink>> makePostgresql(const std::string &address, const std::string &,
                                             const ExportContext &context)
{
    const Result<ServerAddress> parsed = parseTargetAddress(address);
    return parsed ? writerOf(makePgStore(*parsed, context.isCancelled), context)
                  : Result<std::shared_ptr<Sink>>(parsed.error());
}

Result<std::shared_ptr<Sink>> makePerfetto(const std::string &path, const std::string &, const ExportContext &context)
{
    return makePerfettoWriter(path, context);
}

Result<std::shared_ptr<Sink>> makeChrome(const std::string &path, const std::string &, const ExportContext &context)
{
    return makeChromeWriter(path, context);
}

Result<std::shared_ptr<Sink>> makeRecording(const std::string &path, const std::string &, const ExportContext &context)
{
    return makeRecordingExport(path, context);
}

constexpr std::array<ExportFormat, 6> kFormats = {{
    {"jsonl", "JSONL", "jsonl", &makeJsonl, nullptr, true},
    {"csv", "CSV", "csv", &makeCsv, &causesPathFor, true},
    {"sqlite", "SQLite", "sqlite", &makeSqlite},
    {"perfetto", "Perfetto", "pftrace", &makePerfetto},
    {"chrome", "Chrome trace", "json", &makeChrome},
    {kRecordingKind, "Recording", "ctr", &makeRecording},
}};

Result<std::shared_ptr<Sink>> makeMysql(const std::string &address, const std::string &, const ExportContext &context)
{
    const Result<ServerAddress> parsed = parseTargetAddress(address);
    return parsed ? writerOf(makeMysqlStore(*parsed, context.isCancelled), context)
                  : Result<std::shared_ptr<Sink>>(parsed.error());
}

constexpr std::array<ExportFormat, 2> kServerFormats = {{
    {"postgresql", "PostgreSQL", "", &makePostgresql},
    {"mysql", "MySQL", "", &makeMysql},
}};

constexpr ExportFormat kSpreadsheetCsv{"csv", "CSV", "csv", &makeSpreadsheetCsv, &causesPathFor, true};

}  // namespace

std::span<const ExportFormat> exportFormats()
{
    return kFormats;
}

const ExportFormat *exportFormatFor(std::string_view path)
{
    if (isServerAddress(path))
        return exportFormatOfKind(path.starts_with("postgres") ? "postgresql" : "mysql");
    for (const ExportFormat &format : kFormats) {
        if (hasEnding(format.isText ? withoutPacking(path) : path, "." + std::string(format.extension)))
            return &format;
    }
    return nullptr;
}

const ExportFormat *exportFormatOfKind(std::string_view kind)
{
    for (const std::span<const ExportFormat> formats : {std::span<const ExportFormat>(kFormats), {kServerFormats}}) {
        const auto found = std::find_if(formats.begin(), formats.end(),
                                        [kind](const ExportFormat &format) { return format.kind == kind; });
        if (found != formats.end())
            return &*found;
    }
    return nullptr;
}

const ExportFormat &forSpreadsheets(const ExportFormat &format)
{
    return format.make == &makeCsv ? kSpreadsheetCsv : format;
}

}  // namespace ct
