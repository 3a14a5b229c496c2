// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/harvest/processendwatch.h"

#include <algorithm>
#include <sys/syscall.h>
#include <unistd.h>

namespace ct {

namespace {

int openPidfd(pid_t pid)
{
#ifdef SYS_pidfd_open
    return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));  // pidfd_open always sets close-on-exec
#else
    (void)pid;
    return -1;
#endif
}

}  // namespace

ProcessEndWatch::~ProcessEndWatch()
{
    while (!m_keys.empty())
        removeAt(m_keys.size() - 1);
}

bool ProcessEndWatch::watchProcess(std::uint32_t key, pid_t pid)
{
    remove(key);
    const int fd = m_keys.size() < kMost ? openPidfd(pid) : -1;
    if (fd < 0)
        return false;
    m_keys.push_back(key);
    m_polls.push_back({fd, POLLIN, 0});
    return true;
}

void ProcessEndWatch::remove(std::uint32_t key)
{
    const auto found = std::find(m_keys.begin(), m_keys.end(), key);
    if (found != m_keys.end())
        removeAt(static_cast<std::size_t>(found - m_keys.begin()));
}

bool ProcessEndWatch::watches(std::uint32_t key) const
{
    return std::find(m_keys.begin(), m_keys.end(), key) != m_keys.end();
}

std::vector<std::uint32_t> ProcessEndWatch::takeEnded()
{
    std::vector<std::uint32_t> ended;
    if (m_polls.empty() || ::poll(m_polls.data(), m_polls.size(), 0) <= 0)
        return ended;
    for (std::size_t index = m_polls.size(); index-- > 0;) {
        if ((m_polls[index].revents & POLLIN) == 0)
            continue;
        ended.push_back(m_keys[index]);
        removeAt(index);
    }
    return ended;
}

/// Moves the last element into the gap.
void ProcessEndWatch::removeAt(std::size_t index)
{
    ::close(m_polls[index].fd);
    m_keys[index] = m_keys.back();
    m_polls[index] = m_polls.back();
    m_keys.pop_back();
    m_polls.pop_back();
}

}  // namespace ct
