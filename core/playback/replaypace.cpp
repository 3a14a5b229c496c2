// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/playback/replaypace.h"

#include <algorithm>

namespace ct {

namespace {

/// Limit for recordings with wild times: some 29 years, which is as good as never.
constexpr double kMostNs = 9e17;

std::uint64_t scaled(std::uint64_t ns, double factor)
{
    return static_cast<std::uint64_t>(std::min(static_cast<double>(ns) * factor, kMostNs));
}

}  // namespace

void ReplayPace::beginStream(std::uint64_t wall, std::uint64_t ts)
{
    if (m_begun)
        return;
    m_begun = true;
    m_wall = wall;
    m_ts = std::max(m_ts, ts);
    m_through = std::max(m_through, ts);
}

/// Makes the present position the start for later positions.
void ReplayPace::moveStartTo(std::uint64_t wall)
{
    m_ts = position(wall);
    m_wall = wall;
}

void ReplayPace::play(std::uint64_t wall)
{
    moveStartTo(wall);
    m_playing = true;
}

void ReplayPace::pause(std::uint64_t wall)
{
    moveStartTo(wall);
    m_playing = false;
}

void ReplayPace::setSpeed(std::uint64_t wall, double speed)
{
    moveStartTo(wall);
    m_speed = std::clamp(speed, kSlowest, kFastest);
}

void ReplayPace::runTo(std::uint64_t wall, std::uint64_t ts)
{
    if (m_runsThrough) {  // under way to another position, which no longer counts
        m_through = m_ts = ts;
        return;
    }
    m_through = std::max(m_through, ts);
    m_runsThrough = ts > position(wall);
    wentTo(wall, ts);
}

void ReplayPace::comesTo(std::uint64_t wall, std::uint64_t ts)
{
    if (ts <= m_through || !m_runsThrough)
        return;
    m_runsThrough = false;
    m_wall = wall;
}

void ReplayPace::wentTo(std::uint64_t wall, std::uint64_t ts)
{
    moveStartTo(wall);
    m_ts = std::max(m_ts, ts);
}

std::uint64_t ReplayPace::position(std::uint64_t wall) const
{
    if (!m_playing || !m_begun || m_runsThrough || wall <= m_wall)
        return m_ts;
    return m_ts + scaled(wall - m_wall, m_speed);
}

std::optional<std::uint64_t> ReplayPace::dueAt(std::uint64_t ts) const
{
    if (ts <= m_through)
        return 0;
    if (!m_playing)
        return std::nullopt;
    return ts <= m_ts ? m_wall : m_wall + scaled(ts - m_ts, 1 / m_speed);
}

}  // namespace ct
