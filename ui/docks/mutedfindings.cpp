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
    QSettings settings;
    settings.beginGroup(group());
    for (const QString &fingerprint : settings.childKeys())
        m_reasons.insert(fingerprint, settings.value(fingerprint).toString());
}

void MutedFindings::mute(const QString &fingerprint, const QString &reason)
{
    m_reasons.insert(fingerprint, reason);
    QSettings().setValue(group() + u'/' + fingerprint, reason);
}

void MutedFindings::unmute(const QString &fingerprint)
{
    m_reasons.remove(fingerprint);
    QSettings().remove(group() + u'/' + fingerprint);
}

std::optional<QString> MutedFindings::reasonOf(const QString &fingerprint) const
{
    const auto found = m_reasons.constFind(fingerprint);
    return found != m_reasons.constEnd() ? std::optional(*found) : std::nullopt;
}

QSet<QString> MutedFindings::fingerprints() const
{
    const QStringList keys = m_reasons.keys();
    return {keys.begin(), keys.end()};
}

}  // namespace ct
