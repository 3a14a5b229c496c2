// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The content of a window: one capture (live, attached or read from a file), its trace, and the timer that updates the
// views. GUI thread.
#pragma once

#include "core/addresses/addressresolver.h"
#include "core/base/fileending.h"
#include "core/recording/format/recordinginfo.h"
#include "core/recording/read/filegrowth.h"
#include "core/session/recordingstore.h"
#include "core/session/startrequest.h"
#include "core/trace/history.h"
#include "core/trace/population.h"
#include "models/ratesmodel.h"

#include <QObject>
#include <QTimer>

#include <memory>
#include <optional>
#include <string>

namespace ct {

class FileLoader;
class InputSpool;
class ReplayGate;
struct RecordingOverview;
class ResolverDriver;
class RunRecording;
class HistoryRestorer;
class StreamIndex;

class Capture : public QObject {
    Q_OBJECT
public:
    explicit Capture(QObject *parent = nullptr);
    ~Capture() override;  ///< stops the capture; does not end a running target

    /// Starts a capture that replaces the present one. On an error nothing changes, and nothing is started.
    Result<void> start(const StartRequest &request);

    const std::shared_ptr<Population> &population() const { return m_population; }
    const std::shared_ptr<History> &history() const { return m_history; }
    /// Restores evicted events from the recording; nullptr if there is no recording.
    HistoryRestorer *restorer() const { return m_historyRestorer.get(); }
    /// Resolves the addresses of this run; nullptr before the first run.
    const std::shared_ptr<AddressResolver> &resolver() const { return m_resolver; }
    /// Sets the debug search path, also for the present run.
    void setDebugSearchPath(const DebugSearchPath &searchPath);
    /// The index of the transitions in the recording; nullptr if there is no recording.
    std::shared_ptr<const StreamIndex> recorded() const;
    const RatesModel &rates() const { return m_rates; }
    /// The live session; nullptr for a file.
    Session *session() const { return m_session.get(); }
    bool isFile() const { return m_loader != nullptr; }
    /// True if the file was read to its end, or cannot be read. In that case failed() or a notice has reported the
    /// error.
    bool isLoaded() const { return m_loaded; }
    double fileProgress() const;
    /// True for standard input, and for a file that was still being written when it was opened. Stays true after the
    /// end.
    bool isFollowed() const;
    bool isInput() const { return m_input != nullptr; }  ///< the run comes from standard input
    FileGrowth::Figures followFigures() const;
    ReplayGate *gate() const;  ///< nullptr unless this is a replay
    bool canReplay() const;    ///< the run has ended, is neither cut short nor a replay, and has a file to read
    /// The file that a replay reads: the open file, or the first file of this run's recording. Empty if there is none.
    std::string replayPath() const;
    const std::string &openedPath() const { return m_openedPath; }
    bool endedInOrder() const;  ///< the file was read, and its recording is complete
    /// True at the end of loading if the user stopped it, so that only a part is shown.
    bool isCutShort() const;
    /// The number of stuck coroutines when the user terminated the target, or as the open file states it. nullopt if
    /// that was not judged.
    std::optional<RecordingInfo::Judged> judged() const;
    /// After a failed start(): true if the capture was ready, but the program could not be executed.
    bool targetFailedToStart() const { return m_targetFailed; }
    /// True if the shown run states when coroutines were destroyed.
    bool knowsDeaths() const;
    /// The overview of the open file; nullptr if not known (yet).
    std::shared_ptr<const RecordingOverview> fileOverview() const;
    /// The title: the name of the target or the file; empty if nothing was started.
    QString name() const { return m_name; }
    /// True if the run waits, or waited, for a target started elsewhere.
    bool isListening() const { return m_listening; }
    SessionState state() const;
    /// True if a launched target has not exited yet.
    bool targetRuns() const;
    Accounting accounting() const;  ///< includes the overflow of the trace
    /// ns, CLOCK_MONOTONIC, of the start of the run; 0 = unknown. For a file it is known once output or an exit was
    /// read.
    std::int64_t startedAt() const { return m_startedAt; }

