// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/exportjob.h"

namespace ct {

ExportJob::ExportJob(std::shared_ptr<const Population> population, std::shared_ptr<const History> history,
                     const Accounting &sums, const ExportFormat &format, QString path, QObject *parent)
    : QThread(parent),
      m_population(std::move(population)),
      m_history(std::move(history)),
      m_sums(sums),
      m_format(format),
      m_path(std::move(path))
{
}

ExportJob::~ExportJob()
{
    cancel();
    wait();
}

void ExportJob::cancel()
{
    m_cancelled.store(true, std::memory_order_relaxed);
}

bool ExportJob::wasCancelled() const
{
    return m_cancelled.load(std::memory_order_relaxed);
}

double ExportJob::progress() const
{
    return m_progress.load(std::memory_order_relaxed);
}

void ExportJob::run()
{
    const auto onProgress = [this](double progress) {
        m_progress.store(progress, std::memory_order_relaxed);
        return !wasCancelled();
    };
    const Result<ExportReport> written =
        exportTrace(*m_population, *m_history, m_format, m_path.toStdString(), onProgress, m_sums, m_lookup);
    m_succeeded = static_cast<bool>(written);
    if (written)
        m_report = *written;
    else
        m_error = QString::fromStdString(written.error().message);
}

}  // namespace ct
