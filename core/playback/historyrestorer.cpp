// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/playback/historyrestorer.h"

#include <algorithm>
#include <chrono>
#include <system_error>

namespace ct {

namespace {

/// Retry interval. A recording is behind its capture by half a second and a queue.
constexpr std::chrono::milliseconds kRetry{200};

}  // namespace

HistoryRestorer::HistoryRestorer(std::shared_ptr<History> history, std::shared_ptr<const StreamIndex> streamIndex)
    : m_history(std::move(history)), m_streamIndex(std::move(streamIndex)), m_reader(m_streamIndex)
{
}

HistoryRestorer::~HistoryRestorer()
{
    {
        const std::lock_guard lock(m_mutex);
        m_ending = true;
    }
    m_changed.notify_one();
    if (m_thread.joinable())
        m_thread.join();
}

void HistoryRestorer::request(std::uint64_t from, std::uint64_t to)
{
    if (std::exchange(m_seen, {from, to}) != std::pair(from, to))
        ++m_view;
    // If more events were evicted since the last call, the range differs, and is requested again.
    Range range{from, std::min(to, m_history->evictedBefore()), m_history->evictedEvents(), m_view};
    if (range.isEmpty())
        range = {0, 0, 0, m_view};
    if (range == m_requested)
        return;
    m_requested = range;
    const std::lock_guard lock(m_mutex);
    if (m_wanted.view != range.view) {
        m_lost.store(0, std::memory_order_relaxed);
        m_busy.store(!range.isEmpty(), std::memory_order_relaxed);
    }
    m_wanted = range;
    if (!range.isEmpty() && !m_thread.joinable() && !start()) {
        m_busy.store(false, std::memory_order_relaxed);
        m_requested = {};  // the next request() tries again
    }
    m_changed.notify_one();
}

/// Returns false if the system has no thread, or no address space for one.
bool HistoryRestorer::start()
{
    try {
        m_thread = std::thread([this] { run(); });
    } catch (const std::system_error &) {
        return false;
    }
    return true;
}

void HistoryRestorer::run()
{
    Range done;
    Outcome outcome = Outcome::Done;
    std::unique_lock lock(m_mutex);
    for (;;) {
        const auto isWanted = [&] { return m_ending || m_wanted != done; };
        if (outcome == Outcome::Incomplete)
            m_changed.wait_for(lock, kRetry, [this] { return m_ending; });
        else
            m_changed.wait(lock, isWanted);
        if (m_ending)
            return;
        const Range range = m_wanted;
        lock.unlock();
        outcome = restoreRange(range);
        // An unfinished range may have displaced pieces that were restored before.
        done = outcome == Outcome::Done ? range : Range();
        lock.lock();
        if (m_wanted.view == range.view)
            m_busy.store(outcome == Outcome::Incomplete, std::memory_order_relaxed);
    }
}

bool HistoryRestorer::isCurrent(const Range &range)
{
    const std::lock_guard lock(m_mutex);
    return !m_ending && m_wanted.view == range.view && m_wanted.to == range.to;
}

/// Does nothing if another view is wanted by now.
void HistoryRestorer::setLost(const Range &range, std::uint64_t pieces)
{
    const std::lock_guard lock(m_mutex);
    if (m_wanted.view == range.view)
        m_lost.store(pieces, std::memory_order_relaxed);
}

HistoryRestorer::Outcome HistoryRestorer::restoreRange(const Range &range)
{
    if (range.isEmpty())
        return Outcome::Done;
    const History::Needed needed = m_history->neededFor(range.from, range.to);
    std::uint64_t lost = 0;
    bool isComplete = true;
    for (const History::Missing &piece : needed.missing) {
        if (!isCurrent(range))
            return Outcome::Superseded;
        if (m_gone.contains(piece.slab)) {
            ++lost;
            continue;
        }
        m_busy.store(true, std::memory_order_relaxed);
        // While the recording is being written, a piece may reach the file later. The ring evicts it much later than
        // that.
        const bool mayCome = !m_streamIndex->isClosed() && piece.endEvent > m_streamIndex->endPosition();
        const Result<void> read = m_reader.read(piece.firstEvent, piece.endEvent, m_events);
        if (!read && mayCome) {
            isComplete = false;
        } else if (!read || !m_history->restore(piece, m_events, needed)) {
            m_gone.insert(piece.slab);
            ++lost;
        }
    }
    setLost(range, lost);
    return isComplete ? Outcome::Done : Outcome::Incomplete;
}

}  // namespace ct
