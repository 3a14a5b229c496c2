// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Lets a recorded stream pass at the pace of its capture, or at another speed. In a replay, it is between a FileLoader
// and its sinks. Qt-free.
//
// A batch passes as a whole when it is due, as a live capture would have emitted it. A step lets one transition pass,
// with the rows that belong to it. In between, batches without rows pass on the time, because the recording omits them.
// In total, the sinks get the recorded stream.
// See docs/decisions/0013-following-a-recording.md.
#pragma once

#include "core/playback/replaypace.h"
#include "core/stream/stream.h"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>

namespace ct {

/// Methods: any thread, unless stated otherwise.
class ReplayGate {
public:
    void play();
    void pause();
    void setSpeed(double speed);
    /// Lets one transition pass, then pauses.
    void step();
    /// Lets everything up to `ts` (ns, stream time) pass without waiting, then continues or stays paused. Never
    /// goes back.
    void runTo(std::uint64_t ts);
    /// Ends the wait in pass().
    void cancel();

    bool isPlaying() const;
    double speed() const;
    /// True while the source's thread waits, because everything that is due has passed.
    bool isWaiting() const;

    /// Source's thread: waits until `batch` is due, and calls `consume` with it, perhaps in pieces. Returns false when
    /// cancelled; the rest was not consumed.
    using Consume = std::function<void(const Batch &)>;
    bool pass(const Batch &batch, const Consume &consume);

private:
    enum class Word { Whole, Step, Time, Cancelled };
    Word await(std::uint64_t due, std::uint64_t &now);
    void returnStep();
    void change(const std::function<void(std::uint64_t wall)> &change);

    mutable std::mutex m_mutex;  ///< guards the members below
    std::condition_variable m_changed;
    ReplayPace m_pace;
    std::uint64_t m_passedTs = 0;  ///< ns; latest time that the sinks have consumed
    std::uint64_t m_steps = 0;
    bool m_cancelled = false;
    std::optional<std::uint64_t> m_waitsFor;  ///< stream time that the source's thread waits for
};

}  // namespace ct
