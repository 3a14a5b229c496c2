// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "accesslog.h"

#include <chrono>
#include <thread>
#include <utility>

namespace server {

namespace {
constexpr std::size_t kLinesPerPage = 32;
constexpr auto kDiskTime = std::chrono::microseconds(1500);
constexpr int kMostDiskTimes = 32;
/// The write lasts long enough for the client of the last line to hang up, also on a slow machine.
constexpr std::uint64_t kLinesMeanwhile = 16;
}  // namespace

void AccessLog::add(const Message &request)
{
    m_lines.fetch_add(1, std::memory_order_relaxed);
    std::vector<Message> full;
    {
        const std::lock_guard lock(m_mutex);
        m_page.push_back(request);
        if (m_page.size() < kLinesPerPage)
            return;
        full = std::exchange(m_page, {});
    }
    writeOut(full);
}

void AccessLog::writeOut(const std::vector<Message> &) const
{
    // Sleeps in place of write and fdatasync: a demonstration must not write to the user's disk.
    const std::uint64_t until = m_lines.load(std::memory_order_relaxed) + kLinesMeanwhile;
    for (int i = 0; i < kMostDiskTimes && m_lines.load(std::memory_order_relaxed) < until; ++i)
        std::this_thread::sleep_for(kDiskTime);
}

}  // namespace server
