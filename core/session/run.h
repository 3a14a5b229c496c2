// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// One run with everything that belongs to it: the source, the trace in memory, the recording of a live run, and the
// resolver of its addresses. A run is replaced as a whole when another one begins.
#pragma once

#include "core/addresses/addressresolver.h"
#include "core/analysis/thresholds.h"
#include "core/recording/format/recordinginfo.h"
#include "core/session/recordedsource.h"
#include "core/session/recordingsdirectory.h"
#include "core/session/session.h"
#include "core/target/tracinginstructions.h"
#include "core/trace/history.h"
#include "core/trace/population.h"

#include <QObject>
#include <QStringList>

#include <memory>
#include <optional>
#include <string>

namespace ct {

class HistoryRestorer;
class ResolverDriver;
class RunJudge;
class WindowRecording;
class StreamIndex;

struct RunSettings {
    std::uint64_t keepBytes = 0;  ///< memory for the trace; 0 = a quarter of the machine's memory
    std::uint64_t keepNs = 0;     ///< time of a live run that stays in memory; 0 = no limit
    std::uint32_t mostCoroutines = Population::kMostCoroutines;  ///< most coroutines that the trace can have
    std::optional<RecordingFolder> recordingFolder;              ///< nullopt: a live run is not recorded
    std::shared_ptr<SymbolWorker> symbols;                       ///< not null; outlives the run, to keep its cache
    Thresholds thresholds{};                                     ///< of the rules
};

/// Lives on the GUI thread.
class Run final : public QObject {
    Q_OBJECT
public:
    Run();            ///< no run: the state is Idle, and there is no trace
    ~Run() override;  ///< ends the recording and stops the source; does not end a running target

    /// Starts a run. After an error, nothing is running and nothing is left behind. A failure to record the run is a
    /// notice. The request must not be empty.
    static Result<std::unique_ptr<Run>> start(const StartRequest &request, const RunSettings &settings);

    RunKind kind() const { return m_kind; }
    RunState state() const;
    /// The title: the name of the target or of the file; empty without a run.
    const QString &name() const { return m_name; }
    Accounting accounting() const;  ///< includes the overflow of the trace
    /// ns, CLOCK_MONOTONIC, of the start of the run; 0 = unknown. For a recording it is known once output or an exit
    /// was read.
    std::int64_t startedAt() const;
    /// CLOCK_REALTIME minus CLOCK_MONOTONIC of the run, ns; 0 = unknown.
    std::int64_t wallClock() const;
    /// Notices from the start, for the user.
    QStringList notices() const;

    // The trace. nullptr without a run.
    const std::shared_ptr<Population> &population() const { return m_population; }
    const std::shared_ptr<History> &history() const { return m_history; }
    const std::shared_ptr<AddressResolver> &resolver() const { return m_resolver; }
    /// Restores evicted events from the recording; nullptr if there is no recording.
    HistoryRestorer *restorer() const { return m_restorer.get(); }
    /// The index of the transitions in the recording; nullptr if there is no recording.
    std::shared_ptr<const StreamIndex> streamIndex() const;

    /// True if the run reads a recording; false if it captures a region.
    bool readsRecording() const { return ct::readsRecording(m_kind); }
    bool isReplay() const { return m_kind == RunKind::Replay; }
    /// True for a recording that was opened, but is not replayed.
    bool isOpened() const { return m_kind == RunKind::File || m_kind == RunKind::Input; }
    /// True for a recording that is still being written, or was when it was opened.
    bool isGrowing() const { return m_recorded && m_recorded->isGrowing(); }
    /// True while a complete recording is being loaded.
    bool isLoading() const;
    /// True if all of the run was over when it was opened: a complete recording, or a post-mortem region.
    bool isPast() const;
    /// True if the user stopped the loading of a recording, so that only a part of the run is shown.
    bool isCutShort() const;
    /// True if not all of a recording was read: its reading lasts on, was stopped, or has failed.
    bool isPart() const;
    /// True if the run states when coroutines were destroyed. JSONL of other programs does not.
    bool knowsDeaths() const;
    /// True if there is a trace in memory, which can be exported and dumped.
    bool canExport() const { return m_population != nullptr; }
    /// True if the run has ended, is complete, is no replay, and has a file to read again.
    bool canReplay() const;
    /// The file that a replay reads: the open file, or the first file of this run's recording. Empty if there is none.
    std::string replayPath() const;

