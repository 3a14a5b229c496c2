// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exporting/exporting.h"

#include "core/base/fileending.h"
#include "core/exporting/csvwriter.h"
#include "core/exporting/replacefile.h"
#include "core/exporting/sqlitewriter.h"
#include "core/exporting/tracestream.h"
#include "core/recording/text/jsonlwriter.h"

#include <array>
#include <string>

namespace ct {

namespace {

/// The JSONL format has no resolved addresses, so `exportResolver` is not used.
Result<std::shared_ptr<Sink>> makeJsonl(const std::string &path, std::shared_ptr<ExportResolver>)
{
    return makeJsonlWriter(path);
}

constexpr std::array<ExportFormat, 3> kFormats = {{
    {"JSONL", "jsonl", &makeJsonl},
    {"CSV", "csv", &makeCsvWriter},
    {"SQLite", "sqlite", &makeSqliteWriter},
}};

constexpr ExportFormat kSpreadsheetCsv{"CSV", "csv", &makeSpreadsheetCsvWriter};

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
    Result<ReplaceFile> file = ReplaceFile::prepare(path);
    if (!file)
        return file.error();
    Result<std::shared_ptr<Sink>> sink = format.makeSink(file->temporaryPath(), std::move(exportResolver));
    if (!sink)
        return ofNothingWritten(sink.error(), file->temporaryPath(), path);
    Result<ExportReport> report =
        TraceStream(population, history, **sink, progress, sums, std::move(streamIndex)).run();
    // Close the sink before the file is renamed or removed.
    sink->reset();
    if (!report && report.error().code == ErrorCode::Cancelled)
        return report;
    if (!report)
        return ofNothingWritten(report.error(), file->temporaryPath(), path);
    if (progress && !progress(0.99))
        return Error{ErrorCode::Cancelled, "the export was cancelled; nothing was changed"};
    if (Result<void> replaced = file->commit(); !replaced)
        return replaced.error();
    if (progress)
        (void)progress(1);
    return report;
}

}  // namespace ct
