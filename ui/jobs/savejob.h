// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Saves a recording as one file in the background.
#pragma once

#include "core/recording/library/recordingcopy.h"
#include "ui/jobs/backgroundjob.h"

namespace ct {

class SaveJob final : public BackgroundJob {
    Q_OBJECT
public:
    /// `from`: see copyRecording().
    SaveJob(std::string from, QString path, QObject *parent = nullptr);
    ~SaveJob() override;  ///< cancels and waits

    /// Valid after the job has succeeded.
    const CopiedRecording &report() const { return m_report; }

protected:
    void run() override;

private:
    const std::string m_from;
    CopiedRecording m_report;
};

}  // namespace ct
