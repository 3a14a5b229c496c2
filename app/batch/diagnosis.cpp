// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/diagnosis.h"

#include "app/batch/baseline.h"
#include "core/reporting/reportformats.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace ct {

namespace {

/// Memory for the latest events, which the rules read.
constexpr std::uint64_t kHistoryBytes = 256 << 20;

constexpr std::chrono::seconds kResolve{10};  ///< most time for resolving addresses
constexpr std::chrono::milliseconds kResolveStep{2};

}  // namespace

/// Judges before the first batch that is later than the instant. At this moment, all sinks have the batches before it,
/// and nothing else changes them.
class Diagnosis::Judge final : public Sink {
public:
    explicit Judge(Diagnosis &diagnosis) : m_diagnosis(diagnosis) {}
    Result<void> consume(const Batch &batch) override
    {
        const std::uint64_t instant = m_diagnosis.m_instant.beforeBatch();
        if (instant != 0 && batch.now > instant)
            m_diagnosis.makeVerdict(instant);
        return {};
    }

private:
    Diagnosis &m_diagnosis;
};

Diagnosis::Diagnosis(const CommandLine::Diagnosis &options, std::shared_ptr<const Population> population,
                     std::string target)
    : m_options(options),
      m_population(std::move(population)),
      m_target(std::move(target)),
      m_data(std::make_shared<JudgeData>(m_population)),
      m_history(std::make_shared<History>(kHistoryBytes)),
      m_judge(std::make_shared<Judge>(*this))
{
}

Result<void> Diagnosis::readBaseline()
{
    if (m_options.baselinePath.empty())
        return {};
    Result<KnownFindings> baseline = ct::readBaseline(m_options.baselinePath);
    if (!baseline)
        return baseline.error();
    m_baseline = std::move(*baseline);
    return {};
}

Result<void> Diagnosis::open()
{
    if (m_options.report.empty())
        return {};
    Result<DeferredFile> file = DeferredFile::open(m_options.reportPath);
    if (!file)
        return file.error();
    m_file.emplace(std::move(*file));
    return {};
}

void Diagnosis::continueFrom(Diagnosis &former)
{
    m_baseline = std::move(former.m_baseline);
    if (former.m_file)
        m_file.emplace(std::move(*former.m_file));
    former.m_file.reset();
}

Result<void> Diagnosis::dropOlder()
{
    return m_file ? m_file->dropOlder() : Result<void>();
}

void Diagnosis::judgeAt(std::uint64_t instant)
{
    m_instant.set(instant);
}

void Diagnosis::finishJudging()
{
    const std::uint64_t instant = m_instant.value();
    makeVerdict(instant != 0 ? instant : m_population->now());
}

void Diagnosis::makeVerdict(std::uint64_t instant)
{
    if (m_verdict)
        return;
    auto verdict =
        std::make_shared<const Verdict>(ct::judge({*m_population, *m_data, *m_history}, instant, m_options.thresholds));
    if (!m_options.report.empty())
        m_stacks = chainGroupsOf(*m_population);
    auto stuck = std::make_shared<const Stuck>(Stuck{instant, stuckCoroutines(*verdict, *m_population)});
    {
        const std::lock_guard lock(m_mutex);
        m_stuck = std::move(stuck);
        m_verdict = std::move(verdict);
    }
    if (listsCoroutines())
        m_list = listCoroutines(*m_population, *m_verdict);
}

bool Diagnosis::listsCoroutines() const
{
    const ReportFormat *const format = reportFormat(m_options.report);
    return format && format->listsCoroutines;
}

std::shared_ptr<const Diagnosis::Stuck> Diagnosis::stuck() const
{
    const std::lock_guard lock(m_mutex);
    return m_stuck;
}

std::shared_ptr<const Report> Diagnosis::presentReport(const AddressResolver *resolver) const
{
    std::shared_ptr<const Verdict> verdict;
    {
        const std::lock_guard lock(m_mutex);
        verdict = m_verdict;
    }
    if (!verdict)
        verdict = std::make_shared<const Verdict>(presentVerdict());
    return std::make_shared<const Report>(makeReport(*verdict, {}, *m_population, resolver, m_target));
}

Verdict Diagnosis::presentVerdict() const
{
    return ct::judge({*m_population, *m_data, *m_history}, m_population->now(), m_options.thresholds);
}

Result<void> Diagnosis::write(const AddressResolver *resolver, const std::function<bool()> &isGivenUp)
{
    Report report = makeReport(*m_verdict, m_stacks, *m_population, resolver, m_target);
    std::erase_if(report.findings, [this](const ReportedFinding &reported) {
        return m_baseline.cover(reported.fingerprint, reported.finding.severity);
    });
    if (listsCoroutines())
        report.run = makeReportedRun(m_list, *m_verdict, *m_population, *m_history, resolver);
    decideFailure(report);
    return m_file ? m_file->write(reportFormat(m_options.report)->write(report), isGivenUp) : Result<void>();
}

void Diagnosis::resolveLocations(AddressResolver &resolver) const
{
    std::vector<AddressResolver::Query> open = ct::openLocations(*m_verdict, m_stacks, *m_population);
    addOpenLocations(m_list, open);
    const auto end = std::chrono::steady_clock::now() + kResolve;
    for (const AddressResolver::Query &query : open)
        static_cast<void>(resolver.resolveOrRequest(query));
    for (resolver.poll(); !resolver.isIdle() && std::chrono::steady_clock::now() < end; resolver.poll())
        std::this_thread::sleep_for(kResolveStep);
}

void Diagnosis::discard()
{
    if (m_file)
        m_file->discard();
}

void Diagnosis::decideFailure(const Report &report)
{
    std::size_t others = 0;
    const ReportedFinding *first = nullptr;
    for (const ReportedFinding &reported : report.findings) {
        const Finding &finding = reported.finding;
        const bool isWanted =
            std::find(m_options.failOn.begin(), m_options.failOn.end(), finding.rule) != m_options.failOn.end();
        if (!isWanted || finding.severity == Severity::Info || finding.confidence < m_options.confidence)
            continue;
        if (first)
            ++others;
        else
            first = &reported;
    }
    if (!first)
        return;
    m_failure = "failed by --fail-on: " + std::string(nameOf(first->finding.rule)) + ": " + sentenceOf(*first);
    if (others != 0)
        m_failure += ", and " + std::to_string(others) + (others == 1 ? " other finding" : " other findings");
}

}  // namespace ct
