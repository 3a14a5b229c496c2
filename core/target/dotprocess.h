// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Runs `dot` (Graphviz) as a process, with a time limit. Its library is not linked: its licence does not go with the
// GPL, and a hostile graph can only take time.
// See docs/decisions/0032-dot-as-a-process.md.
#pragma once

#include <QByteArray>
#include <QObject>
#include <QProcess>
#include <QTimer>

namespace ct {

class DotProcess final : public QObject {
    Q_OBJECT
public:
    static constexpr int kMostMs = 10'000;

    explicit DotProcess(QObject *parent = nullptr);
    ~DotProcess() override;  ///< kills the process

    static bool isInstalled();
    /// Starts `dot -Tplain` with this input. A process that still runs is cancelled first. finished() follows in a
    /// later event.
    void start(const QByteArray &input, int mostMs = kMostMs);
    /// Kills the process; finished() does not follow.
    void cancel();
    bool isRunning() const { return m_isRunning; }

Q_SIGNALS:
    /// The output; empty if dot is not installed, failed, or exceeded its time.
    void finished(const QByteArray &output);

private:
    void end(bool succeeded);

    QProcess m_process;
    QTimer m_limit;
    bool m_isRunning = false;
};

}  // namespace ct
