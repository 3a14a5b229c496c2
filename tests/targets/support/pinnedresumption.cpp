// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "pinnedresumption.h"

#include "stop.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace targets {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kStride = 64;                            ///< resumptions between two readings of the clock
constexpr auto kShortestSleep = std::chrono::microseconds(50);   ///< the kernel does not sleep much shorter
constexpr std::uint64_t kMultiplier = 0x9E37'79B9'7F4A'7C15ULL;  // odd and irregular: 2^64 divided by the golden ratio

/// The coroutines of one thread.
class Slice {
public:
    Slice(std::vector<std::coroutine_handle<>> mine, ResumeOrder order, std::uint64_t seed)
        : m_alive(std::move(mine)), m_order(order), m_random(seed * kMultiplier + 1)
    {
    }

    [[nodiscard]] bool empty() const { return m_alive.empty(); }

    void resumeOne()
    {
        const std::size_t index = next();
        const std::coroutine_handle<> handle = m_alive[index];
        handle.resume();
        if (handle.done()) [[unlikely]] {
            m_alive[index] = m_alive.back();
            m_alive.pop_back();
        }
    }

private:
    std::size_t next()
    {
        if (m_order == ResumeOrder::Random) {
            m_random ^= m_random << 13;
            m_random ^= m_random >> 7;
            m_random ^= m_random << 17;
            return static_cast<std::size_t>((m_random >> 32) * m_alive.size() >> 32);
        }
        m_next = m_next + 1 < m_alive.size() ? m_next + 1 : 0;
        return m_next;
    }

    std::vector<std::coroutine_handle<>> m_alive;
    ResumeOrder m_order;
    std::uint64_t m_random;
    std::size_t m_next = 0;
};

/// Returns how many resumptions to make between two readings of the clock. It is at most the number that fall due
/// during the shortest sleep.
std::uint64_t strideAt(double perSecond)
{
    const double due = perSecond * std::chrono::duration<double>(kShortestSleep).count();
    return perSecond <= 0 ? kStride : std::clamp<std::uint64_t>(static_cast<std::uint64_t>(due), 1, kStride);
}

/// `perSecond` is the rate of this thread.
void work(Slice slice, double perSecond, const std::atomic<bool> *hurry)
{
    const std::uint64_t stride = strideAt(perSecond);
    const Clock::time_point start = Clock::now();
    std::uint64_t resumed = 0;
    while (!slice.empty() && !stopRequested()) {
        for (std::uint64_t i = 0; i < stride && !slice.empty(); ++i, ++resumed)
            slice.resumeOne();
        if (perSecond <= 0 || (hurry != nullptr && hurry->load(std::memory_order_relaxed)))
            continue;
        const auto due =
            start + std::chrono::nanoseconds(static_cast<std::int64_t>(static_cast<double>(resumed) * 1e9 / perSecond));
        if (due - Clock::now() >= kShortestSleep)
            std::this_thread::sleep_until(due);
    }
}

}  // namespace

void resumePinned(const std::vector<std::coroutine_handle<>> &coroutines, const PinnedResumption &resumption)
{
    std::vector<std::thread> threads;
    for (unsigned thread = 0; thread < resumption.threads; ++thread) {
        std::vector<std::coroutine_handle<>> mine;
        for (std::size_t i = thread; i < coroutines.size(); i += resumption.threads)
            mine.push_back(coroutines[i]);
        threads.emplace_back(work, Slice(std::move(mine), resumption.order, thread + 1),
                             static_cast<double>(resumption.resumptionsPerSecond) / resumption.threads,
                             resumption.hurry);
    }
    for (std::thread &thread : threads)
        thread.join();
}

}  // namespace targets
