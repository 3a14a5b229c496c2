// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the output file has yet to get when the capture is over: said, counted down, and given up when somebody asks.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QTimer>

#include <cstdint>
#include <memory>

namespace ct {

class QueuedSink;

/// Main thread; the queue is written on its own.
class Backlog final : public QObject {
    Q_OBJECT
public:
    /// `name`: of the file, for people.
    Backlog(std::shared_ptr<QueuedSink> queue, QString name, QObject *parent = nullptr);

    /// The capture is over, `bySignal` or otherwise.
    void begin(bool bySignal);
    bool hasBegun() const { return m_begun; }
    /// Somebody wants the end: answers, then gives up what is queued, then asks for an end at once. Only after begin().
    void onSignal();

    /// How it stands, so many ms after the beginning. The timer's, and for tests.
    void look(qint64 ms);

Q_SIGNALS:
    void said(const QString &message);
    void left(const QString &line);  ///< how it stands at present, often
    void endWanted();                ///< whatever is still at work

private:
    void sayPending();
    QString pendingText() const;

    std::shared_ptr<QueuedSink> m_queue;
    const QString m_name;
    QTimer m_timer;
    QElapsedTimer m_clock;
    qint64 m_saidAt = 0;  ///< ms
    bool m_begun = false;
    bool m_bySignal = false;
    bool m_saidPending = false;
    bool m_givenUp = false;
    bool m_warned = false;
};

}  // namespace ct
