// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/jobs/backgroundjob.h"

namespace ct {

BackgroundJob::BackgroundJob(QString path, QObject *parent) : QThread(parent), m_path(std::move(path)) {}

void BackgroundJob::cancelAndWait()
{
    cancel();
    wait();
}

void BackgroundJob::cancel()
{
    m_cancelled.store(true, std::memory_order_relaxed);
}

bool BackgroundJob::wasCancelled() const
{
    return m_cancelled.load(std::memory_order_relaxed);
}

double BackgroundJob::progress() const
{
    return m_progress.load(std::memory_order_relaxed);
}

bool BackgroundJob::onProgress(double progress)
{
    m_progress.store(progress, std::memory_order_relaxed);
    return !wasCancelled();
}

}  // namespace ct
