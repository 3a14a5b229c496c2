// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Notices about overflow, each of them once per run.
#pragma once

#include "core/trace/overflowcount.h"

#include <QCoreApplication>
#include <QStringList>

#include <cstdint>

namespace ct {

class OverflowNotices {
    Q_DECLARE_TR_FUNCTIONS(OverflowNotices)
public:
    /// Returns the notices that are new. `names` is Population::overflowNames(). `records` is the number of coroutines
    /// with a record.
    QStringList fresh(const Overflow &overflow, std::uint64_t names, std::uint64_t records);

private:
    bool m_reportedCoroutines = false;
    bool m_reportedEnded = false;
    bool m_reportedNames = false;
};

}  // namespace ct
