// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exporting/exporting.h"

#include "core/base/fileending.h"
#include "core/databases/mysql/mysqlstore.h"
#include "core/databases/postgresql/pgstore.h"
#include "core/databases/sessionwriter.h"
#include "core/databases/sqlite/sqlitestore.h"
#include "core/exporting/csv/csvcauses.h"
#include "core/exporting/csv/csvwriter.h"
#include "core/exporting/knownlocations.h"
#include "core/exporting/newfiles.h"
#include "core/exporting/selectedstream.h"
#include "core/exporting/tracestream.h"
#include "core/exporting/viewers/viewerwriter.h"
#include "core/recording/text/jsonlwriter.h"
#include "core/recording/write/filesink.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace ct {

namespace {

Result<std::shared_ptr<Sink>> makeJsonl(const std::string &path, const std::string &, const ExportContext &context)
{
    if (!context.resolver)
        return makeJsonlWriter(path, {}, context.unselected);
    auto known = std::make_shared<KnownLocations>(context.resolver, [](const SourceFrame &frame) {
        return jsonlLocationText({kUnknownSite, frame.line, frame.column, frame.file, frame.function});
    });
    const auto locations = [known = std::move(known)](const Transition &suspension, std::uint32_t pid) {
        return known->textOf(suspension, pid);
    };
    return makeJsonlWriter(path, locations, context.unselected);
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
    const Result<ServerAddress> parsed = parseServerAddress(address);
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

constexpr std::array<ExportFormat, 5> kFormats = {{
    {"jsonl", "JSONL", "jsonl", &makeJsonl, nullptr, true},
    {"csv", "CSV", "csv", &makeCsv, &causesPathFor, true},
    {"sqlite", "SQLite", "sqlite", &makeSqlite},
    {"perfetto", "Perfetto", "pftrace", &makePerfetto},
    {"chrome", "Chrome trace", "json", &makeChrome},
}};

Result<std::shared_ptr<Sink>> makeMysql(const std::string &address, const std::string &, const ExportContext &context)
{
    const Result<ServerAddress> parsed = parseServerAddress(address);
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

namespace {

Error cancelled()
{
    return {ErrorCode::Cancelled, "the export was cancelled; nothing was changed"};
}

/// What an export reads, and how.
struct Request {
    const Population &population;
    const History &history;
    const ExportProgress &progress;
    const Accounting &sums;
    const std::shared_ptr<const StreamIndex> streamIndex;
    const TraceSelection &selection;
    const std::shared_ptr<Unselected> unselected;  ///< nullptr: everything is selected

    Result<ExportReport> writeTo(Sink &sink) const
    {
        if (!unselected)
            return TraceStream(population, history, sink, progress, sums, streamIndex).run();
        SelectedStream selected(sink, selection, population, *unselected);
        Result<ExportReport> report = TraceStream(population, history, selected, progress, sums, streamIndex).run();
        if (!report)
            return report;
        report->rows = selected.sums().captured;
        report->coroutines = selected.sums().coroutines;
        report->lostEvents = selected.sums().lost;
        report->causes = selected.causes();
        report->notSelected = unselected->events;
        return report;
    }
};

Result<ExportReport> exportToFiles(const Request &request, const ExportFormat &format, const std::string &path,
                                   const ExportContext &context)
{
    Result<NewFiles> files = NewFiles::prepare(format, path);
    if (!files)
        return files.error();
    Result<std::shared_ptr<Sink>> sink = files->makeSink(format, context);
    if (!sink)
        return files->ofNothingWritten(sink.error());
    Result<ExportReport> report = request.writeTo(**sink);
    if (const auto *const file = dynamic_cast<const FileSink *>(sink->get()); report && file)
        report->remark = file->remark();
    // Close the sink before the files are renamed or removed.
    sink->reset();
    if (!report && report.error().code == ErrorCode::Cancelled)
        return report;
    if (!report)
        return files->ofNothingWritten(report.error());
    if (request.progress && !request.progress(0.99))
        return cancelled();
    if (Result<void> replaced = files->commit(report->causes != 0); !replaced)
        return replaced.error();
    if (report->causes != 0)
        report->causesPath = files->causesPath();
    return report;
}

/// A server shows a session when it is complete: there are no files to replace.
Result<ExportReport> exportToServer(const Request &request, const ExportFormat &format, const std::string &address,
                                    const ExportContext &context)
{
    const Result<std::shared_ptr<Sink>> sink = format.makeSink(address, context);
    return sink ? request.writeTo(**sink) : Result<ExportReport>(sink.error());
}

}  // namespace

Result<ExportReport> exportTrace(const Population &population, const History &history, const ExportFormat &format,
                                 const std::string &path, const ExportProgress &progress, const Accounting &sums,
                                 const ExportContext &context, std::shared_ptr<const StreamIndex> streamIndex,
                                 const TraceSelection &selection)
{
    if (progress && !progress(0))
        return cancelled();
    const auto unselected = selection.isEverything() ? nullptr : std::make_shared<Unselected>();
    ExportContext ofSelection = context;
    ofSelection.unselected = unselected;
    const Request request{population, history, progress, sums, std::move(streamIndex), selection, unselected};
    Result<ExportReport> report = format.isOfServer() ? exportToServer(request, format, path, ofSelection)
                                                      : exportToFiles(request, format, path, ofSelection);
    if (report && progress)
        (void)progress(1);
    return report;
}

}  // namespace ct
