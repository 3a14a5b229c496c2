// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Counts down the events that still wait for the outputs when the capture is over. Gives them up on request.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QTimer>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace ct {

class QueuedSink;

/// Main thread. The queue is written on a thread of its own.
class Backlog final : public QObject {
    Q_OBJECT
public:
    /// `name`: the outputs, for messages. `undecoded`: number of events that were collected but not decoded yet.
    Backlog(std::vector<std::shared_ptr<QueuedSink>> queues, std::function<std::uint64_t()> undecoded, QString name,
            QObject *parent = nullptr);

    /// Call it when the capture is over. `bySignal`: a signal ended it.
    void beginReporting(bool bySignal);
    bool hasBegun() const { return m_begun; }
    /// Handles a signal that asks for the end. Each one goes a step further: reports the queued events, gives them up,
    /// warns, emits endWanted(). Call it only after beginReporting().
    void onSignal();

    /// Reports the progress, `ms` after beginReporting(). For the timer and for tests.
    void check(qint64 ms);

Q_SIGNALS:
    void reported(const QString &message);
    void left(const QString &line);  ///< the present state, often
    void endWanted();                ///< the program must end at once, even in the middle of a write

private:
    void reportPending();
    QString pendingText() const;
    std::uint64_t pending() const;

    const std::vector<std::shared_ptr<QueuedSink>> m_queues;
    const std::function<std::uint64_t()> m_undecoded;
    const QString m_name;
    QTimer m_timer;
    QElapsedTimer m_clock;
    qint64 m_reportedAt = 0;  ///< ms after beginReporting()
    bool m_begun = false;
    bool m_bySignal = false;
    bool m_reportedPending = false;
    bool m_givenUp = false;
    bool m_warned = false;
};

}  // namespace ct
