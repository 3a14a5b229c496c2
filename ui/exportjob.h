// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// One export in the background. Holds what it exports, so the window may go on to another capture meanwhile.
#pragma once

#include "core/exporting/exporting.h"
#include "ui/backgroundjob.h"

namespace ct {

class ExportJob final : public BackgroundJob {
    Q_OBJECT
public:
    /// `sums`: of the capture, for what the trace does not know of itself.
    ExportJob(std::shared_ptr<const Population> population, std::shared_ptr<const History> history,
              const Accounting &sums, const ExportFormat &format, QString path, QObject *parent = nullptr);
    /// Where the recording has what memory dropped; before start().
    void setRecorded(std::shared_ptr<const StreamPlaces> places) { m_recorded = std::move(places); }
    /// What addresses mean; before start().
    void setLookup(std::shared_ptr<AddressLookup> lookup) { m_lookup = std::move(lookup); }
    ~ExportJob() override;  ///< cancels and waits

    /// After it has succeeded.
    const ExportReport &report() const { return m_report; }

    void cancel() override;

protected:
    void run() override;

private:
    const std::shared_ptr<const Population> m_population;
    const std::shared_ptr<const History> m_history;
    const Accounting m_sums;
    std::shared_ptr<const StreamPlaces> m_recorded;
    std::shared_ptr<AddressLookup> m_lookup;
    const ExportFormat &m_format;
    ExportReport m_report;
};

}  // namespace ct
