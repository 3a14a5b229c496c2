// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Progress of something that writes a file, in the status bar, with Cancel. One job at a time.
#pragma once

#include "ui/backgroundjob.h"

#include <QWidget>

#include <functional>
#include <memory>

class QLabel;
class QProgressBar;
class QTimer;

namespace ct {

class ExportBar : public QWidget {
    Q_OBJECT
public:
    /// `name`: "export" makes this "exportBar" and its button "exportCancel". `cancelText`: what that says.
    ExportBar(const QString &name, const QString &cancelText, QWidget *parent = nullptr);

    /// While none is running. `text`: what goes on. `done` is called once the job has succeeded; the job lives until it
    /// returns. Without a thread the job is destroyed, and failed() comes from within.
    void start(std::unique_ptr<BackgroundJob> job, const QString &text, std::function<void()> done);
    bool isRunning() const { return m_job != nullptr; }
    /// Of what is running: "Saving run.ctr".
    QString text() const;
    /// Cancels it and waits, some milliseconds: nothing is left of it.
    void giveUp();

public Q_SLOTS:
    void cancel();

Q_SIGNALS:
    void failed(const QString &message);

private:
    void finish();

    std::unique_ptr<BackgroundJob> m_job;
    std::function<void()> m_done;
    QLabel *m_label;
    QProgressBar *m_progress;
    QTimer *m_timer;
};

}  // namespace ct
