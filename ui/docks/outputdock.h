// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The output of the launched target with time stamps, and a line for its input.
#pragma once

#include "ui/format/outputlog.h"

#include <QDockWidget>

class QLineEdit;
class QPlainTextEdit;

namespace ct {

class OutputDock : public QDockWidget {
    Q_OBJECT
public:
    explicit OutputDock(QWidget *parent = nullptr);

    /// Clears the dock for a new run that began at `origin` (ns, CLOCK_MONOTONIC). `hasTarget`: the target runs in our
    /// terminal.
    void beginRun(std::int64_t origin, bool hasTarget);
    /// Sets the origin of the times shown from now on (ns, CLOCK_MONOTONIC). A recording states it only later.
    void setOrigin(std::int64_t origin) { m_origin = origin; }
    void leaveOut(std::uint64_t lines) { m_log.skip(lines); }
    void append(const QByteArray &bytes, qint64 monotonicNs);
    /// Call when the target has exited. Writes `note` below its last line.
    void showExit(const QString &note, qint64 monotonicNs);
    /// Shows new lines, at most 500 per call.
    void sample();

Q_SIGNALS:
    void inputEntered(const QByteArray &line);

private:
    void show(const OutputLine &line);

    OutputLog m_log;
    std::int64_t m_origin = 0;
    std::uint64_t m_skippedShown = 0;
    QPlainTextEdit *m_text;
    QLineEdit *m_input;
};

}  // namespace ct
