// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A recording on its way into one file, in the background.
#pragma once

#include "core/recording/recordingcopy.h"
#include "ui/backgroundjob.h"

namespace ct {

class SaveJob final : public BackgroundJob {
    Q_OBJECT
public:
    /// `from`: see copyRecording().
    SaveJob(std::string from, QString path, QObject *parent = nullptr);
    ~SaveJob() override;  ///< cancels and waits

    /// After it has succeeded.
    const CopiedRecording &report() const { return m_report; }

protected:
    void run() override;

private:
    const std::string m_from;
    CopiedRecording m_report;
};

}  // namespace ct
