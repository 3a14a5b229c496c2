// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Who is stuck when a batch run ends. Judged at two instants: when its end is decided while the target still runs, as
// ending it may destroy its coroutines; and at the end of the stream, as a window judges the recording of the run.
#pragma once

#include "app/findings.h"
#include "app/placelearner.h"

#include <QObject>
#include <QTimer>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace ct {

/// Lives on the main thread.
class EndJudge final : public QObject {
    Q_OBJECT
public:
    EndJudge(std::shared_ptr<const Population> population, std::shared_ptr<Places> places, QObject *parent = nullptr);

    /// Judges at the time of the population, then has the places looked up; learned() follows, never from within. Later
    /// events may be unread still: a coroutine that such an event resumed would be called stuck.
    /// `targetEnds`: the target will be ended by us, so this judgement counts.
    void decide(bool targetEnds);
    bool isLearning() const { return m_learner.has_value(); }
    /// Learns no more; learned() follows at once.
    void stopLearning();
    /// The same, as the run has ended by itself: finish() looks up what is left.
    void endLearning();
    /// The judgement of decide(), if it counts.
    std::optional<StuckInstant> decided() const;
    /// The stream has ended: judges at its end, and fills in all that the summary says of stuck coroutines.
    void finish(Summary &summary);

Q_SIGNALS:
    void said(const QString &message);
    void learned();

private:
    void learn();
    std::vector<FoundGroup> lookedUp(const std::vector<StuckGroup> &stuck);

    std::shared_ptr<const Population> m_population;
    std::shared_ptr<Places> m_places;
    std::optional<PlaceLearner> m_learner;
    QTimer m_timer;
    std::uint64_t m_decidedNs = 0;
    std::optional<std::vector<StuckGroup>> m_decided;
    std::optional<std::vector<FoundGroup>> m_found;  ///< of m_decided, unless the run ended before its learning
};

}  // namespace ct
