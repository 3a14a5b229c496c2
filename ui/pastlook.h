// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the timeline shows and the trace has dropped is fetched from the recording, once the view stands still; and how
// busy the run was where memory has no events (yet). GUI thread.
#pragma once

#include <QElapsedTimer>
#include <QObject>

#include <cstdint>
#include <utility>

namespace ct {

class Capture;
class TimelineView;

class PastLook : public QObject {
    Q_OBJECT
public:
    /// Both must outlive it.
    PastLook(Capture &capture, TimelineView &timeline, QObject *parent = nullptr);

private:
    void tick();
    void showDensity();
    bool isFollowing() const;
    bool isInMemory(std::uint64_t from, std::uint64_t to) const;
    bool isRecorded() const;
    QString textOfMissing(bool moves) const;
    QString textOfBefore(bool moves) const;

    Capture &m_capture;
    TimelineView &m_timeline;
    std::pair<std::int64_t, std::int64_t> m_range;  ///< ns, at the last tick
    std::uint64_t m_version = 0;                    ///< of what was brought back, that the view shows
    QElapsedTimer m_sinceDensity;
    bool m_shownWhole = false;  ///< a file that is being read, by its overview
};

}  // namespace ct
