// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Reads the history of one coroutine up to the beginning of a query: from memory, evicted events from the recording,
// and gaps for numbers that were never captured.
#pragma once

#include "core/query/recordedevents.h"

#include <array>

namespace ct::query {

class CoroutineEvents {
public:
    static constexpr std::size_t kMostAtOnce = 256;
    using Entries = std::array<HistoryEvent, kMostAtOnce>;

    /// All must outlive this object.
    CoroutineEvents(const History &history, RecordedBlocks &blocks, RecordedEvents &recorded)
        : m_history(history), m_blocks(blocks), m_recorded(recorded)
    {
    }

    /// `end`: the scan does not need coroutines from here on. Events outside of `times` may be missing.
    void open(CoroutineId id, const ExportedCoroutine &atStart, CoroutineId end, const Times &times = {});
    /// Overwrites the first entries with the next events and gaps. Returns their number; 0 at the end.
    std::size_t read(Entries &entries);

private:
    std::size_t keepNext(Entries &entries, std::size_t count);
    void beginEvicted(std::uint64_t end);
    std::size_t readEvicted(Entries &entries);
    std::size_t endEvicted(Entries &entries, std::size_t count);
    bool isPastTheEnd(const HistoryEvent &entry) const;

    const History &m_history;
    RecordedBlocks &m_blocks;
    RecordedEvents &m_recorded;
    CoroutineId m_id = 0;
    CoroutineId m_end = 0;
    Times m_times;
    ExportedCoroutine m_atStart;
    History::Position m_position;
    std::uint64_t m_nextN = 0;   ///< one past the latest entry
    std::uint64_t m_events = 0;  ///< events that were read
    bool m_isMemoryRead = false;
    // Numbers that memory does not have.
    bool m_isInEvicted = false;
    std::uint64_t m_evictedEnd = 0;
    std::uint64_t m_recordedPosition = 0;  ///< stream position of the next event
    Entries m_later;                       ///< entries after the evicted ones
    std::size_t m_laterCount = 0;
};

}  // namespace ct::query
