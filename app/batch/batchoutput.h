// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The files that a batch run writes while it captures: the output of -o, and the summary. Dumps have a class of their
// own, dumper.h.
#pragma once

#include "app/batch/deferredfile.h"
#include "app/batch/outputwatch.h"
#include "app/batch/summary.h"
#include "app/commandline/commandline.h"
#include "core/recording/write/queuedsink.h"
#include "core/session/recordinginfowriter.h"

#include <QObject>

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace ct {

class CauseCount;
class ConsoleSignals;

/// Lives on the main thread.
class BatchOutput final : public QObject {
    Q_OBJECT
public:
    BatchOutput(const CommandLine &line, Session &session, std::shared_ptr<Population> population,
                std::shared_ptr<AddressResolver> resolver, QObject *parent = nullptr);
    ~BatchOutput() override;

    /// Opens the files and makes the output a sink of the session. If a pipe has no reader yet, waits for one, or for a
    /// signal that asks for the end.
    Result<void> open(const ConsoleSignals &signals);

    QString name() const;                                                   ///< of the output, for messages
    const std::shared_ptr<QueuedSink> &queue() const { return m_queue; }    ///< in front of the output; nullptr: none
    RecordingInfoWriter *infoWriter() const { return m_infoWriter.get(); }  ///< nullptr: the output is no recording

    /// After the capture: sets what is not in the output, and an error that was not reported before. `summary` has the
    /// sums of the capture.
    void check(Summary &summary);
    /// Reports how many events are not in the output, and the file that has the causes.
    void reportRows(const Summary &summary);
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
    Result<std::shared_ptr<Sink>> openSink();

    const CommandLine &m_line;
    Session &m_session;
    const std::shared_ptr<Population> m_population;
    const std::shared_ptr<AddressResolver> m_resolver;
    std::optional<DeferredFile> m_summaryFile;
    std::optional<OutputWatch> m_watch;  ///< for -o FILE without --limit
    std::shared_ptr<QueuedSink> m_queue;
    std::unique_ptr<RecordingInfoWriter> m_infoWriter;
    std::string m_causesPath;              ///< the second file of the output; empty: it has none
    std::shared_ptr<CauseCount> m_causes;  ///< set if there is a second file
};

}  // namespace ct
