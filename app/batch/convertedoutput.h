// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// One output of a conversion. A file has a temporary name until it is complete; a database commits at the end.
#pragma once

#include "app/commandline/commandline.h"
#include "core/addresses/addressresolver.h"
#include "core/base/filekey.h"
#include "core/databases/exportcontext.h"
#include "core/exporting/newfiles.h"
#include "core/recording/read/streamfile.h"
#include "core/recording/write/queuedsink.h"
#include "core/recording/write/recordingwriter.h"
#include "core/session/latestinfo.h"

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ct {

/// After a failure, the other members do nothing, and the temporary files are gone.
class ConvertedOutput {
public:
    ConvertedOutput(const CommandLine &line, const CommandLine::Export &requested);
    ConvertedOutput(const ConvertedOutput &) = delete;
    ConvertedOutput &operator=(const ConvertedOutput &) = delete;

    const std::string &name() const { return m_requested.output; }  ///< for messages
    bool isRecording() const { return m_requested.kind == kRecordingKind; }
    /// The first error, one sentence; empty: none.
    const std::string &failure() const { return m_failure; }

    /// True at the first call after the failure.
    bool hasNewFailure() { return !m_failure.empty() && !std::exchange(m_isReported, true); }

    void open(const std::shared_ptr<AddressResolver> &resolver, const ReportOf &reportOf);
    /// Sets the function that returns the sums of what was consumed. Called during consume().
    void setSums(const std::function<Accounting()> &sums);
    /// Output of the target. The thread that reads the input: for a recording, the main thread.
    void addOutput(const ctr::OutputPiece &piece);
    void addFacts(const FileFacts &facts);
    void consume(const Batch &batch);
    /// Writes everything that is left. `dropped` and `isPart`: see Conversion::finish(). Any thread, once.
    void complete(const Accounting &accounting, std::uint64_t dropped, bool isPart);
    /// Gives the files their names. Fails for a file that one of the `former` outputs has become, under another name.
    void commit(const std::vector<ConvertedOutput *> &former);
    /// Removes the temporary files, even during complete() on another thread. Call it only before the end of the
    /// program.
    void removeFiles() { m_files.reset(); }
    /// The server shows the session. Any thread.
    bool isOnServer() const { return m_isOnServer.load(std::memory_order_acquire); }

    std::uint64_t written() const { return m_written; }  ///< transitions; after complete()
    /// "run.csv has 10 events, and run.causes.csv 2 causes", and what it does not keep. After commit().
    std::string content() const;

private:
    void openSink(const std::shared_ptr<AddressResolver> &resolver, const ReportOf &reportOf);
    void fail(const Error &error);
    std::vector<std::string> paths() const;

    const CommandLine::Export m_requested;
    const std::string m_source;  ///< the input, for databases
    const ExportFormat &m_format;
    std::optional<NewFiles> m_files;  ///< none for a database on a server
    std::shared_ptr<Sink> m_sink;     ///< a queue, or m_recording
    std::shared_ptr<QueuedSink> m_queue;
    std::shared_ptr<RecordingWriter> m_recording;
    const std::shared_ptr<LatestInfo> m_latestInfo = std::make_shared<LatestInfo>();
    /// Relaxed: the thread of the sink reads it when the end of the stream has arrived there.
    const std::shared_ptr<std::atomic<bool>> m_isPart = std::make_shared<std::atomic<bool>>(false);
    Result<void> m_outcome;                  ///< of complete()
    std::atomic<bool> m_isOnServer = false;  ///< release in complete(), acquire in isOnServer()
    std::uint64_t m_written = 0;
    std::uint64_t m_causes = 0;
    std::string m_remark;                      ///< see FileSink::remark()
    std::atomic<bool> m_lacksPrinted = false;  ///< relaxed: read after the end of the reading
    std::vector<FileKey> m_keys;               ///< of the files, after commit()
    std::string m_failure;
    bool m_isReported = false;
};

}  // namespace ct
