// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/runjudge.h"

#include "core/base/usedtime.h"

#include <algorithm>
#include <utility>

namespace ct {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

milliseconds RunJudge::pauseAfter(nanoseconds cost)
{
    constexpr milliseconds kShortest{500};
    constexpr milliseconds kUsual{1000};
    const auto costMs = std::chrono::ceil<milliseconds>(cost);
    return std::max({kShortest, std::min(20 * costMs, kUsual), 10 * costMs});
}

/// A judgement in progress: the worker fills the last two members, then passes the job to the GUI thread in a queued
/// call.
struct RunJudge::Job {
    std::uint64_t instant = 0;
    bool isDecided = false;
    bool isLast = false;
    std::shared_ptr<const Verdict> verdict;  ///< nullptr: judge; else only the locations are resolved anew
    std::map<CoroutineId, Circumstances> circumstances;
    std::uint64_t generation = 0;  ///< of the addresses
    nanoseconds cost{0};
    std::shared_ptr<Judgement> judgement;
};

RunJudge::RunJudge(std::shared_ptr<const Population> population, std::shared_ptr<const History> history,
                   std::shared_ptr<AddressResolver> resolver, const Thresholds &thresholds)
    : m_population(std::move(population)),
      m_history(std::move(history)),
      m_resolver(std::move(resolver)),
      m_thresholds(thresholds),
      m_data(std::make_shared<JudgeData>(m_population)),
      m_instant(std::make_shared<InstantJudge>(m_population, m_data, m_history, m_thresholds))
{
    if (m_resolver)
        m_resolver->addListener([data = m_data](const std::vector<FrameLocation> &frames) { data->addFrames(frames); });
}

RunJudge::~RunJudge() = default;

void RunJudge::sample(Stage stage)
{
    if (m_job || stage == Stage::Loading)
        return;
    auto job = std::make_shared<Job>();
    if (makeDueJob(stage, *job))
        start(std::move(job));
}

/// Returns false if nothing is due.
bool RunJudge::makeDueJob(Stage stage, Job &job)
{
    job.generation = m_resolver ? m_resolver->generation() : 0;
    const bool isOld = !m_sinceJudged.isValid() || m_sinceJudged.hasExpired(m_pause.count());
    if (m_latest && m_latest->isLast) {
        if (!isOld || job.generation == m_generationSeen)
            return false;
        job.verdict = m_verdict;
        job.isDecided = m_latest->isDecided;
        job.circumstances = m_latest->circumstances;
    } else if (const std::shared_ptr<const InstantJudge::Outcome> decided = m_instant->outcome()) {
        job.verdict = {decided, &decided->verdict};
        job.isDecided = true;
        job.circumstances = decided->circumstances;
    } else if (stage != Stage::Ended && !isOld) {
        return false;
    } else {
        job.isDecided = stage == Stage::Ended && m_instant->instant() != 0;
    }
    job.instant = job.verdict ? job.verdict->judgedAt : job.isDecided ? m_instant->instant() : m_population->now();
    job.isLast = stage == Stage::Ended || job.isDecided;
    return true;
}

void RunJudge::start(std::shared_ptr<Job> job)
{
    const auto judgeNow = [this, job] {
        const std::uint64_t usedBefore = usedByThread();
        if (!job->verdict)
            job->verdict =
                std::make_shared<Verdict>(judge({*m_population, *m_data, *m_history}, job->instant, m_thresholds));
        const Verdict &verdict = *job->verdict;
        if (!job->isLast)
            m_retractions.add(verdict, *m_population);  // the end of a run resumes what was lost
        if (m_resolver)
            for (const AddressResolver::Query &query : openLocations(verdict, {}, *m_population))
                static_cast<void>(m_resolver->resolveOrRequest(query));
        auto judgement = std::make_shared<Judgement>();
        judgement->judgedAt = verdict.judgedAt;
        judgement->isDecided = job->isDecided;
        judgement->isLast = job->isLast;
        judgement->findings = makeReport(verdict, {}, *m_population, m_resolver.get(), {}).findings;
        judgement->abstained = verdict.abstained;
        judgement->retractions = m_retractions.all();
        judgement->suspects = Suspects(verdict);
        judgement->circumstances = std::move(job->circumstances);
        job->judgement = std::move(judgement);
        job->cost = nanoseconds(usedByThread() - usedBefore);
    };
    m_job = job;
    // `this` outlives the worker, because its destructor waits. Qt discards the queued call if `this` is deleted.
    const auto judgeInBackground = [this, job, judgeNow] {
        judgeNow();
        QMetaObject::invokeMethod(
            this, [this, job] { finish(job); }, Qt::QueuedConnection);
    };
    if (m_worker.start(judgeInBackground))
        return;
    judgeNow();
    finish(job);
}

RunJudge::Reporter RunJudge::reporter(const std::string &target) const
{
    return [judging = judgingReporter(target)] { return judging()(); };
}

std::function<RunJudge::Reporter()> RunJudge::judgingReporter(const std::string &target) const
{
    return [population = m_population, history = m_history, data = m_data, instant = m_instant, resolver = m_resolver,
            thresholds = m_thresholds, target] {
        const std::uint64_t at = instant->instant() != 0 ? instant->instant() : population->now();
        const std::shared_ptr<const InstantJudge::Outcome> decided = instant->outcome();
        Verdict verdict = decided ? decided->verdict : judge({*population, *data, *history}, at, thresholds);
        return [population, resolver, target, verdict = std::make_shared<const Verdict>(std::move(verdict))] {
            return std::make_shared<const Report>(makeReport(*verdict, {}, *population, resolver.get(), target));
        };
    };
}

void RunJudge::finish(const std::shared_ptr<Job> &job)
{
    m_job.reset();
    m_verdict = job->verdict;
    m_latest = job->judgement;
    m_generationSeen = job->generation;
    m_pause = pauseAfter(job->cost);
    m_sinceJudged.start();
    Q_EMIT judged();
}

}  // namespace ct
