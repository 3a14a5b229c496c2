// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <atomic>

namespace ct {

/// A name for QSqlDatabase::addDatabase() that no other connection of the process has. Any thread.
inline QString freshConnectionName()
{
    // Relaxed: only uniqueness matters.
    static std::atomic<unsigned> counter{0};
    return QStringLiteral("corotracer-%1").arg(counter.fetch_add(1, std::memory_order_relaxed));
}

}  // namespace ct
