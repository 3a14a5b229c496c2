// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Progress of an export in the status bar, with Cancel. One export at a time; a new one replaces an older one, whose
// late result is dropped with it.
#pragma once

#include "ui/exportjob.h"

#include <QWidget>

class QLabel;
class QProgressBar;
class QTimer;

namespace ct {

class ExportBar : public QWidget {
    Q_OBJECT
public:
    explicit ExportBar(QWidget *parent = nullptr);

    void start(std::unique_ptr<ExportJob> job);
    bool isRunning() const { return m_job != nullptr; }

public Q_SLOTS:
    void cancel();

Q_SIGNALS:
    void succeeded(const QString &path, const ct::ExportReport &report);
    void failed(const QString &message);

private:
    void finish();

    std::unique_ptr<ExportJob> m_job;
    QLabel *m_label;
    QProgressBar *m_progress;
    QTimer *m_timer;
};

}  // namespace ct
