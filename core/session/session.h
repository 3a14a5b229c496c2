// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The source of a live run: region, target and harvest, and how it ended. Lives on the GUI (or main) thread; the
// harvest runs on a thread of its own.
#pragma once

#include "core/harvestthread/harvestthread.h"
#include "core/session/source.h"
#include "core/session/startrequest.h"

#include <QString>
#include <QStringList>

#include <memory>
#include <optional>
#include <vector>

namespace ct {

struct RegionUser;

enum class EndReason { None, TargetExited, Stopped, Terminated };

class Session final : public Source {
    Q_OBJECT
public:
    /// For a LaunchSpec, a ListenRequest or an AttachRequest.
    explicit Session(const StartRequest &request = {});
    ~Session() override;  ///< stops the capture; leaves a running target alone

    void addSink(std::shared_ptr<Sink> sink) override;
    /// Fails with CannotExecute if the capture was ready, but the program could not be executed.
    Result<void> start() override;
    /// As start(), for another request than the constructor's.
    Result<void> start(const StartRequest &request);
    void stop() override;
    RunState state() const override;
    EndReason endReason() const;
    Accounting accounting() const override;
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
    /// Adds finishes that the engine has found to the stream of the run. Any thread.
    void addFinishes(const std::vector<Finish> &finishes);
    /// Sets how long a target may run untraced before nothingTraced(), for tests. Call it before a start.
    void setNothingTracedDelay(int milliseconds);

    /// An owner can switch tracing off and on in targets that use this project's probe.
    bool canPause() const;
    bool isPaused() const;

public Q_SLOTS:
    void setPaused(bool paused);
    void requestTime();      ///< as HarvestThread::requestTime(); no effect before and after the capture
    void terminateTarget();  ///< SIGTERM to its group, SIGKILL after 5 s; the capture ends when it has exited

Q_SIGNALS:
    /// Emitted once, if no station is allocated 3 s after the launch, or after the first connection when listening.
    /// Also if a launched target exits earlier without one. `why`: the likely cause, one sentence.
    void nothingTraced(const QString &why);
    /// Emitted every 100 ms while there are events, and more rarely while there are none. A good moment to look for
    /// work.
    void progressChecked();
    /// A process that writes into the region was discovered.
    void targetDiscovered(int pid);
    /// A discovered process has ended. Not emitted after launch(), where targetExited() reports the end.
    void targetEnded(int pid);
    void sinkFailed(const QString &message);
    /// The region can no longer be read. The message is also among the notices.
    void captureFailed(const QString &message);
    void ended();

private:
    Result<void> launch(const CaptureSpec &capture, const LaunchSpec &target);
    Result<void> listen(const CaptureSpec &capture);
    Result<void> attach(const std::string &regionPath);
    Result<void> startHarvest(const std::string &socketPath);
    void setState(RunState state);
    void addNotice(const QString &notice);
    void beginWatching(const std::vector<pid_t> &targets);
    void targetCame();
    std::optional<QString> whyNothingIsTraced() const;
    void checkProgress();
    void reportShortages(const Accounting &sums);
    void setLimited(bool isTracing);
    void onNoneFound();
    void reportMayBeInUse(const RegionUser &user);
    void drain(EndReason reason);
    void onHarvestEnded();
    void closeRegion();

    struct Data;
    std::unique_ptr<Data> m_data;
};

}  // namespace ct
