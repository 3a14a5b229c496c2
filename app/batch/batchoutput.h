// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a batch run writes while it captures: the outputs of -o and --export, and the summary. For dumps, see
// dumper.h.
#pragma once

#include "app/batch/deferredfile.h"
#include "app/batch/liveoutput.h"
#include "app/batch/summary.h"
#include "app/commandline/commandline.h"
#include "core/session/recordinginfowriter.h"

#include <QObject>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ct {

class ConsoleSignals;

/// Lives on the main thread.
class BatchOutput final : public QObject {
    Q_OBJECT
public:
    BatchOutput(const CommandLine &line, Session &session, std::shared_ptr<Population> population,
                std::shared_ptr<AddressResolver> resolver, ReportOf reportOf, QObject *parent = nullptr);
    ~BatchOutput() override;

    /// Opens the files and makes the outputs sinks of the session. If a pipe has no reader yet, waits for one, or for a
    /// signal that asks for the end.
    Result<void> open(ConsoleSignals &signals);

    QString names() const;                                    ///< of the outputs, for messages
    std::vector<std::shared_ptr<QueuedSink>> queues() const;  ///< in front of the outputs
    /// Gives the outputs the facts of the run; nullptr: there are no outputs.
    RecordingInfoWriter *infoWriter() const { return m_infoWriter.get(); }

    /// After the capture: adds to `summary`, which has the sums of the capture, how much is not in the outputs, and an
    /// error that was not reported before.
    void check(Summary &summary);
    /// Reports how many events are not in the outputs, and which files have the causes.
    void reportRows();
    /// Returns false if the summary could not be written. `isGivenUp`: see DeferredFile::write().
    bool writeSummary(const Summary &summary, const std::function<bool()> &isGivenUp);
    /// Call it if there will be no summary.
    void discardSummary();

Q_SIGNALS:
    void reported(const QString &message);

private:
    template <class Open>
    auto openOnceRead(const std::string &path, const ConsoleSignals &signals, Open open);
    Result<void> openSummary(const ConsoleSignals &signals);
    Result<void> openOutputs(ConsoleSignals &signals);
    Result<void> openOutput(const CommandLine::Export &requested, const std::shared_ptr<LatestInfo> &latestInfo,
                            ConsoleSignals &signals);

    const CommandLine &m_line;
    Session &m_session;
    const std::shared_ptr<Population> m_population;
    const std::shared_ptr<AddressResolver> m_resolver;
    const ReportOf m_reportOf;
    std::unique_ptr<RecordingInfoWriter> m_infoWriter;
    std::optional<DeferredFile> m_summaryFile;
    std::vector<std::unique_ptr<LiveOutput>> m_outputs;  ///< that of -o first
    std::vector<LiveOutput::Missing> m_missing;          ///< set by check(), in the same order
};

}  // namespace ct
