// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exporting/exporting.h"

#include "core/base/fileending.h"
#include "core/exporting/csv/csvcauses.h"
#include "core/exporting/csv/csvwriter.h"
#include "core/exporting/replacefile.h"
#include "core/exporting/sqlite/sqlitewriter.h"
#include "core/exporting/tracestream.h"
#include "core/recording/text/jsonlwriter.h"

#include <algorithm>
#include <array>
#include <optional>
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
    return makeSqliteWriter(path, std::move(exportResolver));
}

constexpr std::array<ExportFormat, 3> kFormats = {{
    {"jsonl", "JSONL", "jsonl", &makeJsonl},
    {"csv", "CSV", "csv", &makeCsvWriter, &causesPathFor},
    {"sqlite", "SQLite", "sqlite", &makeSqlite},
}};

constexpr ExportFormat kSpreadsheetCsv{"csv", "CSV", "csv", &makeSpreadsheetCsvWriter, &causesPathFor};

/// The files of an export, under temporary names. The second one has the causes, if the format needs it.
class NewFiles {
public:
    static Result<NewFiles> prepare(const ExportFormat &format, const std::string &path)
    {
        Result<ReplaceFile> events = ReplaceFile::prepare(path);
        if (!events)
            return events.error();
        NewFiles files(path, std::move(*events));
        files.m_causesPath = format.causesPath(path);
        if (files.m_causesPath.empty())
            return files;
        Result<ReplaceFile> causes = ReplaceFile::prepare(files.m_causesPath);
        if (!causes)
            return causes.error();
        files.m_causes.emplace(std::move(*causes));
        return files;
    }

    Result<std::shared_ptr<Sink>> makeSink(const ExportFormat &format,
                                           std::shared_ptr<ExportResolver> exportResolver) const
    {
        return format.make(m_events.temporaryPath(), m_causes ? m_causes->temporaryPath() : std::string(),
                           std::move(exportResolver));
    }
    /// Rewrites an error about one of the temporary files.
    Error ofNothingWritten(const Error &error) const
    {
        const bool isOfCauses = m_causes && error.message.find(m_causes->temporaryPath()) != std::string::npos;
        return isOfCauses ? ct::ofNothingWritten(error, m_causes->temporaryPath(), m_causesPath)
                          : ct::ofNothingWritten(error, m_events.temporaryPath(), m_path);
    }
    /// Events come last: they make the export complete. `hasCauses`: the second file is needed.
    Result<void> commit(bool hasCauses)
    {
        if (m_causes && hasCauses) {
            Result<void> replaced = checkNoOtherFile(m_causesPath);
            if (replaced)
                replaced = m_causes->commit();
            if (!replaced)
                return replaced;
        }
        Result<void> replaced = m_events.commit();
        if (!replaced && m_causes && hasCauses)
            return Error{replaced.error().code,
                         replaced.error().message + "; " + m_causesPath + " is the new one already"};
        if (replaced && m_causes && !hasCauses)
            removeOlderCauses(m_causesPath);
        return replaced;
    }
    std::string causesPath() const { return m_causes ? m_causesPath : std::string(); }

private:
    NewFiles(const std::string &path, ReplaceFile events) : m_path(path), m_events(std::move(events)) {}

    std::string m_path;
    std::string m_causesPath;
    ReplaceFile m_events;
    std::optional<ReplaceFile> m_causes;
};

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
