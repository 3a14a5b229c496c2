// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Notices about what memory has no room for, each of them once per capture.
#pragma once

#include "core/trace/notkept.h"

#include <QCoreApplication>
#include <QStringList>

#include <cstdint>

namespace ct {

class UnkeptNotices {
    Q_DECLARE_TR_FUNCTIONS(UnkeptNotices)
public:
    /// Notices that were not given yet. `names`: Population::namesNotKept(). `records`: how many coroutines have one.
    QStringList fresh(const NotKept &notKept, std::uint64_t names, std::uint64_t records);

private:
    bool m_saidUnkept = false;
    bool m_saidEnded = false;
    bool m_saidNames = false;
};

}  // namespace ct
