// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exporting/exporttrace.h"

#include "core/exporting/newfiles.h"
#include "core/exporting/selectedstream.h"
#include "core/exporting/tracestream.h"
#include "core/recording/write/filesink.h"

#include <memory>
#include <utility>

namespace ct {

namespace {

Error cancelled()
{
    return {ErrorCode::Cancelled, "the export was cancelled; nothing was changed"};
}

/// The input of an export.
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
        Result<ExportReport> report = unselected ? writeSelected(sink) : writeAll(sink);
        if (const auto *const file = dynamic_cast<const FileSink *>(&sink); report && file)
            report->remark = file->remark();
        return report;
    }

private:
    Result<ExportReport> writeAll(Sink &sink) const
    {
        return TraceStream(population, history, sink, progress, sums, streamIndex).run();
    }

    Result<ExportReport> writeSelected(Sink &sink) const
    {
        SelectedStream selected(sink, selection, population, *unselected);
        Result<ExportReport> report = writeAll(selected);
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
        return files->nothingWritten(sink.error());
    Result<ExportReport> report = request.writeTo(**sink);
    // Close the sink before the files are renamed or removed.
    sink->reset();
    if (!report && report.error().code == ErrorCode::Cancelled)
        return report;
    if (!report)
        return files->nothingWritten(report.error());
    if (request.progress && !request.progress(0.99))
        return cancelled();
    if (Result<void> replaced = files->commit(report->causes != 0); !replaced)
        return replaced.error();
    if (report->causes != 0)
        report->causesPath = files->causesPath();
    return report;
}

/// Needs no temporary file: a server shows a session only when it is complete.
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
