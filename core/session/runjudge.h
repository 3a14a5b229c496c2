// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Judges a run for the window, off the GUI thread: once or twice a second while it lasts, and once for good at the
// instant at which its end was decided, or else at its end.
#pragma once

#include "core/addresses/addressresolver.h"
#include "core/analysis/instantjudge.h"
#include "core/base/backgroundworker.h"
#include "core/reporting/judgement.h"

#include <QElapsedTimer>
#include <QObject>

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace ct {

/// Lives on the GUI thread.
class RunJudge final : public QObject {
    Q_OBJECT
public:
    enum class Stage {
        Loading,  ///< a complete recording is being read: it is judged when all is there
        Running,
        Ended
    };

    RunJudge(std::shared_ptr<const Population> population, std::shared_ptr<const History> history,
             std::shared_ptr<AddressResolver> resolver, const Thresholds &thresholds = {});
    ~RunJudge() override;  ///< waits for a judgement in progress

    /// Add it to the source, in front of the population.
    const std::shared_ptr<InstantJudge> &instantJudge() const { return m_instant; }
    /// Add it to the source, behind the population.
    const std::shared_ptr<JudgeData> &data() const { return m_data; }

    /// Starts what is due. Call it often.
    void sample(Stage stage);
    /// The time from the end of a live judgement to the next one, by the processor time that it cost. Judging takes at
    /// most a twentieth of a processor if the time is a second or less, and at most a tenth otherwise.
    static std::chrono::milliseconds pauseAfter(std::chrono::nanoseconds cost);
    using Reporter = std::function<std::shared_ptr<const Report>()>;
    /// Returns a function that judges the run as it is when it is called: at the instant at which its end was decided,
    /// if there is one. It may be called on any thread, and outlive this object. `target`: a name for the report.
    Reporter reporter(const std::string &target) const;
    /// Like reporter(), but in two steps: the function judges the run, and returns one that reports this verdict, with
    /// the locations that are resolved by then.
    std::function<Reporter()> judgingReporter(const std::string &target) const;
    /// The latest judgement; nullptr = none yet.
    std::shared_ptr<const Judgement> latest() const { return m_latest; }

Q_SIGNALS:
    void judged();  ///< latest() is a new one

private:
    struct Job;
    bool makeDueJob(Stage stage, Job &job);
    void start(std::shared_ptr<Job> job);
    void finish(const std::shared_ptr<Job> &job);

    const std::shared_ptr<const Population> m_population;
    const std::shared_ptr<const History> m_history;
    const std::shared_ptr<AddressResolver> m_resolver;
    const Thresholds m_thresholds;
    const std::shared_ptr<JudgeData> m_data;
    const std::shared_ptr<InstantJudge> m_instant;
    std::shared_ptr<const Verdict> m_verdict;  ///< of m_latest
    std::shared_ptr<const Judgement> m_latest;
    std::shared_ptr<Job> m_job;   ///< in progress
    Retractions m_retractions;    ///< of the job in progress, else of m_latest
    QElapsedTimer m_sinceJudged;  ///< invalid before the first judgement
    std::chrono::milliseconds m_pause{0};
    std::uint64_t m_generationSeen = 0;  ///< of the addresses in m_latest
    BackgroundWorker m_worker;           ///< must be last: it ends first
};

}  // namespace ct
