// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Judges which coroutines are stuck when a batch run ends, at two instants. The first is when the end is decided and
// the target still runs, because ending it may destroy its coroutines. The second is the end of the stream, where a
// window judges the recording of the run.
#pragma once

#include "app/batch/stuckresolver.h"
#include "app/batch/summary.h"

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
    StuckAtEnd(std::shared_ptr<const Population> population, std::shared_ptr<AddressResolver> resolver,
               QObject *parent = nullptr);

    /// Judges at the time of the population, then resolves the locations; resolved() follows, never from within the
    /// call. Later events may still be unread: a coroutine that such an event resumed is judged stuck. `targetEnds`: we
    /// will end the target, so this judgement counts.
    void decide(bool targetEnds);
    bool isResolving() const { return m_stuckResolver.has_value(); }
    /// Resolves no more, and emits resolved().
    void stopResolving();
    /// As stopResolving(), for a run that has ended by itself: finish() resolves the rest.
    void endResolving();
    /// Returns the judgement of decide(), if it counts.
    std::optional<StuckInstant> decided() const;
    /// Call it after the end of the stream: judges there, and fills in all about stuck coroutines in the summary.
    void finish(Summary &summary);

Q_SIGNALS:
    void reported(const QString &message);
    void resolved();

private:
    void resolve();
    std::vector<FoundGroup> resolvedGroups(const std::vector<StuckGroup> &stuck);

    std::shared_ptr<const Population> m_population;
    std::shared_ptr<AddressResolver> m_resolver;
    std::optional<StuckResolver> m_stuckResolver;
    QTimer m_timer;
    std::uint64_t m_decidedNs = 0;
    std::optional<std::vector<StuckGroup>> m_decided;
    /// Groups of m_decided, unless the run ended before they were resolved.
    std::optional<std::vector<FoundGroup>> m_found;
};

}  // namespace ct
