// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The live part of a run: region, target and harvest, and how it ended. Lives on the GUI (or main) thread; the harvest
// runs on a thread of its own.
#pragma once

#include "core/harvest/harvestthread.h"
#include "core/session/capturespec.h"
#include "core/stream/stream.h"
#include "core/target/targetprocess.h"

#include <QObject>
#include <QString>

#include <memory>
#include <optional>
#include <vector>

namespace ct {

struct RegionUser;

enum class SessionState {
    Idle,
    Waiting,  ///< capturing, but no coroutine was discovered yet
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

    /// Sinks get the stream on the harvest thread. Call it before a start.
    void addSink(std::shared_ptr<Sink> sink);

    // Call exactly one of these, once. After an error, nothing is running and nothing is left behind. ended() is
    // emitted later, never from within a call.
    Result<void> launch(const CaptureSpec &capture, const LaunchSpec &target);
    Result<void> listen(const CaptureSpec &capture);
    Result<void> attach(const std::string &regionPath);

    SessionState state() const;
    EndReason endReason() const;
    /// After a failed launch(): the capture was ready, but the program could not be executed.
    bool targetFailedToStart() const;
    Accounting accounting() const;
    /// The source of accounting(), for objects that may outlive the session.
    std::shared_ptr<const LatestSums> sums() const;
    const TargetProcess *target() const;  ///< nullptr unless launched
    TargetProcess *target();
    QString regionPath() const;
    QString socketPath() const;
    std::uint32_t stations() const;
    /// Messages for the user, such as "read-only: owned by process 123" or the warning about a second-best directory.
    QStringList notices() const;
    bool isObserver() const;
    bool isPostMortem() const;    ///< attached to a region that no process maps any more
    bool regionLeftOver() const;  ///< after the end: the file was kept, see notices()
    /// Processes that map the region; updated until the session drains.
    std::vector<pid_t> targetPids() const;
    /// Process of version-1 coroutines, which do not publish theirs. It is a process that maps the region: the launched
    /// one, else the only one; 0 = unknown.
    pid_t targetPid() const;
    /// Sets how long a target may run untraced before nothingTraced(), for tests. Call it before a start.
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
    /// Emitted once, if no station is allocated 3 s after the launch, or after the first connection when listening.
    /// Also if a launched target exits earlier without one. `why`: the likely cause, one sentence.
    void nothingTraced(const QString &why);
    /// A process that writes into the region was discovered.
    void targetSeen(int pid);
    /// Such a process has gone. Not emitted after launch(), where targetExited() reports the end.
    void targetGone(int pid);
    void sinkFailed(const QString &message);
    /// The region can no longer be read. The message is also among the notices.
    void captureFailed(const QString &message);
    void noticeAdded(const QString &notice);
    void ended();

private:
    Result<void> startHarvest(const std::string &socketPath);
    void setState(SessionState state);
    void addNotice(const QString &notice);
    void beginWatching(const std::vector<pid_t> &targets);
    void armNothingTraced();
    void reportNothingTraced();
    void checkProgress();
    void reportShortages(const Accounting &sums);
    void onNoneFound();
    void reportMayBeInUse(const RegionUser &user);
    void onTargetExited(const ExitStatus &status);
    void awaitGroup();
    void drain(EndReason reason);
    void onHarvestEnded();
    void settleRegion();

    struct Data;
    std::unique_ptr<Data> m_data;
};

}  // namespace ct
