// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Lets a recorded stream through at the pace at which it was captured, or another: what stands between a FileLoader and
// its sinks in a replay. Qt-free.
//
// A batch is let through as a whole when its time has come, as a live capture would have given it; a step lets one
// transition through, with what belongs to it. In between, batches that hold nothing but a time tell the sinks how it
// passes, which the recording leaves out. So in the end the sinks have got the recorded stream.
#pragma once

#include "core/session/replaypace.h"
#include "core/trace/stream.h"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>

namespace ct {

/// Methods without another word: any thread.
class ReplayGate {
public:
    void play();
    void pause();
    void setSpeed(double speed);
    /// One transition more; it stands still then.
    void step();
    /// Runs through to `ts` (ns, the stream's) without waiting, and goes on, or stands still, there. Never back.
    void runTo(std::uint64_t ts);
    /// Whoever waits at the gate is sent away.
    void cancel();

    bool isPlaying() const;
    double speed() const;
    /// All that is due was let through, and the source's thread waits.
    bool isWaiting() const;

    /// The source's thread: waits until `batch` is due, and has `consume` take it, perhaps in pieces. False: cancelled;
    /// the rest was not taken.
    using Consume = std::function<void(const Batch &)>;
    bool pass(const Batch &batch, const Consume &consume);

private:
    enum class Word { Whole, Step, Time, Cancelled };
    Word await(std::uint64_t due, std::uint64_t &now);
    void returnStep();
    void change(const std::function<void(std::uint64_t wall)> &change);

    mutable std::mutex m_mutex;  ///< guards all that follows
    std::condition_variable m_changed;
    ReplayPace m_pace;
    std::uint64_t m_told = 0;  ///< the latest time that the sinks know
    std::uint64_t m_steps = 0;
    bool m_cancelled = false;
    std::optional<std::uint64_t> m_waitsFor;  ///< the stream's time that the thread waits for
};

}  // namespace ct
