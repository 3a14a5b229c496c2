// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Decides which coroutines have records in a trace. Ids are never used again, so most ids of a long run belong to ended
// coroutines. Over a limit, whole pages of ended coroutines are evicted, in the order in which they ended.
// See docs/decisions/0020-records-of-coroutines-that-ended.md.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <vector>

namespace ct {

/// Limits of the records at a time. A living coroutine keeps all records of its page.
struct RecordLimits {
    static constexpr std::uint64_t kNameBytes = std::uint64_t{512} << 20;
    std::uint32_t dead = ~0U;              ///< above it, pages without a living coroutine are evicted
    std::uint32_t living = ~0U;            ///< limit of all records; above it, new coroutines get none; at least `dead`
    std::uint64_t nameBytes = kNameBytes;  ///< bytes; above it, new names are counted but not stored
};

/// Writer only, unless stated otherwise. Two of them with the same births and deaths decide alike.
class CoroutineEviction {
public:
    static constexpr std::uint32_t kPageSize = 64;

    explicit CoroutineEviction(const RecordLimits &limits)
        : m_mostPages(pagesOf(limits.dead)), m_mostInAll(std::max(m_mostPages, pagesOf(limits.living)))
    {
    }

    /// Call before the record of the next id is made. Calls evict(page) for each evicted page. Calls release(first,
    /// end) for ids without records, whose memory can be given back. Returns false when this id never gets a record.
    template <class Evict, class Release>
    bool admit(std::uint32_t id, Evict &&evict, Release &&release)
    {
        const std::uint32_t page = id / kPageSize;
        if (page == m_pages.size())
            beginPage(evict, release);
        if (m_pages[page].withoutRecords)
            return false;
        m_pages[page].living |= bitOf(id);
        return true;
    }
    void died(std::uint32_t id)
    {
        const std::uint32_t page = id / kPageSize;
        if (page >= m_pages.size() || !(m_pages[page].living & bitOf(id)))
            return;
        m_pages[page].living &= ~bitOf(id);
        listIfDead(page);
    }

    /// Call at the end of a batch, which may have had many births and deaths. Calls evict() and release() as admit()
    /// does.
    template <class Evict, class Release>
    void evictOverLimit(Evict &&evict, Release &&release)
    {
        const std::uint32_t kept = m_kept.load(std::memory_order_relaxed);
        if (kept > m_mostPages && !m_dead.empty())
            evictDead(kept - m_mostPages + m_mostPages / 8, evict, release);
    }

    bool hasPagesWithoutRecords() const { return m_hasPagesWithoutRecords; }
    bool isWithoutRecord(std::uint32_t id) const
    {
        return m_hasPagesWithoutRecords && id / kPageSize < m_pages.size() && m_pages[id / kPageSize].withoutRecords;
    }
    /// Records in memory, counted in whole pages. Any thread.
    std::uint64_t records() const { return std::uint64_t{m_kept.load(std::memory_order_relaxed)} * kPageSize; }

private:
    struct Page {
        std::uint64_t living = 0;     ///< one bit for each coroutine
        bool withoutRecords = false;  ///< has no records any more, or never had any
    };
    static std::uint32_t pagesOf(std::uint32_t records) { return std::max(1U, records / kPageSize); }
    static std::uint64_t bitOf(std::uint32_t id) { return std::uint64_t{1} << id % kPageSize; }

    /// Not for the latest page, which may still get coroutines.
    void listIfDead(std::uint32_t page)
    {
        if (m_pages[page].living == 0 && !m_pages[page].withoutRecords && page + 1 < m_pages.size())
            m_dead.push_back(page);
    }
    template <class Evict, class Release>
    void beginPage(Evict &&evict, Release &&release)
    {
        m_pages.emplace_back();
        if (m_pages.size() > 1)
            listIfDead(static_cast<std::uint32_t>(m_pages.size() - 2));
        const std::uint32_t kept = m_kept.load(std::memory_order_relaxed);
        // An eighth at once, because releasing memory in small pieces is expensive.
        if (kept >= m_mostPages)
            evictDead(kept - m_mostPages + 1 + m_mostPages / 8, evict, release);
        if (m_kept.load(std::memory_order_relaxed) < m_mostInAll) {
            m_kept.fetch_add(1, std::memory_order_relaxed);
            return;
        }
        m_pages.back().withoutRecords = true;
        m_hasPagesWithoutRecords = true;
    }
    template <class Evict, class Release>
    void evictDead(std::uint32_t count, Evict &&evict, Release &&release)
    {
        const auto end = m_dead.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(count, m_dead.size()));
        std::vector<std::uint32_t> going(m_dead.begin(), end);
        m_dead.erase(m_dead.begin(), end);
        std::sort(going.begin(), going.end());
        for (const std::uint32_t page : going) {
            evict(page);
            m_pages[page].withoutRecords = true;
            m_hasPagesWithoutRecords = true;
        }
        m_kept.fetch_sub(static_cast<std::uint32_t>(going.size()), std::memory_order_relaxed);
        for (std::size_t i = 0; i < going.size();) {
            const std::uint32_t first = going[i];
            std::uint32_t runEnd = first;
            for (; i < going.size() && going[i] == runEnd; ++i)
                ++runEnd;
            release(withoutRecordsBefore(first) * kPageSize, withoutRecordsBehind(runEnd) * kPageSize);
        }
    }
    /// Releases neighbours that were evicted before once more: small records share memory pages with theirs.
    static constexpr std::uint32_t kNeighbours = 64;
    std::uint32_t withoutRecordsBefore(std::uint32_t first) const
    {
        const std::uint32_t least = first - std::min(first, kNeighbours);
        while (first > least && m_pages[first - 1].withoutRecords)
            --first;
        return first;
    }
    std::uint32_t withoutRecordsBehind(std::uint32_t end) const
    {
        const auto most = std::min<std::uint64_t>(m_pages.size(), std::uint64_t{end} + kNeighbours);
        while (end < most && m_pages[end].withoutRecords)
            ++end;
        return end;
    }

    const std::uint32_t m_mostPages;
    const std::uint32_t m_mostInAll;
    std::vector<Page> m_pages;
    std::deque<std::uint32_t> m_dead;      ///< pages of ended coroutines only, in the order in which they ended
    std::atomic<std::uint32_t> m_kept{0};  ///< pages with records; relaxed: other threads only display it
    bool m_hasPagesWithoutRecords = false;
};

}  // namespace ct
