// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/console.h"

#include "core/target/printabletext.h"

#include <cstdio>
#include <unistd.h>

namespace ct {

namespace {

/// A shorter delay is normal.
constexpr std::uint64_t kBehindNs = 1'000'000'000;

}  // namespace

Console::Console() : m_terminal(isatty(STDERR_FILENO) == 1) {}

void Console::clear()
{
    if (std::exchange(m_drawn, false))
        std::fputs("\r\033[K", stderr);
}

void Console::print(const QString &message)
{
    clear();
    std::fprintf(stderr, "corotracer-gui: %s\n", printable(message).toUtf8().constData());
}

void Console::printContinuation(const QString &line)
{
    clear();
    std::fprintf(stderr, "  %s\n", printable(line).toUtf8().constData());
}

void Console::updateStatus(const Accounting &sums, std::uint64_t alive, std::uint64_t nowNs)
{
    if (!m_terminal)
        return;
    double perSecond = 0;
    if (m_lastNs != 0 && nowNs > m_lastNs)
        perSecond = static_cast<double>(sums.captured - m_lastCaptured) * 1e9 / static_cast<double>(nowNs - m_lastNs);
    m_lastCaptured = sums.captured;
    m_lastNs = nowNs;
    QString line = QStringLiteral("%1 events, %2/s, lost %3, %4 coroutines, %5 alive")
                       .arg(sums.captured)
                       .arg(perSecond, 0, 'f', 0)
                       .arg(sums.lost)
                       .arg(sums.coroutines)
                       .arg(alive);
    if (sums.behindNs >= kBehindNs)
        line += QStringLiteral(", %1 s behind").arg(static_cast<double>(sums.behindNs) / 1e9, 0, 'f', 1);
    showStatus(line);
}

void Console::showStatus(const QString &line)
{
    if (!m_terminal)
        return;
    std::fprintf(stderr, "\r\033[K%s", printable(line).toUtf8().constData());
    std::fflush(stderr);
    m_drawn = true;
}

}  // namespace ct
