// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exporting/exporting.h"

#include "core/base/fileending.h"
#include "core/databases/sessionwriter.h"
#include "core/databases/sqlite/sqlitestore.h"
#include "core/exporting/csv/csvcauses.h"
#include "core/exporting/csv/csvwriter.h"
#include "core/exporting/newfiles.h"
#include "core/exporting/tracestream.h"
#include "core/recording/text/jsonlwriter.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace ct {

namespace {

/// The JSONL format has no resolved addresses, so `exportResolver` is not used.
Result<std::shared_ptr<Sink>> makeJsonl(const std::string &path, const std::string &, std::shared_ptr<ExportResolver>)
{
    return makeJsonlWriter(path);
}

Result<std::shared_ptr<Sink>> makeSqlite(const std::string &path, const std::string &,
                                         std::shared_ptr<ExportResolver> exportResolver)
{
    Result<std::unique_ptr<RowStore>> store = makeSqliteStore(path);
    if (!store)
        return store.error();
    return std::shared_ptr<Sink>(std::make_shared<SessionWriter>(std::move(*store), std::move(exportResolver)));
}

constexpr std::array<ExportFormat, 3> kFormats = {{
    {"jsonl", "JSONL", "jsonl", &makeJsonl},
    {"csv", "CSV", "csv", &makeCsvWriter, &causesPathFor},
    {"sqlite", "SQLite", "sqlite", &makeSqlite},
}};

constexpr ExportFormat kSpreadsheetCsv{"csv", "CSV", "csv", &makeSpreadsheetCsvWriter, &causesPathFor};

}  // namespace

std::span<const ExportFormat> exportFormats()
{
    return kFormats;
}

const ExportFormat *exportFormatFor(std::string_view path)
{
    for (const ExportFormat &format : kFormats) {
        if (hasEnding(path, "." + std::string(format.extension)))
            return &format;
    }
    return nullptr;
}

const ExportFormat *exportFormatOfKind(std::string_view kind)
{
    const auto found = std::find_if(kFormats.begin(), kFormats.end(),
                                    [kind](const ExportFormat &format) { return format.kind == kind; });
    return found == kFormats.end() ? nullptr : &*found;
}

const ExportFormat &forSpreadsheets(const ExportFormat &format)
{
    return format.make == &makeCsvWriter ? kSpreadsheetCsv : format;
}

Result<ExportReport> exportTrace(const Population &population, const History &history, const ExportFormat &format,
                                 const std::string &path, const ExportProgress &progress, const Accounting &sums,
                                 std::shared_ptr<ExportResolver> exportResolver,
                                 std::shared_ptr<const StreamIndex> streamIndex)
{
    if (progress && !progress(0))
        return Error{ErrorCode::Cancelled, "the export was cancelled; nothing was changed"};
    Result<NewFiles> files = NewFiles::prepare(format, path);
    if (!files)
        return files.error();
    Result<std::shared_ptr<Sink>> sink = files->makeSink(format, std::move(exportResolver));
    if (!sink)
        return files->ofNothingWritten(sink.error());
    Result<ExportReport> report =
        TraceStream(population, history, **sink, progress, sums, std::move(streamIndex)).run();
    // Close the sink before the files are renamed or removed.
    sink->reset();
    if (!report && report.error().code == ErrorCode::Cancelled)
        return report;
    if (!report)
        return files->ofNothingWritten(report.error());
    if (progress && !progress(0.99))
        return Error{ErrorCode::Cancelled, "the export was cancelled; nothing was changed"};
    if (Result<void> replaced = files->commit(report->causes != 0); !replaced)
        return replaced.error();
    if (report->causes != 0)
        report->causesPath = files->causesPath();
    if (progress)
        (void)progress(1);
    return report;
}

}  // namespace ct
