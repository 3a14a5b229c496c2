// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/playback/replaygate.h"

#include "core/recording/write/batchsplitter.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <iterator>
#include <limits>
#include <vector>

namespace ct {

namespace {

/// Interval of the batches that only pass on the time: that of the views.
constexpr std::chrono::milliseconds kTimeInterval{33};
constexpr std::size_t kAnyRows = std::numeric_limits<std::size_t>::max() / 2;
/// Number of pieces when a batch is cut. Cutting a large batch into single transitions would need much memory.
constexpr std::size_t kPieces = 64;

std::uint64_t wallNow()
{
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch() /
                                      std::chrono::nanoseconds(1));
}

bool holdsTransitions(const Batch &batch)
{
    return !batch.transitions.empty();
}

/// Cuts the first piece with transitions until that piece has only one.
void stepInto(std::deque<Batch> &pieces)
{
    for (;;) {
        const auto first = std::find_if(pieces.begin(), pieces.end(), holdsTransitions);
        if (first->transitions.size() == 1)
            return;
        const std::size_t size = std::max<std::size_t>(1, first->transitions.size() / kPieces);
        std::vector<Batch> parts = piecesOf(*first, {size, kAnyRows});
        const auto behind = pieces.erase(first);
        pieces.insert(behind, std::make_move_iterator(parts.begin()), std::make_move_iterator(parts.end()));
    }
}

}  // namespace

void ReplayGate::change(const std::function<void(std::uint64_t wall)> &change)
{
    {
        const std::lock_guard lock(m_mutex);
        change(wallNow());
    }
    m_changed.notify_all();
}

void ReplayGate::play()
{
    change([this](std::uint64_t wall) {
        m_pace.play(wall);
        m_steps = 0;  // steps that were not made yet do not count: their events pass when they are due
    });
}

void ReplayGate::pause()
{
    change([this](std::uint64_t wall) { m_pace.pause(wall); });
}

void ReplayGate::setSpeed(double speed)
{
    change([this, speed](std::uint64_t wall) { m_pace.setSpeed(wall, speed); });
}

void ReplayGate::step()
{
    change([this](std::uint64_t wall) {
        m_pace.pause(wall);
        ++m_steps;
    });
}

void ReplayGate::runTo(std::uint64_t ts)
{
    change([this, ts](std::uint64_t wall) { m_pace.runTo(wall, ts); });
}

void ReplayGate::cancel()
{
    change([this](std::uint64_t) { m_cancelled = true; });
}

/// Restores a step that found no transition, so that it counts for the next batch. Does nothing while playing.
void ReplayGate::returnStep()
{
    change([this](std::uint64_t) { m_steps += m_pace.isPlaying() ? 0 : 1; });
}

bool ReplayGate::isPlaying() const
{
    const std::lock_guard lock(m_mutex);
    return m_pace.isPlaying();
}

bool ReplayGate::isWaiting() const
{
    const std::lock_guard lock(m_mutex);
    if (!m_waitsFor || m_steps > 0 || m_cancelled)
        return false;
    const std::optional<std::uint64_t> when = m_pace.dueAt(*m_waitsFor);
    return !when || *when > wallNow();
}

double ReplayGate::speed() const
{
    const std::lock_guard lock(m_mutex);
    return m_pace.speed();
}

/// Waits for what may happen with a batch that is due at `due`. Word::Time: only pass on the time `now`.
ReplayGate::Word ReplayGate::await(std::uint64_t due, std::uint64_t &now)
{
    std::unique_lock lock(m_mutex);
    for (;;) {
        const std::uint64_t wall = wallNow();
        m_pace.beginStream(wall, due);
        m_pace.comesTo(wall, due);
        if (m_cancelled)
            return Word::Cancelled;
        const std::optional<std::uint64_t> when = m_pace.dueAt(due);
        if (when && *when <= wall) {
            m_passedTs = std::max(m_passedTs, due);
            return Word::Whole;
        }
        if (m_steps > 0) {
            --m_steps;
            m_passedTs = std::max(m_passedTs, due);
            m_pace.wentTo(wall, due);
            return Word::Step;
        }
        now = std::min(m_pace.position(wall), due - 1);
        if (now > m_passedTs) {
            m_passedTs = now;
            return Word::Time;
        }
        m_waitsFor = due;
        if (when)
            m_changed.wait_for(
                lock, std::min<std::chrono::nanoseconds>(kTimeInterval, std::chrono::nanoseconds(*when - wall)));
        else
            m_changed.wait(lock);
        m_waitsFor.reset();
    }
}

bool ReplayGate::pass(const Batch &batch, const Consume &consume)
{
    std::deque<Batch> pieces;  // rest of the batch, after a step has cut it
    const auto consumeFirst = [&] {
        consume(pieces.front());
        pieces.pop_front();
    };
    Batch time;
    for (;;) {
        switch (await(batch.now, time.now)) {
        case Word::Cancelled: return false;
        case Word::Time: consume(time); break;
        case Word::Whole:
            if (pieces.empty())
                consume(batch);
            while (!pieces.empty())
                consumeFirst();
            return true;
        case Word::Step:
            if (!holdsTransitions(batch)) {
                consume(batch);
                returnStep();
                return true;
            }
            if (pieces.empty())
                pieces.push_back(batch);
            stepInto(pieces);
            // Rows before the transition belong to it. With the last transition, the rest of the batch passes.
            while (!holdsTransitions(pieces.front()))
                consumeFirst();
            consumeFirst();
            if (std::none_of(pieces.begin(), pieces.end(), holdsTransitions)) {
                while (!pieces.empty())
                    consumeFirst();
                return true;
            }
        }
    }
}

}  // namespace ct
