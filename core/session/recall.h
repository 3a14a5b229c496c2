// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Brings back what a History has dropped and somebody looks at, out of the recording of the run.
#pragma once

#include "core/recording/pastreader.h"
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

/// Has a thread of its own, which begins with the first look() at something that is not in memory and sleeps while
/// nobody looks.
class Recall {
public:
    Recall(std::shared_ptr<History> history, std::shared_ptr<const StreamPlaces> places);
    ~Recall();  ///< waits for the piece at hand
    Recall(const Recall &) = delete;
    Recall &operator=(const Recall &) = delete;

    /// Somebody looks at [from, to) (ns, CLOCK_MONOTONIC) from now on, instead of what was looked at before: what is
    /// there comes into History, whose restoredVersion() tells. Returns at once. One thread.
    void look(std::uint64_t from, std::uint64_t to);
    /// Pieces are looked for, or on their way, or will be once they are in the file. Any thread.
    bool isBusy() const { return m_busy.load(std::memory_order_relaxed); }
    /// Pieces of the latest look that cannot come back, because the recording has them no longer, or ended before them;
    /// 0 until that is known. Any thread.
    std::uint64_t lostPieces() const { return m_lost.load(std::memory_order_relaxed); }

private:
    struct Range {
        std::uint64_t from = 0;
        std::uint64_t to = 0;
        std::uint64_t dropped = 0;                   ///< History::droppedEvents() then: there may be more to bring back
        std::uint64_t view = 0;                      ///< what was looked at before does not count
        bool isEmpty() const { return from >= to; }  ///< all of the view is in the ring: nobody is needed
        bool operator==(const Range &) const = default;
    };
    bool start();
    void run();
    enum class Outcome {
        Done,
        Superseded,  ///< something else is wanted
        Incomplete,  ///< a piece has not reached the file yet
    };
    Outcome bringBack(const Range &range);
    bool isCurrent(const Range &range);
    void setLost(const Range &range, std::uint64_t pieces);

    const std::shared_ptr<History> m_history;
    const std::shared_ptr<const StreamPlaces> m_places;

    // The thread's.
    PastReader m_reader;
    Transitions m_events;
    std::set<std::uint32_t> m_gone;  ///< slabs that the recording has no longer, or not as they were

    // Relaxed: for people. Both are of m_wanted, and change while m_mutex is held; but m_busy may become true without.
    std::atomic<bool> m_busy{false};
    std::atomic<std::uint64_t> m_lost{0};
    // Of look(), its thread's.
    Range m_asked;
    std::pair<std::uint64_t, std::uint64_t> m_seen;  ///< what is looked at, in memory or not, and
    std::uint64_t m_view = 0;                        ///< how often that has changed

    std::mutex m_mutex;  ///< guards what follows; held for a copy
    std::condition_variable m_changed;
    Range m_wanted;
    bool m_ending = false;
    std::thread m_thread;  ///< last: uses all of the above
};

}  // namespace ct
