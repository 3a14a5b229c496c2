// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/mutedfindings.h"

#include <QSettings>
#include <QUrl>

namespace ct {

/// A slash in the name of a program must not make a group.
QString MutedFindings::group() const
{
    const QString name = QString::fromLatin1(QUrl::toPercentEncoding(m_program));
    return QStringLiteral("mutedFindings/") + (name.isEmpty() ? QStringLiteral("-") : name);
}

void MutedFindings::load(const QString &program)
{
    m_program = program;
    m_reasons.clear();
    m_known = {};
    QSettings settings;
    settings.beginGroup(group());
    for (const QString &fingerprint : settings.childKeys()) {
        // Severity and reason. A reason alone is as of an information, so that no error stays hidden.
        const QStringList mute = settings.value(fingerprint).toStringList();
        const QString severity = mute.size() == 2 ? mute.front() : QString();
        m_reasons.insert(fingerprint, mute.isEmpty() ? QString() : mute.back());
        m_known.add(fingerprint.toStdString(), severityNamed(severity.toStdString()));
    }
}

void MutedFindings::mute(const QString &fingerprint, Severity severity, const QString &reason)
{
    m_reasons.insert(fingerprint, reason);
    m_known.add(fingerprint.toStdString(), severity);
    const std::string_view name = nameOf(severity);
    QSettings().setValue(group() + u'/' + fingerprint,
                         QStringList{QString::fromUtf8(name.data(), qsizetype(name.size())), reason});
}

void MutedFindings::unmute(const QString &fingerprint)
{
    m_reasons.remove(fingerprint);
    m_known.remove(fingerprint.toStdString());
    QSettings().remove(group() + u'/' + fingerprint);
}

std::optional<QString> MutedFindings::reasonOf(const ReportedFinding &reported) const
{
    if (!m_known.cover(reported.fingerprint, reported.finding.severity))
        return std::nullopt;
    return m_reasons.value(QString::fromStdString(reported.fingerprint));
}

}  // namespace ct
