// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Messages on stderr. On a terminal, a status line below them shows the present state.
#pragma once

#include "core/stream/stream.h"

#include <QString>

#include <cstdint>

namespace ct {

class Console {
public:
    Console();
    ~Console() { clear(); }
    bool isShown() const { return m_terminal; }

    void print(const QString &message);           ///< one line: "corotracer-gui: message"
    void printContinuation(const QString &line);  ///< continues the previous message: "  line"
    void updateStatus(const Accounting &sums, std::uint64_t alive, std::uint64_t nowNs);
    void showStatus(const QString &line);  ///< replaces the status line
    void clear();

private:
    bool m_terminal;
    bool m_drawn = false;
    std::uint64_t m_lastCaptured = 0;
    std::uint64_t m_lastNs = 0;
};

}  // namespace ct
