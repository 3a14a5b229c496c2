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
        if (frame.line != 0 && frame.since != 0)
            addLine(frame);
    }
}

void FrameFunctions::addLine(const FrameLocation &frame)
{
    const Suspension suspension(frame.coroutine, frame.since);
    if (!m_lines.try_emplace(suspension, frame.line).second)
        return;
    m_added.push_back(suspension);
    if (m_added.size() <= kMostLines)
        return;
    m_lines.erase(m_added.front());
    m_added.pop_front();
}

std::uint32_t FrameFunctions::lineOf(CoroutineId id, std::uint64_t since) const
{
    const std::scoped_lock lock(m_mutex);
    const auto found = m_lines.find({id, since});
    return found != m_lines.end() ? found->second : 0;
}

}  // namespace ct
