// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A run: where the events come from, the process behind them, and how it ended. Lives on the GUI (or main) thread;
// the harvest runs on its own.
#pragma once

#include "core/harvest/harvestthread.h"
#include "core/session/capturespec.h"
#include "core/session/targetprocess.h"
#include "core/trace/stream.h"

#include <QObject>
#include <QString>

#include <memory>
#include <optional>
#include <vector>

namespace ct {

struct RegionUser;

enum class SessionState {
    Idle,
    Waiting,  ///< capturing, but no coroutine was seen yet
    Capturing,
    Draining,
    Ended,
};

enum class EndReason { None, TargetExited, Stopped, Terminated };

class Session : public QObject {
    Q_OBJECT
public:
    explicit Session(QObject *parent = nullptr);
    ~Session() override;  ///< stops the capture; leaves a running target alone

    /// Sinks get the stream on the harvest thread. Call before one of the starts.
    void addSink(std::shared_ptr<Sink> sink);

    // Exactly one of these, once. On an error nothing was started and nothing is left behind. ended() comes later,
    // never from within.
    Result<void> launch(const CaptureSpec &capture, const LaunchSpec &target);
    Result<void> listen(const CaptureSpec &capture);
    Result<void> attach(const std::string &regionPath);

    SessionState state() const;
    EndReason endReason() const;
    /// After a failed launch(): the capture was ready, but the program could not be executed.
    bool targetFailedToStart() const;
    Accounting accounting() const;
    /// What accounting() reads; for those who may outlive the session.
    std::shared_ptr<const LatestSums> sums() const;
    const TargetProcess *target() const;  ///< nullptr unless launched
    TargetProcess *target();
    QString regionPath() const;
    QString socketPath() const;
    std::uint32_t stations() const;
    /// Empty, or what the user must know: "read-only: owned by process 123", a second-best place, ...
    QStringList notices() const;
    bool isObserver() const;
    bool isPostMortem() const;    ///< attached to a region that no process maps any more
    bool regionLeftOver() const;  ///< after the end: the file was kept, see notices()
    /// Processes seen to map the region, kept up to date until the session drains.
    std::vector<pid_t> targetPids() const;
    /// The process of coroutines that do not say theirs (version 1), of those that map the region: the launched one, or
    /// else the only one; 0 = nobody can tell.
    pid_t targetPid() const;
    /// How long a target may run untraced before nothingTraced(); for tests. Call before a start.
    void setNothingTracedDelay(int milliseconds);

    /// An owner can switch tracing off and on in targets that use this project's probe.
    bool canPause() const;
    bool isPaused() const;

public Q_SLOTS:
    void setPaused(bool paused);
    void stopCapture();      ///< drains and ends; the target goes on
    void terminateTarget();  ///< SIGTERM to its group, SIGKILL after 5 s; the capture ends when it has exited

Q_SIGNALS:
    void stateChanged(ct::SessionState state);
    void targetExited(const ct::ExitStatus &status);
    /// A launched target has run (another has been connected) for 3 s, or has exited, and no station was allocated.
    /// `why`: the likely cause, one sentence.
    void nothingTraced(const QString &why);
    /// A process that writes into the region has come.
    void targetSeen(int pid);
    /// The same, gone: where we listen, or are attached. What was launched is told of by targetExited().
    void targetGone(int pid);
    void sinkFailed(const QString &message);
    /// The region can no longer be read; also among the notices.
    void captureFailed(const QString &message);
    void noticeAdded(const QString &notice);
    void ended();

private:
    Result<void> startHarvest(const std::string &socketPath);
    void setState(SessionState state);
    void addNotice(const QString &notice);
    void beginWatching(const std::vector<pid_t> &targets);
    void armNothingTraced();
    void sayNothingTraced();
    void checkProgress();
    void sayShortages(const Accounting &sums);
    void onNobodyFound();
    void sayMayBeInUse(const RegionUser &user);
    void onTargetExited(const ExitStatus &status);
    void awaitGroup();
    void drain(EndReason reason);
    void onHarvestEnded();
    void settleRegion();

    struct Data;
    std::unique_ptr<Data> m_data;
};

}  // namespace ct