    bool isPaused() const { return m_paused; }
    /// True if the session can switch the tracing of a live target off and on.
    bool canSwitchTracing() const;
    bool isTracing() const;
    /// Sets how much of later captures stays in memory: bytes, and ns for live captures. 0 bytes = a quarter of the
    /// machine's memory; 0 ns = no time limit.
    void setKeep(std::uint64_t bytes, std::uint64_t ns);
    /// Sets the folder in which later runs are recorded and the size limit of a run; nullopt = do not record. A
    /// recording error becomes a notice, and the capture continues.
    void setRecording(std::optional<RecordingFolder> folder) { m_recordingFolder = std::move(folder); }
    bool isRecorded() const { return m_recording != nullptr; }
    /// True if recordingPath() names a native recording, even if it no longer exists.
    bool hasRecording() const { return isRecorded() || hasEnding(m_openedPath, ".ctr"); }
    /// The recording of this run, "…/2026-11-22T07.31.05-server.ctr", whose files are named by ctr::segmentPath(). Else
    /// the opened file. Empty if there is none.
    std::string recordingPath() const;
    /// Sets the most coroutines that the trace of a later capture can have.
    void setMostCoroutines(std::uint32_t most) { m_mostCoroutines = most; }

public Q_SLOTS:
    /// While paused, the views stand still; capturing and accounting continue.
    void setPaused(bool paused);
    void setTracing(bool on);
    void stopCapture();
    void terminateTarget();

Q_SIGNALS:
    /// population() and history() were replaced. The old ones exist until this signal has returned.
    void traceChanged();
    void followed();  ///< isFollowed() became true
    void sampled();   ///< about 30 times a second, not while paused
    void ticked();    ///< about 30 times a second, also while paused
    void ratesChanged();
    void stateChanged(ct::SessionState state);
    void pausedChanged(bool paused);
    /// Output of the target's terminal, with the time of its capture (ns, CLOCK_MONOTONIC).
    void outputReady(const QByteArray &bytes, qint64 monotonicNs);
    void outputLeftOut(quint64 lines);  ///< lines were discarded, because there were too many to show
    void targetExited(const ct::ExitStatus &status, qint64 monotonicNs);
    void nothingTraced(const QString &why);
    void noticeAdded(const QString &notice);
    void failed(const QString &message);

private:
    struct Source;
    Result<void> begin(Source &source, const StartRequest &request);
    Result<void> beginLive(Source &source, const StartRequest &request);
    void record(Source &source, const StartRequest &request);
    void endRecording();
    void watch(Session &session);
    void watch(FileLoader &loader);
    Result<void> beginInput(Source &source);
    Result<void> beginFile(Source &source, const std::string &path, std::shared_ptr<ReplayGate> gate = nullptr);
    Result<void> beginReplay(Source &source, const ReplayRequest &request);
    void onLoaded(FileLoader &loader);
    void takeOutput(FileLoader &loader);
    void reportExit(const FileLoader &loader);
    void tick();

    std::shared_ptr<Population> m_population;
    std::shared_ptr<History> m_history;
    std::unique_ptr<RunRecording> m_recording;  ///< recording of the session; outlives it
    std::unique_ptr<HistoryRestorer> m_historyRestorer;
    std::shared_ptr<SymbolWorker> m_symbols = std::make_shared<SymbolWorker>();
    std::shared_ptr<AddressResolver> m_resolver;
    std::unique_ptr<Session> m_session;
    std::unique_ptr<ResolverDriver> m_driver;  ///< of the session; destroyed before it
    std::unique_ptr<InputSpool> m_input;       ///< writes standard input to a file
    std::unique_ptr<FileLoader> m_loader;      ///< reads the open file, or the file of m_input
    std::string m_openedPath;
    std::optional<RecordingFolder> m_recordingFolder;
    std::optional<RecordingInfo::Judged> m_judged;  ///< the judgement of the session
    bool m_targetFailed = false;
    bool m_stopAsked = false;  ///< the user stopped following
    bool m_loaded = false;
    RatesModel m_rates;
    QString m_name;
    std::int64_t m_startedAt = 0;
    bool m_listening = false;
    bool m_paused = false;
    std::uint64_t m_keepBytes = 0;
    std::uint64_t m_keepNs = 0;
    std::uint32_t m_mostCoroutines = Population::kMostCoroutines;
    QTimer m_timer;
};

}  // namespace ct
