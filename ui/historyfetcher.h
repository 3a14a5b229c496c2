// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Restores evicted events that the timeline shows from the recording, once the view stands still. Also computes the
// event density where events are not in memory (yet). GUI thread.
#pragma once

#include <QElapsedTimer>
#include <QObject>

#include <cstdint>
#include <utility>

namespace ct {

class History;
struct RecordingOverview;
class Run;
class Sampler;
class TimelineView;

class HistoryFetcher : public QObject {
    Q_OBJECT
public:
    /// Both must outlive this object.
    HistoryFetcher(const Sampler &sampler, TimelineView &timeline, QObject *parent = nullptr);

    /// Replaces the run, and discards the state of the previous one. The caller owns the run, and replaces it before it
    /// is destroyed.
    void setRun(const Run *run);

private:
    void tick();
    void showDensity();
    bool isFollowing() const;
    bool isInMemory(std::uint64_t from, std::uint64_t to) const;
    bool canRestore() const;
    QString textOfMissing(bool moves) const;
    QString textOfBefore(bool moves) const;

    const Run *m_run = nullptr;
    const Sampler &m_sampler;
    TimelineView &m_timeline;
    std::pair<std::int64_t, std::int64_t> m_range;  ///< visible range at the last tick, in ns
    std::uint64_t m_version = 0;                    ///< restoredVersion() of the events that the view shows
    QElapsedTimer m_sinceDensity;
    /// The inputs of the density that is shown.
    struct Basis {
        const History *history = nullptr;
        const RecordingOverview *overview = nullptr;
        std::uint64_t streamed = 0;
        std::uint64_t evicted = 0;
        std::uint64_t restored = 0;
        std::uint64_t firstTs = 0;
        std::uint64_t lastTs = 0;
        bool operator==(const Basis &) const = default;
    };
    Basis m_basis;
    bool m_shownWhole = false;  ///< the overview of a loading file was shown as a whole
};

}  // namespace ct
