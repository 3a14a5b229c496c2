// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <atomic>

namespace ct {

/// Returns a name for QSqlDatabase::addDatabase() that is unique in the process. Any thread.
inline QString freshConnectionName()
{
    // Relaxed: only uniqueness matters.
    static std::atomic<unsigned> counter{0};
    return QStringLiteral("corotracer-%1").arg(counter.fetch_add(1, std::memory_order_relaxed));
}

}  // namespace ct
