// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the launched target writes, with time stamps, and a line to write back.
#pragma once

#include "ui/outputlog.h"

#include <QDockWidget>

class QLineEdit;
class QPlainTextEdit;

namespace ct {

class OutputDock : public QDockWidget {
    Q_OBJECT
public:
    explicit OutputDock(QWidget *parent = nullptr);

    /// A new run began at this time (ns, CLOCK_MONOTONIC); `hasTarget`: it has a terminal of ours.
    void begin(std::int64_t origin, bool hasTarget);
    /// Times count from here, of what is shown from now on: a recording tells when its run began.
    void setOrigin(std::int64_t origin) { m_origin = origin; }
    void leaveOut(std::uint64_t lines) { m_log.skip(lines); }
    void append(const QByteArray &bytes, qint64 monotonicNs);
    /// The target has ended; `note` is written below its last line.
    void end(const QString &note, qint64 monotonicNs);
    /// Shows what has come since the last call; of very much, the next part.
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
