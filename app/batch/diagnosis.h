// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The verdict on a run: collects what the rules need, and judges once. For --report and --fail-on: writes the report,
// and decides whether the findings fail the run. Qt-free.
#pragma once

#include "app/batch/deferredfile.h"
#include "app/commandline/commandline.h"
#include "core/analysis/decidedinstant.h"
#include "core/analysis/judge.h"
#include "core/analysis/stuck.h"
#include "core/reporting/knownfindings.h"
#include "core/reporting/report.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace ct {

class Diagnosis {
public:
    /// `target`: a name for the report.
    Diagnosis(const CommandLine::Diagnosis &options, std::shared_ptr<const Population> population, std::string target);

    /// The sink that judges, on the source's thread. Add it to the source before the population.
    std::shared_ptr<Sink> judge() const { return m_judge; }
    /// Further sinks. Add them to the source after the population.
    std::vector<std::shared_ptr<Sink>> sinks() const { return {m_data, m_history}; }
    std::shared_ptr<const History> history() const { return m_history; }
    /// Add it to the resolver of the run.
    std::function<void(const std::vector<FrameLocation> &)> frameListener() const
    {
        return [data = m_data](const std::vector<FrameLocation> &frames) { data->addFrames(frames); };
    }
    Result<void> readBaseline();
    /// Opens the file of the report, without changing an older one.
    Result<void> open();
    /// Replaces readBaseline() and open(): takes over what `former` has read and opened. `former` writes no report.
    void continueFrom(Diagnosis &former);
    /// Empties an older report, so that it cannot be mistaken for that of this run. Call it when the run has begun: if
    /// a program cannot be started or a recording cannot be opened, the older report stays.
    Result<void> dropOlder();
    /// Judges at `instant` (ns, CLOCK_MONOTONIC, > 0), once the stream has reached it, by all batches whose time is not
    /// later. So the verdict does not depend on the time of the call, as long as the stream has not passed the instant.
    /// Any thread; the first call counts.
    void judgeAt(std::uint64_t instant);
    /// For a live run: see DecidedInstant::decide().
    std::uint64_t judgeNow(const std::function<void(std::uint64_t)> &record) { return m_instant.decide(record); }
    /// Call it after the end of the stream. If there is no verdict yet, judges at the instant, or else at the end.
    void finishJudging();
    /// Writes the report. Call it after finishJudging(), when the locations are resolved. `isGivenUp`: see
    /// DeferredFile::write().
    Result<void> write(const AddressResolver *resolver, const std::function<bool()> &isGivenUp = {});
    /// Call it if there will be no report. Removes the file, unless it is an older one that is still whole.
    void discard();
    /// Judges the run so far, without an effect on the report. Any thread.
    Verdict presentVerdict() const;
    std::vector<StuckGroup> presentlyStuck() const { return stuckCoroutines(presentVerdict(), *m_population); }
    struct Stuck {
        std::uint64_t judgedAt = 0;  ///< ns, CLOCK_MONOTONIC
        std::vector<StuckGroup> groups;
    };
    /// A report of the verdict, or of the run so far if there is none yet, without stacks, coroutines and baseline. Any
    /// thread.
    std::shared_ptr<const Report> presentReport(const AddressResolver *resolver) const;
    /// The stuck coroutines of the report's verdict; nullptr: not judged yet. Any thread.
    std::shared_ptr<const Stuck> stuck() const;
    /// What that verdict does not judge. Call it after finishJudging().
    const std::vector<Abstention> &abstained() const { return m_verdict->abstained; }
    /// After write(): why the findings fail the run, in one line; empty if they do not.
    std::string failure() const { return m_failure; }
    /// Resolves the addresses that the report needs, within ten seconds. Call it after finishJudging(), on the thread
    /// that polls the resolver.
    void resolveLocations(AddressResolver &resolver) const;

private:
    class Judge;
    bool listsCoroutines() const;
    void makeVerdict(std::uint64_t instant);
    void decideFailure(const Report &report);

    const CommandLine::Diagnosis m_options;
    const std::shared_ptr<const Population> m_population;
    const std::string m_target;
    const std::shared_ptr<JudgeData> m_data;
    const std::shared_ptr<History> m_history;
    KnownFindings m_baseline;
    std::optional<DeferredFile> m_file;
    const std::shared_ptr<Sink> m_judge;
    DecidedInstant m_instant;    ///< none: the end
    mutable std::mutex m_mutex;  ///< guards m_stuck and m_verdict
    /// Set on the source's thread, or on the main thread after the end of the stream; nullptr before.
    std::shared_ptr<const Verdict> m_verdict;
    std::shared_ptr<const Stuck> m_stuck;
    std::vector<ChainGroup> m_stacks;  ///< of the instant of the verdict
    CoroutineList m_list;              ///< of the instant; empty unless the report lists coroutines
    std::string m_failure;
};

}  // namespace ct
