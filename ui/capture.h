// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a window shows: one capture (live, attached or read from a file), its trace, and the timer that makes the
// views look at it. GUI thread.
#pragma once

#include "core/fileending.h"
#include "core/recording/filegrowth.h"
#include "core/recording/recordinginfo.h"
#include "core/session/places.h"
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
class PlacesDriver;
class RunRecording;
class Recall;
class StreamPlaces;

class Capture : public QObject {
    Q_OBJECT
public:
    explicit Capture(QObject *parent = nullptr);
    ~Capture() override;  ///< stops the capture; leaves a running target alone

    /// Replaces what was captured before. On an error nothing has changed, and nothing was started.
    Result<void> start(const StartRequest &request);

    const std::shared_ptr<Population> &population() const { return m_population; }
    const std::shared_ptr<History> &history() const { return m_history; }
    /// What brings back events that the history has dropped; nullptr where nothing is recorded.
    Recall *recall() const { return m_recall.get(); }
    /// What the addresses of this run mean; nullptr before the first one.
    const std::shared_ptr<Places> &places() const { return m_places; }
    /// Where debug files are looked for, from now on.
    void setSymbolPlaces(const SymbolPlaces &places);
    /// Where the transitions are in the recording; nullptr: there is none.
    std::shared_ptr<const StreamPlaces> recorded() const;
    const RatesModel &rates() const { return m_rates; }
    /// nullptr unless live.
    Session *session() const { return m_session.get(); }
    bool isFile() const { return m_loader != nullptr; }
    /// The file was read to its end, or cannot be, and failed() or a notice said so.
    bool isLoaded() const { return m_loaded; }
    double fileProgress() const;
    /// A file that was still being written when it was opened, or standard input; also after its end.
    bool isFollowed() const;
    bool isInput() const { return m_input != nullptr; }  ///< standard input
    FileGrowth::Figures followFigures() const;
    ReplayGate *gate() const;  ///< of a replay; nullptr: this is none
    bool canReplay() const;    ///< of what is shown there is a recording, whole and completed
    /// The file that a replay reads: the one that is open, or the first of the recording of this run. Empty: none.
    std::string replayPath() const;
    const std::string &openedPath() const { return m_openedPath; }
    bool endedInOrder() const;  ///< at the end of a file
    /// At its end: what is shown is only a part, as the user wanted no more.
    bool isCutShort() const;
    /// Who was stuck when the end of the run was decided, before its target was ended; nullopt: it was not, or not yet.
    std::optional<RecordingInfo::Judged> judged() const;
    /// After a failed start(): the capture was ready, but the program could not be executed.
    bool targetFailedToStart() const { return m_targetFailed; }
    /// What is shown says when coroutines were destroyed.
    bool knowsDeaths() const;
    /// Of the file that is open: what it says of itself; nullptr: not known (yet).
    std::shared_ptr<const RecordingOverview> fileOverview() const;
    /// What a title shows: the target's or the file's name; empty = nothing was started.
    QString name() const { return m_name; }
    /// Waits for a target that is started elsewhere.
    bool isListening() const { return m_listening; }
    SessionState state() const;
    /// A launched target that has not exited yet.
    bool targetRuns() const;
    Accounting accounting() const;  ///< with what the trace did not keep
    /// ns, CLOCK_MONOTONIC, of the start of the run; of a recording, as soon as there is output. 0 = unknown.
    std::int64_t startedAt() const { return m_startedAt; }

    bool isPaused() const { return m_paused; }
    /// An owner of a living target can switch its tracing off and on.
    bool canSwitchTracing() const;
    bool isTracing() const;
    /// Of captures that are started from now on: how many events to keep in memory. 0 = a quarter of the machine's
    /// memory; no limit of time.
    void setKeep(std::uint64_t bytes, std::uint64_t ns);
    /// The same: where runs are recorded, and up to how many bytes each; nullopt: they are not. What goes wrong with it
    /// is a notice; the capture goes on.
    void setRecording(std::optional<RecordingPlace> place) { m_recordingPlace = std::move(place); }
    bool isRecorded() const { return m_recording != nullptr; }
    /// There is, or was, something at recordingPath() that is a recording.
    bool hasRecording() const { return isRecorded() || hasEnding(m_openedPath, ".ctr"); }
    /// Of this run, "…/2026-11-22T07.31.05-server.ctr": its files are ctr::segmentPath() of it. Or the file that was
    /// opened. Empty: there is none.
    std::string recordingPath() const;
    /// The same: of how many coroutines there can be records.
    void setMostCoroutines(std::uint32_t most) { m_mostCoroutines = most; }

public Q_SLOTS:
    /// Paused, the views stand still; capturing and accounting go on.
    void setPaused(bool paused);
    void setTracing(bool on);
    void stopCapture();
    void terminateTarget();

Q_SIGNALS:
    /// population() and history() are others now; the old ones live until this has returned.
    void traceChanged();
    void followed();  ///< isFollowed() has become true
    void sampled();   ///< about 30 times a second, not while paused
    void ticked();    ///< the same, also while paused
    void ratesChanged();
    void stateChanged(ct::SessionState state);
    void pausedChanged(bool paused);
    /// What the target wrote to its terminal, now or when it was recorded.
    void outputReady(const QByteArray &bytes, qint64 monotonicNs);
    void outputLeftOut(quint64 lines);  ///< there was more than can be shown
    void targetExited(const ct::ExitStatus &status, qint64 monotonicNs);
    void nothingTraced(const QString &why);
    void noticeAdded(const QString &notice);
    void failed(const QString &message);

private:
    struct Source;
    Result<void> begin(Source &source, const StartRequest &request);
    Result<void> beginLive(Source &source, const StartRequest &request);
    void record(Source &source, const StartRequest &request);
    void letGo();
    void watch(Session &session);
    void watch(FileLoader &loader);
    Result<void> beginInput(Source &source);
    Result<void> beginFile(Source &source, const std::string &path, std::shared_ptr<ReplayGate> gate = nullptr);
    Result<void> beginReplay(Source &source, const ReplayRequest &request);
    void onLoaded(FileLoader &loader);
    void takeOutput(FileLoader &loader);
    void tellExit(const FileLoader &loader);
    void tick();

    std::shared_ptr<Population> m_population;
    std::shared_ptr<History> m_history;
    std::unique_ptr<RunRecording> m_recording;  ///< of the session, and longer there
    std::unique_ptr<Recall> m_recall;
    std::shared_ptr<SymbolWorker> m_symbols = std::make_shared<SymbolWorker>();
    std::shared_ptr<Places> m_places;
    std::unique_ptr<Session> m_session;
    std::unique_ptr<PlacesDriver> m_driver;  ///< of the session
    std::unique_ptr<InputSpool> m_input;     ///< writes what
    std::unique_ptr<FileLoader> m_loader;    ///< this reads
    std::string m_openedPath;
    std::optional<RecordingPlace> m_recordingPlace;
    std::optional<RecordingInfo::Judged> m_judged;  ///< of the session
    bool m_targetFailed = false;
    bool m_stopAsked = false;  ///< of what is followed
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
