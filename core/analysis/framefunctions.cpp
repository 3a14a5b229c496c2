// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/framefunctions.h"

namespace ct {

void FrameFunctions::add(const std::vector<FrameLocation> &frames)
{
    const std::scoped_lock lock(m_mutex);
    for (const FrameLocation &frame : frames) {
        if (frame.function.empty() || frame.coroutine >= m_functions.kCapacity)
            continue;
        const auto known = m_numbers.find(frame.function);
        if (known == m_numbers.end() && m_numbers.size() >= kMostFunctions)
            continue;
        const std::uint32_t number =
            known != m_numbers.end()
                ? known->second
                : m_numbers.emplace(frame.function, static_cast<std::uint32_t>(m_numbers.size() + 1)).first->second;
        m_functions.make(frame.coroutine).store(number, std::memory_order_relaxed);
    }
}

}  // namespace ct
