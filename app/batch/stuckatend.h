// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Determines which coroutines are stuck when a batch run ends, at two instants: when the end is decided, before ending
// the target destroys its coroutines, and at the end of the stream.
#pragma once

#include "app/batch/diagnosis.h"
#include "app/batch/stuckresolver.h"
#include "app/batch/summary.h"

#include <QDeadlineTimer>
#include <QObject>
#include <QTimer>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace ct {

/// Lives on the main thread.
class StuckAtEnd final : public QObject {
    Q_OBJECT
public:
    static constexpr std::chrono::milliseconds kCatchUp{1000};
    /// `diagnosis` must outlive this object. `catchUp`: how long to wait for the stream to be complete up to the
    /// decision.
    StuckAtEnd(const Diagnosis &diagnosis, std::shared_ptr<const Population> population,
               std::shared_ptr<AddressResolver> resolver, std::chrono::milliseconds catchUp = kCatchUp);

    /// Waits for the verdict at `wantedNs` (ns of CLOCK_MONOTONIC), but not for long: if the decoder is behind, judges
    /// at the time of the stream. Then resolves the locations and emits resolved(), never from within the call.
    /// `targetEnds`: this program will end the target, so this judgement counts.
    void decide(bool targetEnds, std::uint64_t wantedNs);
    bool isDeciding() const { return m_timer.isActive(); }
    /// Judges now if there is no verdict yet, stops resolving, and emits resolved().
    void stopResolving();
    /// For a run that has ended by itself: emits resolved(), and finish() does the rest.
    void endResolving();
    /// Returns the judgement of decide(), if it counts.
    std::optional<StuckInstant> decided() const;
    /// Call it after Diagnosis::finishJudging(). Sets everything about stuck coroutines in the summary.
    void finish(Summary &summary);

Q_SIGNALS:
    void reported(const QString &message);
    void resolved();

private:
    void step();
    bool isJudged() const;
    void judge();
    void report();
    std::vector<FoundGroup> resolvedGroups(const std::vector<StuckGroup> &stuck);

    const Diagnosis &m_diagnosis;
    std::shared_ptr<const Population> m_population;
    std::shared_ptr<AddressResolver> m_resolver;
    const std::chrono::milliseconds m_catchUp;
    std::optional<StuckResolver> m_stuckResolver;
    QTimer m_timer;
    QDeadlineTimer m_patience;  ///< how long to wait for the stream
    bool m_targetEnds = false;
    std::uint64_t m_wantedNs = 0;
    std::uint64_t m_decidedNs = 0;
    std::optional<std::vector<StuckGroup>> m_decided;
    /// Groups of m_decided, unless the run ended before they were resolved.
    std::optional<std::vector<FoundGroup>> m_found;
};

}  // namespace ct
