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
class History;
struct RecordingOverview;
class TimelineView;

class PastLook : public QObject {
    Q_OBJECT
public:
    /// Both must outlive it.
    PastLook(Capture &capture, TimelineView &timeline, QObject *parent = nullptr);

private:
    void forget();
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
    /// What the density that is shown was made of.
    struct Basis {
        const History *history = nullptr;
        const RecordingOverview *overview = nullptr;
        std::uint64_t streamed = 0;
        std::uint64_t dropped = 0;
        std::uint64_t restored = 0;
        std::uint64_t firstTs = 0;
        std::uint64_t lastTs = 0;
        bool operator==(const Basis &) const = default;
    };
    Basis m_basis;
    bool m_shownWhole = false;  ///< a file that is being read, by its overview
};

}  // namespace ct
