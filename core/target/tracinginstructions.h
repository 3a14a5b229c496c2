// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Texts for a user who wants to trace a program: commands to copy, and a checklist. No state.
#pragma once

#include <QCoreApplication>
#include <QString>
#include <QStringList>

#include <cstdint>

namespace ct {

struct TracedEnvironment {
    QString regionPath;
    QString socketPath;
    std::uint32_t stations = 0;
};

class Instructions {
    Q_DECLARE_TR_FUNCTIONS(ct::Instructions)
public:
    /// One shell line: NAME=value ... ./your-program
    static QString shellLine(const TracedEnvironment &environment);
    /// A [Service] section for `systemctl edit`.
    static QString systemdUnit(const TracedEnvironment &environment);
    /// A docker run command (podman accepts it, too): mounts, environment, and the user that may open the region.
    static QString containerLine(const TracedEnvironment &environment);

    /// Follows the sentence of Untraced::why(): names the manual section with the whole checklist.
    static QString nothingTracedPointer();
    /// Questions that find out why a running target shows no coroutine. One question per entry, plain text.
    static QStringList nothingTracedChecklist();
    /// The five source lines that make a C++20 program traceable.
    static QString fiveLines();
};

/// Returns `text` as one word of a POSIX shell line, quoted only if necessary.
QString shellQuoted(const QString &text);

}  // namespace ct
