// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A run: where the events come from, the process behind them, and how it ended. Lives on the GUI (or main) thread;
// the harvest runs on its own.
#pragma once

#include "core/harvest/harvestthread.h"
#include "core/session/targetprocess.h"
#include "core/trace/stream.h"

#include <QObject>
#include <QString>

#include <memory>
#include <optional>
#include <vector>

namespace ct {

struct CaptureSpec {
    std::uint32_t stations = 131072;
    std::string regionPath;  ///< empty: chosen
    std::string socketPath;  ///< empty: beside the region
};

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

    // Exactly one of these, once. On an error nothing was started and nothing is left behind.
    Result<void> launch(const CaptureSpec &capture, const LaunchSpec &target);
    Result<void> listen(const CaptureSpec &capture);
    Result<void> attach(const std::string &regionPath);

    SessionState state() const;
    EndReason endReason() const;
    Accounting accounting() const;
    const TargetProcess *target() const;  ///< nullptr unless launched
    TargetProcess *target();
    QString regionPath() const;
    QString socketPath() const;
    std::uint32_t stations() const;
    /// Empty, or what the user must know: "read-only: owned by process 123", a second-best place, ...
    QStringList notices() const;
    bool isObserver() const;
    bool regionLeftOver() const;  ///< after the end: the file was kept, see notices()

public Q_SLOTS:
    void stopCapture();      ///< drains and ends; the target goes on
    void terminateTarget();  ///< SIGTERM to its group, SIGKILL after 5 s; the capture ends when it has exited

Q_SIGNALS:
    void stateChanged(ct::SessionState state);
    void targetExited(const ct::ExitStatus &status);
    /// A target has run (or connected) for 3 s and no station was allocated.
    void nothingTraced();
    void sinkFailed(const QString &message);
    void noticeAdded(const QString &notice);
    void ended();

private:
    struct Data;
    std::unique_ptr<Data> m_data;
};

}  // namespace ct
