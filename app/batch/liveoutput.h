// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// One output of a capture: that of -o, or of an --export.
#pragma once

#include "app/batch/outputwatch.h"
#include "app/commandline/commandline.h"
#include "core/addresses/addressresolver.h"
#include "core/databases/exportcontext.h"
#include "core/recording/write/queuedsink.h"
#include "core/recording/write/recordingwriter.h"
#include "core/session/latestinfo.h"
#include "core/session/session.h"

#include <QString>

#include <memory>
#include <optional>
#include <string>

namespace ct {

class CauseCount;

/// Lives on the main thread.
class LiveOutput {
public:
    /// `latestInfo`: the facts of the run, for an export. `reportOf`: see ExportContext::report.
    LiveOutput(const CommandLine &line, const CommandLine::Export &requested,
               std::shared_ptr<const LatestInfo> latestInfo, ReportOf reportOf);
    ~LiveOutput();
    LiveOutput(const LiveOutput &) = delete;
    LiveOutput &operator=(const LiveOutput &) = delete;

    /// Opens the output. Busy: a pipe has no reader yet; call it again. `stops`: ends a wait for a server.
    Result<void> open(const std::shared_ptr<AddressResolver> &resolver, const IsCancelled &stops);
    /// Makes the open output a sink of the session.
    Result<void> addTo(Session &session);

    const std::string &path() const { return m_requested.output; }
    QString name() const;                                                 ///< for messages
    const std::shared_ptr<QueuedSink> &queue() const { return m_queue; }  ///< in front of the output
    /// nullptr: the output is not a recording.
    const std::shared_ptr<RecordingWriter> &recording() const { return m_recording; }

    struct Missing {
        std::uint64_t events = 0;      ///< captured events that are not in the output
        std::string message;           ///< what another program did to the file; empty: nothing
        bool isLost = false;           ///< the file is gone
        std::uint64_t causes = 0;      ///< causes that are not in the second file
        std::uint64_t causesKept = 0;  ///< causes that are in the second file
    };
    /// After the capture. Completes an output that has failed, as far as it can.
    Missing missing(const Accounting &accounting) const;
    const std::string &causesPath() const { return m_causesPath; }  ///< the second file; empty: there is none

private:
    Result<std::shared_ptr<Sink>> openExport(const std::shared_ptr<AddressResolver> &resolver,
                                             const IsCancelled &stops);
    Result<std::shared_ptr<Sink>> openRecording();

    const CommandLine &m_line;
    const CommandLine::Export m_requested;
    const std::shared_ptr<const LatestInfo> m_latestInfo;
    const ReportOf m_reportOf;
    std::shared_ptr<Sink> m_sink;  ///< from open() to addTo()
    std::shared_ptr<QueuedSink> m_queue;
    std::shared_ptr<RecordingWriter> m_recording;
    std::optional<OutputWatch> m_watch;  ///< for a file without --limit
    std::string m_causesPath;
    std::shared_ptr<CauseCount> m_causes;  ///< set if there is a second file
};

}  // namespace ct
