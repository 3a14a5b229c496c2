// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Reports each shortage of a capture once, with the remedy.
#pragma once

#include "core/stream/stream.h"

#include <QCoreApplication>
#include <QStringList>

namespace ct {

class Shortages {
    Q_DECLARE_TR_FUNCTIONS(ct::Shortages)
public:
    /// Returns the shortages in the sums that were not reported before.
    QStringList look(const Accounting &sums);

private:
    bool m_saidSpace = false;
    bool m_saidOvertaken = false;
    bool m_saidDamaged = false;
    bool m_saidUnmapped = false;
    bool m_saidPartlyMapped = false;
};

}  // namespace ct
