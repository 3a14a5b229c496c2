// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Restores evicted events of a History from the recording of the run, for the time range that views show.
// See docs/decisions/0015-memory-and-the-past.md.
#pragma once

#include "core/recording/read/rangereader.h"
#include "core/trace/history.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

namespace ct {

/// Owns a thread. It starts with the first request() at a range that is not in memory, and sleeps while no view needs
/// it.
class HistoryRestorer {
public:
    HistoryRestorer(std::shared_ptr<History> history, std::shared_ptr<const StreamIndex> streamIndex);
    ~HistoryRestorer();  ///< waits for the piece that is being restored
    HistoryRestorer(const HistoryRestorer &) = delete;
    HistoryRestorer &operator=(const HistoryRestorer &) = delete;

    /// Views show [from, to) (ns, CLOCK_MONOTONIC) from now on; this replaces the previous range. The evicted events in
    /// it are restored into the History, see History::restoredVersion(). Returns at once. Always call it on the same
    /// thread.
    void request(std::uint64_t from, std::uint64_t to);
    /// True while pieces are being restored, or will be once they are in the file. Any thread.
    bool isBusy() const { return m_busy.load(std::memory_order_relaxed); }
    /// Pieces of the latest range that cannot be restored, because the recording has them no longer, or ended before
    /// them. 0 until that is known. Any thread.
    std::uint64_t lostPieces() const { return m_lost.load(std::memory_order_relaxed); }

private:
    struct Range {
        std::uint64_t from = 0;
        std::uint64_t to = 0;
        std::uint64_t evicted = 0;  ///< History::evictedEvents() at the call; a higher number means more to restore
        std::uint64_t view = 0;     ///< m_view at the call: results for older views do not count
        bool isEmpty() const { return from >= to; }  ///< the whole view is in memory: there is nothing to restore
        bool operator==(const Range &) const = default;
    };
    bool start();
    void run();
    enum class Outcome {
        Done,
        Superseded,  ///< another range is wanted
        Incomplete,  ///< a piece has not reached the file yet
    };
    Outcome restoreRange(const Range &range);
    bool isCurrent(const Range &range);
    void setLost(const Range &range, std::uint64_t pieces);

    const std::shared_ptr<History> m_history;
    const std::shared_ptr<const StreamIndex> m_streamIndex;

    // Used by the thread only.
    RangeReader m_reader;
    Transitions m_events;
    std::set<std::uint32_t> m_gone;  ///< slabs that the recording has no longer, or with other content

    // Relaxed: for display. Both describe m_wanted, and change under m_mutex. Only the change of m_busy to true may
    // happen without it.
    std::atomic<bool> m_busy{false};
    std::atomic<std::uint64_t> m_lost{0};
    // Used by request() only, on its thread.
    Range m_requested;
    std::pair<std::uint64_t, std::uint64_t> m_seen;  ///< latest range, in memory or not
    std::uint64_t m_view = 0;                        ///< number of changes of m_seen

    std::mutex m_mutex;  ///< guards the members below; locked only for a copy
    std::condition_variable m_changed;
    Range m_wanted;
    bool m_ending = false;
    std::thread m_thread;  ///< last, because the thread uses all members above
};

}  // namespace ct
