// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/jobs/savejob.h"

#include "core/exporting/saverecording.h"

#include <QFile>

namespace ct {

SaveJob::SaveJob(std::string from, QString path, QObject *parent)
    : BackgroundJob(std::move(path), parent), m_from(std::move(from))
{
}

SaveJob::~SaveJob()
{
    cancelAndWait();
}

void SaveJob::run()
{
    const Result<CopiedRecording> saved = saveRecording(m_from, QFile::encodeName(path()).toStdString(),
                                                        [this](double progress) { return onProgress(progress); });
    if (saved)
        m_report = *saved;
    else
        setError(saved.error().message);
}

}  // namespace ct
