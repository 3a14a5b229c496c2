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
}  // namespace

void AccessLog::add(const Message &request)
{
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

void AccessLog::writeOut(const std::vector<Message> &)
{
    // Stands for write and fdatasync: a demonstration has no business on anybody's disk, but it takes its time.
    std::this_thread::sleep_for(kDiskTime);
}

}  // namespace server
