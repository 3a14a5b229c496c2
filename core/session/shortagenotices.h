// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Reports each shortage of a capture once, with the remedy.
#pragma once

#include "core/stream/stream.h"

#include <QCoreApplication>
#include <QStringList>

namespace ct {

class ShortageNotices {
    Q_DECLARE_TR_FUNCTIONS(ct::ShortageNotices)
public:
    /// Returns the shortages in the sums that were not reported before.
    QStringList newNotices(const Accounting &sums);

private:
    bool m_reportedSpace = false;
    bool m_reportedMemory = false;
    bool m_reportedOvertaken = false;
    bool m_reportedDamaged = false;
    bool m_reportedUnmapped = false;
    bool m_reportedPartlyMapped = false;
};

}  // namespace ct
