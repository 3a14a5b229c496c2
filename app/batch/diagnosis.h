// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What --report and --fail-on do: collect what the rules need, judge once, write the report, and decide whether the
// findings fail the run. Qt-free.
#pragma once

#include "app/batch/deferredfile.h"
#include "app/commandline/commandline.h"
#include "core/analysis/judge.h"
#include "core/reporting/report.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ct {

class Diagnosis {
public:
    /// `target`: a name for the report.
    Diagnosis(const CommandLine::Diagnosis &options, std::shared_ptr<const Population> population, std::string target);

    /// Add them to the source, behind the population.
    std::vector<std::shared_ptr<Sink>> sinks() const { return {m_objects, m_history}; }
    /// Reads the baseline, and opens the file of the report.
    Result<void> open();
    /// Judges at `now` (ns, CLOCK_MONOTONIC). The first call counts; later ones do nothing.
    void judge(std::uint64_t now);
    bool hasJudged() const { return m_verdict.has_value(); }
    /// Writes the report. Call it after judge(), when the locations are resolved.
    Result<void> write(const AddressResolver *resolver);
    /// Removes the file of the report, because there will be none.
    void discard();
    /// After write(): why the findings fail the run, in one line; empty if they do not.
    std::string failure() const { return m_failure; }
    /// After judge(): the addresses that the report needs.
    std::vector<AddressResolver::Query> openLocations() const;

private:
    void decideFailure(const Report &report);

    const CommandLine::Diagnosis &m_options;
    const std::shared_ptr<const Population> m_population;
    const std::string m_target;
    const std::shared_ptr<ObjectHistory> m_objects = std::make_shared<ObjectHistory>();
    const std::shared_ptr<History> m_history;
    std::vector<std::string> m_baseline;  ///< fingerprints of known findings, sorted
    std::optional<DeferredFile> m_file;
    std::optional<Verdict> m_verdict;
    std::vector<ChainGroup> m_stacks;  ///< of the instant of the verdict
    std::string m_failure;
};

}  // namespace ct
