// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Due times of the parts of a recorded stream in a replay. A plain value: the caller supplies the time.
#pragma once

#include <cstdint>
#include <optional>

namespace ct {

/// `wall`: ns of any clock that does not go back. `ts`: ns, stream time.
class ReplayPace {
public:
    static constexpr double kSlowest = 0.1;
    static constexpr double kFastest = 100;

    /// The stream begins at `ts`, which is due at once. Later times follow from that. Only the first call counts.
    void beginStream(std::uint64_t wall, std::uint64_t ts);

    void play(std::uint64_t wall);
    void pause(std::uint64_t wall);
    bool isPlaying() const { return m_playing; }
    /// Sets the speed from now on, relative to the capture; clamped to kSlowest .. kFastest.
    void setSpeed(std::uint64_t wall, double speed);
    double speed() const { return m_speed; }
    /// Makes all events up to `ts` due at once, even while paused. The replay then continues from `ts`. A call before
    /// an earlier run has reached its end replaces that end. `ts` must not be earlier than the latest event shown.
    void runTo(std::uint64_t wall, std::uint64_t ts);
    /// The next data are at `ts`. Until runTo() has reached its end, no time passes, however long that takes.
    void comesTo(std::uint64_t wall, std::uint64_t ts);
    /// The data at `ts` were shown before they were due: the replay continues from there. Never goes back.
    void wentTo(std::uint64_t wall, std::uint64_t ts);

    /// Returns the stream time that the replay has reached.
    std::uint64_t position(std::uint64_t wall) const;
    /// Returns the wall time when `ts` is due, perhaps in the past; nullopt: never, while paused.
    std::optional<std::uint64_t> dueAt(std::uint64_t ts) const;

private:
    void moveStartTo(std::uint64_t wall);

    bool m_begun = false;
    bool m_playing = true;
    bool m_runsThrough = false;  ///< a run to m_through is under way, see runTo()
    double m_speed = 1;
    std::uint64_t m_wall = 0;     ///< when the position was m_ts
    std::uint64_t m_ts = 0;       ///< position at m_wall
    std::uint64_t m_through = 0;  ///< everything up to here is due, see runTo()
};

}  // namespace ct
