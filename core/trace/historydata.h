// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the writing and the reading half of the History share.
#pragma once

#include "core/trace/chunkedarray.h"
#include "core/trace/history.h"
#include "core/trace/historyblocks.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace ct::history {

/// Values named by small numbers. One writer interns, any thread looks up.
template <unsigned LimitBits>
class Interned {
public:
    /// Writer: the value's number; nullopt when the table is full.
    std::optional<std::uint32_t> intern(std::uint64_t value)
    {
        if (2 * (std::size_t{m_values.sizeOfWriter()} + 1) > m_hash.size())
            grow();
        std::uint32_t &place = placeOf(value);
        if (place != 0)
            return place - 1;
        Word *next = m_values.prepare();
        if (!next)
            return std::nullopt;
        next->store(value, std::memory_order_relaxed);
        m_values.publish();
        place = m_values.sizeOfWriter();
        return place - 1;
    }
    /// Readers; 0 for numbers that were never given.
    std::uint64_t at(std::uint32_t number) const
    {
        return number < m_values.size() ? m_values[number].load(std::memory_order_relaxed) : 0;
    }

private:
    /// Open addressing: number + 1, or 0 = free.
    std::uint32_t &placeOf(std::uint64_t value)
    {
        const std::size_t mask = m_hash.size() - 1;
        std::size_t at = static_cast<std::size_t>((value * 0x9E37'79B9'7F4A'7C15ULL) >> 32) & mask;
        while (m_hash[at] != 0 && m_values[m_hash[at] - 1].load(std::memory_order_relaxed) != value)
            at = (at + 1) & mask;
        return m_hash[at];
    }
    void grow()
    {
        const std::size_t size = m_hash.size();
        m_hash.assign(size * 2, 0);
        for (std::uint32_t i = 0; i < m_values.sizeOfWriter(); ++i)
            placeOf(m_values[i].load(std::memory_order_relaxed)) = i + 1;
    }

    ChunkedArray<Word, 10, LimitBits - 10> m_values;
    std::vector<std::uint32_t> m_hash = std::vector<std::uint32_t>(64);  ///< writer only
};

/// Per coroutine. Plain members belong to the writer.
struct alignas(64) Head {
    Word tail{0};  ///< newest block; release, partner: acquire in readers
    Word deathTs{0};
    std::uint64_t nextN = 0;
    std::uint64_t baseTs = 0;  ///< of the newest block
    std::uint64_t lastTs = 0;
    std::uint64_t usualAddr = 0;
    SiteId openSite = kUnknownSite;
    std::uint16_t count = 0;     ///< entries in the newest block
    std::uint16_t capacity = 0;  ///< entries it has room for
    Open open = Open::Nothing;   ///< what lasts since lastTs
    bool begun = false;
    Dialect dialect = Dialect::Unknown;
};
static_assert(sizeof(Head) == 64);

/// A reader's own copy of a block: copied, validated, then parsed.
struct BlockCopy {
    BlockRef ref = 0;
    BlockRef previous = 0;
    BlockRef next = 0;
    CoroutineId coroutine = kNoCoroutine;
    std::uint64_t firstN = 0;
    std::uint64_t baseTs = 0;
    std::uint64_t openTs = 0;
    Open open = Open::Nothing;
    SiteId openSite = kUnknownSite;
    std::uint64_t usualAddr = 0;
    std::uint32_t count = 0;
    bool closed = false;  ///< the following are valid
    bool gaps = false;
    SiteId lastSite = kUnknownSite;
    std::uint32_t transitions = 0;
    std::uint64_t closedTs = 0;
    std::uint64_t runNs = 0;
    std::uint64_t suspendedNs = 0;
    std::vector<std::uint64_t> words;  ///< filled by copyEntries()

    /// Where the first interval that the block accounts for begins.
    std::uint64_t begin() const { return openTs != 0 ? std::min(openTs, baseTs) : baseTs; }
};

/// What lasts after an event: a coroutine that is at its final suspension point waits for nothing.
inline Open openAfter(const HistoryEvent &event)
{
    if (event.type == HistoryEvent::Type::Resume)
        return Open::Running;
    return event.type == HistoryEvent::Type::Suspend && event.kind != PointKind::Final ? Open::Suspended
                                                                                       : Open::Nothing;
}

}  // namespace ct::history

namespace ct {

struct History::Data {
    explicit Data(std::uint64_t budget) : slabs(budget) {}

    history::Slabs slabs;
    ChunkedArray<history::Head, 12, 14> heads;
    history::Interned<16> threads;
    history::Interned<20> addresses;
    history::Word firstTs{0};
    history::Word lastTs{0};
    history::Word now{0};

    // Writer.
    history::BlockCopy scratch;
    void addBirth(const Birth &birth);
    void append(const Transition &event);
    void appendLoss(const Loss &loss, std::uint64_t noticed);
    void beginBlock(history::Head &head, const Transition &event, std::uint64_t firstN);
    void closeBlock(history::BlockRef block, history::BlockRef next);
    bool packEvent(history::Head &head, const Transition &event, std::uint64_t (&words)[4]);
    void put(history::Head &head, std::uint64_t first, std::uint64_t second);

    // Readers. False: the block is gone, the copy worthless.
    bool copyHeader(history::BlockRef ref, history::BlockCopy &to) const;
    bool copyEntries(history::BlockCopy &block) const;
    history::BlockRef tailOf(CoroutineId id) const;
    history::BlockRef oldestOf(CoroutineId id) const;
    /// Blocks that may hold events in [from, to), oldest first, headers only; and the one before, where the state at
    /// `from` began.
    std::vector<history::BlockCopy> blocksBetween(CoroutineId id, std::uint64_t from, std::uint64_t to) const;
};

namespace history {

/// Decodes the entries of a copied block one after the other.
class EntryReader {
public:
    EntryReader(const History::Data &data, const BlockCopy &block) : EntryReader(data, block, 0, block.firstN) {}
    EntryReader(const History::Data &data, const BlockCopy &block, std::uint32_t entry, std::uint64_t n)
        : m_data(data), m_block(block), m_entry(entry), m_n(n)
    {
    }
    bool next(HistoryEvent &event);
    std::uint32_t entry() const { return m_entry; }
    std::uint64_t n() const { return m_n; }

private:
    const History::Data &m_data;
    const BlockCopy &m_block;
    std::uint32_t m_entry;
    std::uint64_t m_n;
};

}  // namespace history

}  // namespace ct
