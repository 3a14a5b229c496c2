// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What to tell somebody whose program is to be traced: lines to copy, and what to check. Pure text, no state.
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
    /// One line: NAME=value ... ./your-program
    static QString shellLine(const TracedEnvironment &environment);
    /// A [Service] section for `systemctl edit`.
    static QString systemdUnit(const TracedEnvironment &environment);
    /// docker run (podman takes the same line): mounts, environment, the user that may open the region.
    static QString containerLine(const TracedEnvironment &environment);

    /// What Untraced::why() is followed by: the one place with everything that can be checked.
    static QString nothingTracedPointer();
    /// Why a running target may show no coroutine; one point a line, plain text.
    static QStringList nothingTracedChecklist();
    /// The five lines that make a C++20 program traceable.
    static QString fiveLines();
};

/// `text` as one word of a POSIX shell line, quoted only where it must be.
QString shellQuoted(const QString &text);

}  // namespace ct
