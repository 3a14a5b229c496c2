// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/stream/accounting.h"

#include <mutex>

namespace ct {

/// The latest sums of a capture. Shared by everything that shows them, which may outlive the capture. Any thread.
class LatestSums {
public:
    Accounting get() const
    {
        const std::lock_guard lock(m_mutex);
        return m_sums;
    }
    void set(const Accounting &sums)
    {
        const std::lock_guard lock(m_mutex);
        m_sums = sums;
    }

private:
    mutable std::mutex m_mutex;  ///< locked only while the sums are copied
    Accounting m_sums;
};

}  // namespace ct
