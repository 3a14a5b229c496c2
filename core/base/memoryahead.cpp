// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
#include "core/base/memoryahead.h"

#include <algorithm>
#include <pthread.h>
#include <sys/mman.h>
#include <system_error>

namespace ct {

namespace {

/// Bytes per madvise(2) call. Threads that map or protect memory wait for one such call.
constexpr std::size_t kStep = std::size_t{2} << 20;
constexpr int kPopulateWrite = 23;  // MADV_POPULATE_WRITE

}  // namespace

MemoryAhead::~MemoryAhead()
{
    stop();
}

void MemoryAhead::stop()
{
    {
        const std::lock_guard lock(m_mutex);
        m_ending = true;
    }
    m_changed.notify_all();
    if (m_thread.joinable())
        m_thread.join();
}

void MemoryAhead::prepare(std::byte *begin, std::size_t bytes)
{
    {
        const std::lock_guard lock(m_mutex);
        for (std::size_t done = 0; done < bytes; done += kStep)
            m_ranges.push_back({begin + done, std::min(kStep, bytes - done)});
        if (!m_thread.joinable() && !start())
            m_ranges.clear();
    }
    m_changed.notify_all();
}

/// Returns false if the system has no more threads, or no address space for one. Pages then get memory at the first
/// touch.
bool MemoryAhead::start()
{
    try {
        m_thread = std::thread([this] { run(); });
    } catch (const std::system_error &) {
        return false;
    }
    return true;
}

void MemoryAhead::wait()
{
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [this] { return m_ranges.empty() && !m_busy; });
}

void MemoryAhead::run()
{
    (void)pthread_setname_np(pthread_self(), "memory-ahead");
    std::unique_lock lock(m_mutex);
    for (;;) {
        m_changed.wait(lock, [this] { return m_ending || !m_ranges.empty(); });
        if (m_ending)
            return;
        const Range range = m_ranges.front();
        m_ranges.pop_front();
        m_busy = true;
        lock.unlock();
        // If the call fails, the pages get memory at the first touch.
        (void)madvise(range.begin, range.bytes, kPopulateWrite);
        lock.lock();
        m_busy = false;
        if (m_ranges.empty())
            m_changed.notify_all();
    }
}

}  // namespace ct
