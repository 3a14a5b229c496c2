// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The findings that the user has muted in one program, with reasons. They are kept in the settings. GUI thread.
#pragma once

#include <QMap>
#include <QSet>
#include <QString>

#include <optional>

namespace ct {

class MutedFindings {
public:
    /// Loads those of a program; an empty name stands for all programs without one.
    void load(const QString &program);
    void mute(const QString &fingerprint, const QString &reason);
    void unmute(const QString &fingerprint);
    std::optional<QString> reasonOf(const QString &fingerprint) const;
    QSet<QString> fingerprints() const;

private:
    QString group() const;

    QString m_program;
    QMap<QString, QString> m_reasons;  ///< by fingerprint
};

}  // namespace ct
