// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Shows the progress of a job that writes a file or a session in the status bar: per cent, rows per second, the time
// left, and a Cancel button. One job at a time.
#pragma once

#include "ui/jobs/backgroundjob.h"

#include <QElapsedTimer>
#include <QWidget>

#include <functional>
#include <memory>

class QLabel;
class QProgressBar;
class QTimer;

namespace ct {

class JobBar : public QWidget {
    Q_OBJECT
public:
    /// `name` is the prefix of the object names: "export" gives "exportBar" and "exportCancel". `cancelText` is the
    /// tooltip of the button.
    JobBar(const QString &name, const QString &cancelText, QWidget *parent = nullptr);

    /// Starts a job; only if none is running. `text` describes the job. Calls `done` after the job has succeeded; the
    /// job lives until `done` returns. If the system refuses the thread, destroys the job and emits failed() before it
    /// returns.
    void start(std::unique_ptr<BackgroundJob> job, const QString &text, std::function<void()> done);
    bool isRunning() const { return m_job != nullptr; }
    /// The description of the job: "Saving run.ctr".
    QString text() const;
    /// What the job writes; empty if none is running.
    QString path() const { return m_job ? m_job->path() : QString(); }
    /// Cancels and destroys the job. Waits for it, some milliseconds; the incomplete file is removed. Does not call
    /// `done` or emit a signal.
    void giveUp();

public Q_SLOTS:
    void cancel();

Q_SIGNALS:
    void ended();  ///< in any way but giveUp()
    void failed(const QString &message);
    /// The user has cancelled the job. `message`: what it leaves, such as a session that the server may have stored.
    void cancelled(const QString &message);

private:
    void finish();
    void showProgress();

    std::unique_ptr<BackgroundJob> m_job;
    std::function<void()> m_done;
    QString m_text;
    QLabel *m_label;
    QLabel *m_rate;  ///< rows per second and the time left
    QProgressBar *m_progress;
    QTimer *m_timer;
    QElapsedTimer m_since;
};

}  // namespace ct
