// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The findings that the user has muted in one program, with reasons. They are kept in the settings. GUI thread.
#pragma once

#include "core/reporting/knownfindings.h"
#include "core/reporting/report.h"

#include <QMap>
#include <QString>

#include <optional>

namespace ct {

class MutedFindings {
public:
    /// Loads those of a program; an empty name stands for all programs without one.
    void load(const QString &program);
    /// Mutes the finding as long as it does not become more severe.
    void mute(const QString &fingerprint, Severity severity, const QString &reason);
    void unmute(const QString &fingerprint);
    /// nullopt: the finding is not muted, or has become more severe.
    std::optional<QString> reasonOf(const ReportedFinding &reported) const;
    const KnownFindings &known() const { return m_known; }

private:
    QString group() const;

    QString m_program;
    QMap<QString, QString> m_reasons;  ///< by fingerprint
    KnownFindings m_known;
};

}  // namespace ct
