// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Exports a trace in the background. Shares ownership of the trace, so the window may start another capture.
#pragma once

#include "core/exporting/exporttrace.h"
#include "ui/jobs/backgroundjob.h"

#include <functional>
#include <string>

namespace ct {

class ExportJob final : public BackgroundJob {
    Q_OBJECT
public:
    /// `sums` are those of the capture. They include counts that the trace does not have.
    ExportJob(std::shared_ptr<const Population> population, std::shared_ptr<const History> history,
              const Accounting &sums, const ExportFormat &format, QString path, QObject *parent = nullptr);
    /// Sets the index of the recording, which has the evicted events. Call before start().
    void setStreamIndex(std::shared_ptr<const StreamIndex> streamIndex) { m_streamIndex = std::move(streamIndex); }
    /// Sets the resolver of addresses. Call before start().
    void setExportResolver(std::shared_ptr<ExportResolver> exportResolver)
    {
        m_context.resolver = std::move(exportResolver);
    }
    /// Sets the facts of the run: `info` is called on the job's thread. Call before start().
    void setInfo(std::function<RecordingInfo()> info, std::string source);
    /// Sets what judges the run, for databases, on the job's thread: in front of the export, because a live run goes
    /// on. What it returns is called at the end. Call before start().
    void setJudge(std::function<ReportOf()> judge) { m_judge = std::move(judge); }
    /// Says that only a part of the run was read. Call before start().
    void setPart()
    {
        m_context.isPart = [] { return true; };
    }
    /// Sets the part of the trace that is exported. Call before start().
    void setSelection(TraceSelection selection) { m_selection = std::move(selection); }
    ~ExportJob() override;  ///< cancels and waits

    /// Valid after the job has succeeded.
    const ExportReport &report() const { return m_report; }

    void cancel() override;

protected:
    void run() override;

private:
    const std::shared_ptr<const Population> m_population;
    const std::shared_ptr<const History> m_history;
    const Accounting m_sums;
    std::shared_ptr<const StreamIndex> m_streamIndex;
    ExportContext m_context;
    std::function<ReportOf()> m_judge;
    TraceSelection m_selection;
    const ExportFormat &m_format;
    ExportReport m_report;
};

}  // namespace ct
