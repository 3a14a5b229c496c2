// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Messages on stderr, and under them, when it is a terminal, one line that is kept up to date.
#pragma once

#include "core/trace/stream.h"

#include <QString>

#include <cstdint>

namespace ct {

class ProgressLine {
public:
    ProgressLine();
    ~ProgressLine() { clear(); }
    bool isShown() const { return m_terminal; }

    void say(const QString &message);  ///< one line: "corotracer-gui: message"
    void add(const QString &line);     ///< belongs to the message before: "  line"
    void update(const Accounting &accounting, std::uint64_t alive, std::uint64_t nowNs);
    void show(const QString &line);  ///< the line that is kept up to date
    void clear();

private:
    bool m_terminal;
    bool m_drawn = false;
    std::uint64_t m_lastCaptured = 0;
    std::uint64_t m_lastNs = 0;
};

}  // namespace ct
