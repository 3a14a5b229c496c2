// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A source emits the decoded stream of one run into sinks: a live region (Session), or a recording in any format that
// is loaded, followed or replayed (RecordedSource).
// See docs/decisions/0021-one-way-in.md.
#pragma once

#include "core/base/result.h"
#include "core/stream/stream.h"
#include "core/target/targetprocess.h"

#include <QByteArray>
#include <QObject>
#include <QString>

#include <cstdint>
#include <memory>

namespace ct {

class RecordedSource;
class Session;
struct StartRequest;

enum class RunState {
    Idle,
    Waiting,    ///< capturing, but no coroutine was discovered yet
    Capturing,  ///< capturing a region, or loading, following or replaying a recording
    Draining,
    Ended,
};

/// Lives on the thread that created it; the stream is emitted on a thread of its own. Destroying a source stops it, and
/// leaves a launched target alone.
class Source : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    /// Adds a sink, which gets the stream on the source's thread. Call it before start().
    virtual void addSink(std::shared_ptr<Sink> sink) = 0;
    /// Starts the run. Call it once. After an error, nothing is running and nothing is left behind. Signals about the
    /// run are emitted later, never from within the call.
    virtual Result<void> start() = 0;
    /// Ends the run early. A live source first emits everything that was captured, a growing recording everything that
    /// has been written by now. Loading a complete recording is cut short. A launched target continues.
    virtual void stop() = 0;

    virtual RunState state() const = 0;
    virtual Accounting accounting() const = 0;

Q_SIGNALS:
    void stateChanged(ct::RunState state);
    /// Output of the target's terminal, with the time of its capture (ns, CLOCK_MONOTONIC).
    void outputReady(const QByteArray &bytes, qint64 monotonicNs);
    /// Lines of output were discarded, because there were too many to show.
    void outputLeftOut(quint64 lines);
    void targetExited(const ct::ExitStatus &status, qint64 monotonicNs);
    void noticeAdded(const QString &notice);
};

/// A source that is not started yet: sinks, a recording and a resolver can be added to it first. Exactly one of `live`
/// and `recorded` is set, and points to `source`.
struct OpenedSource {
    std::unique_ptr<Source> source;
    Session *live = nullptr;
    RecordedSource *recorded = nullptr;
};

/// Returns the source that the request asks for. The request must not be empty.
OpenedSource openSource(const StartRequest &request);

}  // namespace ct