    /// True if a live run is being recorded, or was.
    bool isBeingRecorded() const { return m_recording != nullptr; }
    /// True if recordingPath() names a native recording, even if it no longer exists.
    bool hasRecording() const;
    /// The recording of this run, "…/2026-11-22T07.31.05-server.ctr", whose files are named by ctr::segmentPath(). Else
    /// the opened file. Empty if there is none.
    std::string recordingPath() const;
    /// Judges the run. nullptr without a run. A replay is judged at the moment that it shows.
    RunJudge *judge() const { return m_judge.get(); }
    /// Starts a judgement if one is due. Call it often.
    void sampleJudge();

    // Only for a live run.
    /// The environment in which a target finds the region.
    TracedEnvironment environment() const;
    /// True if another engine owns the region, so this one only reads it.
    bool isObserver() const { return m_live && m_live->isObserver(); }
    /// True if a launched target has not exited yet.
    bool targetRuns() const;
    /// Process id of the launched target, which leads a process group; 0 unless targetRuns().
    pid_t launchedPid() const;
    /// Writes to the terminal of the target, if targetRuns().
    void writeInput(const QByteArray &bytes);
    /// True if the tracing of the target can be switched off and on.
    bool canSwitchTracing() const;
    bool isTracing() const;

    // Only for a recording.
    double progress() const { return m_recorded->progress(); }  ///< 0..1
    FileGrowth::Figures growth() const { return m_recorded->growth(); }
    /// The contents of the recording; nullptr if not known (yet), and for a live run.
    /// What the recording or the session says about its run, as far as it was read; empty for a live run.
    RecordingInfo recordedInfo() const { return m_recorded ? m_recorded->info() : RecordingInfo(); }
    std::shared_ptr<const RecordingOverview> overview() const { return m_recorded ? m_recorded->overview() : nullptr; }
    /// How the reading ended. Valid once the state is Ended.
    ReadingEnd readingEnd() const { return m_recorded->readingEnd(); }
    /// The gate of a replay; nullptr for other runs.
    ReplayGate *gate() const { return m_recorded ? m_recorded->gate() : nullptr; }

    /// Terminates the launched target. The run is judged at this instant.
    void terminateTarget();
    void setTracing(bool on);
    void stop();

Q_SIGNALS:
    void stateChanged(ct::RunState state);
    void grows();         ///< isGrowing() has become true
    void readingEnded();  ///< see RecordedSource
    void outputReady(const QByteArray &bytes, qint64 monotonicNs);
    void outputLeftOut(quint64 lines);
    void targetExited(const ct::ExitStatus &status, qint64 monotonicNs);
    void nothingTraced(const QString &why);
    void noticeAdded(const QString &notice);
    /// A sink failed, which ends its part of the run.
    void failed(const QString &message);

private:
    void makeTrace(const RunSettings &settings);
    void connectSource();
    void record(const StartRequest &request, const RunSettings &settings);
    Result<void> startWith(const StartRequest &request, const RunSettings &settings);

    RunKind m_kind = RunKind::None;
    QString m_name;
    QStringList m_notices;  ///< notices of the start, without those of the source
    std::int64_t m_startedAt = 0;
    std::shared_ptr<Population> m_population;
    std::shared_ptr<History> m_history;
    std::unique_ptr<WindowRecording> m_recording;  ///< null unless the run is live and recorded; outlives the source
    std::unique_ptr<HistoryRestorer> m_restorer;
    std::shared_ptr<AddressResolver> m_resolver;
    std::unique_ptr<Source> m_source;
    Session *m_live = nullptr;                 ///< m_source, if it is live
    RecordedSource *m_recorded = nullptr;      ///< m_source, if it is not
    std::unique_ptr<ResolverDriver> m_driver;  ///< drives the session's resolver; destroyed before the session
    std::unique_ptr<RunJudge> m_judge;
};

}  // namespace ct
