// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/recall.h"

#include <algorithm>
#include <chrono>

namespace ct {

namespace {

/// A recording is behind its capture by half a second and a queue.
constexpr std::chrono::milliseconds kRetry{200};

}  // namespace

Recall::Recall(std::shared_ptr<History> history, std::shared_ptr<const StreamPlaces> places)
    : m_history(std::move(history)), m_places(std::move(places)), m_reader(m_places)
{
}

Recall::~Recall()
{
    {
        const std::lock_guard lock(m_mutex);
        m_ending = true;
    }
    m_changed.notify_one();
    if (m_thread.joinable())
        m_thread.join();
}

void Recall::look(std::uint64_t from, std::uint64_t to)
{
    // What lies in the ring needs nobody; what left it since the last look may be asked for again.
    const Range range{from, std::min(to, m_history->droppedBefore()), m_history->droppedEvents()};
    if (range.from >= range.to || range == m_asked)
        return;
    m_asked = range;
    const std::lock_guard lock(m_mutex);
    m_wanted = range;
    if (!m_thread.joinable())
        m_thread = std::thread([this] { run(); });
    m_changed.notify_one();
}

void Recall::run()
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
        outcome = bringBack(range);
        // What was done before may have given way to a part of what was not finished.
        done = outcome == Outcome::Done ? range : Range();
        m_busy.store(false, std::memory_order_relaxed);
        lock.lock();
    }
}

bool Recall::isCurrent(const Range &range)
{
    const std::lock_guard lock(m_mutex);
    return !m_ending && m_wanted.from == range.from && m_wanted.to == range.to;
}

Recall::Outcome Recall::bringBack(const Range &range)
{
    const History::Look look = m_history->lookAt(range.from, range.to);
    std::uint64_t lost = 0;
    bool isComplete = true;
    for (const History::Missing &piece : look.missing) {
        if (!isCurrent(range))
            return Outcome::Superseded;
        if (m_gone.contains(piece.slab)) {
            ++lost;
            continue;
        }
        m_busy.store(true, std::memory_order_relaxed);
        // What has not reached the file yet will; the ring drops it much later.
        const bool mayCome = piece.endEvent > m_places->end();
        if (m_reader.read(piece.firstEvent, piece.endEvent, m_events)) {
            m_history->restore(piece, m_events, look);
        } else if (mayCome) {
            isComplete = false;
        } else {
            m_gone.insert(piece.slab);
            ++lost;
        }
    }
    m_lost.store(lost, std::memory_order_relaxed);
    return isComplete ? Outcome::Done : Outcome::Incomplete;
}

}  // namespace ct
