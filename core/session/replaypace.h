// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// When what of a recorded stream is due in a replay. A plain value: who uses it says what time it is.
#pragma once

#include <cstdint>
#include <optional>

namespace ct {

/// `wall`: ns of any clock that does not go back; `ts`: ns, the stream's time.
class ReplayPace {
public:
    static constexpr double kSlowest = 0.1;
    static constexpr double kFastest = 100;

    /// The stream begins at `ts`: due at once. Everything else follows from there; only the first call counts.
    void begin(std::uint64_t wall, std::uint64_t ts);
    bool hasBegun() const { return m_begun; }

    void play(std::uint64_t wall);
    void pause(std::uint64_t wall);
    bool isPlaying() const { return m_playing; }
    /// From now on so much faster than it was; clamped to kSlowest .. kFastest.
    void setSpeed(std::uint64_t wall, double speed);
    double speed() const { return m_speed; }
    /// Everything up to `ts` is due at once, also while it stands still; it goes on from there. Never back
    /// behind what was shown; on the way to a later place it is the new one that counts.
    void runTo(std::uint64_t wall, std::uint64_t ts);
    /// What is at `ts` comes next. As long as runTo() has not got through no time passes, however long that takes.
    void comesTo(std::uint64_t wall, std::uint64_t ts);
    /// What is at `ts` was shown without being due: it goes on from there. Never back.
    void wentTo(std::uint64_t wall, std::uint64_t ts);

    /// The stream's time that has come.
    std::uint64_t position(std::uint64_t wall) const;
    /// The wall time when `ts` is due, perhaps in the past; nullopt: not as long as it stands still.
    std::optional<std::uint64_t> dueAt(std::uint64_t ts) const;

private:
    void settle(std::uint64_t wall);

    bool m_begun = false;
    bool m_playing = true;
    bool m_runsThrough = false;  ///< up to m_through; what is shown is not there yet
    double m_speed = 1;
    std::uint64_t m_wall = 0;     ///< when
    std::uint64_t m_ts = 0;       ///< this was the position
    std::uint64_t m_through = 0;  ///< see runTo()
};

}  // namespace ct
