// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// One export in the background. Holds what it exports, so the window may go on to another capture meanwhile.
#pragma once

#include "core/exporting/exporting.h"

#include <QThread>

#include <atomic>

namespace ct {

class ExportJob final : public QThread {
    Q_OBJECT
public:
    /// `sums`: of the capture, for what the trace does not know of itself.
    ExportJob(std::shared_ptr<const Population> population, std::shared_ptr<const History> history,
              const Accounting &sums, const ExportFormat &format, QString path, QObject *parent = nullptr);
    /// What addresses mean; before start().
    void setLookup(std::shared_ptr<AddressLookup> lookup) { m_lookup = std::move(lookup); }
    ~ExportJob() override;  ///< cancels and waits

    void cancel();  ///< any thread
    double progress() const;
    const QString &path() const { return m_path; }

    // After finished().
    bool succeeded() const { return m_succeeded; }
    bool wasCancelled() const;
    const ExportReport &report() const { return m_report; }
    const QString &errorMessage() const { return m_error; }

protected:
    void run() override;

private:
    const std::shared_ptr<const Population> m_population;
    const std::shared_ptr<const History> m_history;
    const Accounting m_sums;
    std::shared_ptr<AddressLookup> m_lookup;
    const ExportFormat &m_format;
    const QString m_path;
    std::atomic<bool> m_cancelled = false;  // relaxed: only a hint to stop soon
    std::atomic<double> m_progress = 0;     // relaxed: for people
    bool m_succeeded = false;
    ExportReport m_report;
    QString m_error;
};

}  // namespace ct
