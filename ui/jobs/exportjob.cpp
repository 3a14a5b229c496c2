// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/jobs/exportjob.h"

#include <utility>

namespace ct {

ExportJob::ExportJob(std::shared_ptr<const Population> population, std::shared_ptr<const History> history,
                     const Accounting &sums, const ExportFormat &format, QString path, QObject *parent)
    : BackgroundJob(std::move(path), parent),
      m_population(std::move(population)),
      m_history(std::move(history)),
      m_sums(sums),
      m_format(format)
{
}

ExportJob::~ExportJob()
{
    cancelAndWait();
}

void ExportJob::cancel()
{
    BackgroundJob::cancel();
    if (m_context.resolver)
        m_context.resolver->giveUp();
}

void ExportJob::setInfo(std::function<RecordingInfo()> info, std::string source)
{
    m_context.info = std::move(info);
    m_context.source = std::move(source);
}

void ExportJob::run()
{
    m_context.isCancelled = [this] { return wasCancelled(); };
    if (m_judge && m_format.isDatabase())
        m_context.report = m_judge();
    const Result<ExportReport> written = exportTrace(
        *m_population, *m_history, m_format, path().toStdString(),
        [this](double progress) { return onProgress(progress); }, m_sums, m_context, m_streamIndex, m_selection);
    if (written)
        m_report = *written;
    else
        setError(written.error().message);
}

}  // namespace ct
