// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Judges a run at one instant, while its stream passes. What follows in the stream, such as the end of the target, has
// not happened yet then.
#pragma once

#include "core/analysis/circumstances.h"
#include "core/analysis/decidedinstant.h"
#include "core/analysis/judge.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

namespace ct {

/// A Sink that changes nothing. Add it to a source in front of the population, with the population, the data and the
/// history behind it: in front of the first batch that is later than the instant, all of them have the batches before.
class InstantJudge final : public Sink {
public:
    /// A verdict, with the circumstances of the first coroutine of each of the first kMostDescribed findings.
    struct Outcome {
        Verdict verdict;
        std::map<CoroutineId, Circumstances> circumstances;
    };
    static constexpr std::size_t kMostDescribed = 200;

    InstantJudge(std::shared_ptr<const Population> population, std::shared_ptr<const JudgeData> data,
                 std::shared_ptr<const History> history, const Thresholds &thresholds = {});

    /// Sets the instant: ns, CLOCK_MONOTONIC. Any thread. The first call counts. Without effect if the stream has
    /// passed the instant.
    void judgeAt(std::uint64_t instant);
    /// For a live run: see DecidedInstant::decide().
    std::uint64_t judgeNow(const std::function<void(std::uint64_t)> &record) { return m_instant.decide(record); }
    std::uint64_t instant() const { return m_instant.value(); }  ///< 0 = none. Any thread.
    /// nullptr: the stream has not passed the instant yet. Any thread.
    std::shared_ptr<const Outcome> outcome() const;

    /// The source's thread only.
    Result<void> consume(const Batch &batch) override;

private:
    const std::shared_ptr<const Population> m_population;
    const std::shared_ptr<const JudgeData> m_data;
    const std::shared_ptr<const History> m_history;
    const Thresholds m_thresholds;
    DecidedInstant m_instant;
    bool m_isDone = false;       ///< the source's thread
    mutable std::mutex m_mutex;  ///< guards m_outcome
    std::shared_ptr<const Outcome> m_outcome;
};

}  // namespace ct
