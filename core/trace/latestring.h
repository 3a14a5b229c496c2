// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The latest values of an endless series. One thread appends, any thread copies; no thread waits for another.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace ct {

/// Values of `Words` words each. Readers get the latest `Kept`. There are more slots than that, so a concurrent append
/// seldom overwrites a value that a reader copies.
template <std::size_t Words, std::size_t Kept = 10'000>
class LatestRing {
public:
    using Value = std::array<std::uint64_t, Words>;

    LatestRing() = default;
    ~LatestRing() { delete[] m_slots.load(std::memory_order_relaxed); }
    LatestRing(const LatestRing &) = delete;
    LatestRing &operator=(const LatestRing &) = delete;

    /// Writer only.
    void append(const Value &value)
    {
        Slot *slots = m_slots.load(std::memory_order_relaxed);
        if (!slots) {
            slots = new Slot[kSlots]();
            m_slots.store(slots, std::memory_order_relaxed);  // published by the release of m_count
        }
        const std::uint64_t count = m_count.load(std::memory_order_relaxed);
        Slot &slot = slots[count % kSlots];
        // Release; partner: the acquire loads in latest(). A reader of a word of this value sees this m_count or a
        // later one.
        for (std::size_t i = 0; i < Words; ++i)
            slot[i].store(value[i], std::memory_order_release);
        m_count.store(count + 1, std::memory_order_release);
    }

    /// Values since the start. Acquire; partner: append().
    std::uint64_t count() const { return m_count.load(std::memory_order_acquire); }

    /// The latest values, oldest first.
    std::vector<Value> latest() const
    {
        const std::uint64_t count = this->count();
        std::uint64_t first = count > Kept ? count - Kept : 0;
        std::vector<Value> values(count - first);
        if (values.empty())
            return values;
        const Slot *slots = m_slots.load(std::memory_order_relaxed);
        for (std::uint64_t at = first; at < count; ++at)
            for (std::size_t i = 0; i < Words; ++i)
                values[at - first][i] = slots[at % kSlots][i].load(std::memory_order_acquire);
        // Values that may have been overwritten during the copy are left out.
        const std::uint64_t now = m_count.load(std::memory_order_relaxed);
        const std::uint64_t firstValid = now >= kSlots ? now - kSlots + 1 : 0;
        if (firstValid > first)
            values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(
                                                              firstValid - first, values.size())));
        return values;
    }

private:
    static constexpr std::size_t kSlots = Kept + Kept / 2;
    using Slot = std::array<std::atomic<std::uint64_t>, Words>;
    std::atomic<Slot *> m_slots{nullptr};
    std::atomic<std::uint64_t> m_count{0};
};

}  // namespace ct
