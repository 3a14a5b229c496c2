// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// When a run is judged for the window, and at which instant.
#include "core/session/runjudge.h"
#include "tests/support/events.h"
#include "tests/support/qtsuite.h"

#include <QSignalSpy>

using namespace ct;
using Stage = RunJudge::Stage;

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kLock = 0x1000;
constexpr std::uint32_t kPid = 7;

/// A run that reports wakes, and whose coroutine 0 waits for a free lock.
struct JudgedRun {
    std::shared_ptr<Population> population = std::make_shared<Population>();
    std::shared_ptr<History> history = std::make_shared<History>(16 << 20);
    RunJudge judge;
    QSignalSpy judged{&judge, &RunJudge::judged};

    explicit JudgedRun(const Thresholds &thresholds = {}, std::shared_ptr<AddressResolver> resolver = nullptr)
        : judge(population, history, std::move(resolver), thresholds)
    {
        Batch batch;
        Birth birth;
        birth.coroutine = 0;
        birth.dialect = Dialect::Lane;
        birth.pid = kPid;
        Birth another = birth;
        another.coroutine = 1;
        batch.births = {birth, another};
        batch.notes.wakes = {{1, kNoCoroutine, 0, kSecond, kPid, 100}};
        batch.sites = {{1, 88, 1, "/src/net.cpp", "async_read()"}};
        batch.transitions = {test::eventOf(Dialect::Lane, 0, 0, kSecond, false, 1)};
        batch.notes.waits = {{0, 0, WaitKind::Lock, kLock, kNoCoroutine, 0}};
        batch.notes.uses = {{kNoCoroutine, 0, UseKind::Released, kLock, kUnknownSite, kSecond + 1, kPid, 100}};
        feed(batch, kSecond + 2);
    }
    void resumeAt(std::uint64_t ts)
    {
        Batch batch;
        batch.transitions = {test::eventOf(Dialect::Lane, 0, 1, ts, true)};
        feed(batch, ts);
    }
    void passTo(std::uint64_t ts) { feed({}, ts); }
    void feed(Batch batch, std::uint64_t now)
    {
        batch.now = now;
        (void)judge.instantJudge()->consume(batch);
        (void)population->consume(batch);
        (void)history->consume(batch);
        (void)judge.data()->consume(batch);
    }
    std::size_t findings() const { return judge.latest() ? judge.latest()->findings.size() : 999; }
};

}  // namespace

class TestRunJudge : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aLiveRunIsJudgedAgainAndAgain()
    {
        JudgedRun run;
        run.judge.sample(Stage::Running);
        QTRY_COMPARE(run.judged.count(), 1);
        QCOMPARE(run.findings(), 0U);  // not satisfied for a second yet
        QVERIFY(!run.judge.latest()->isLast);
        run.passTo(4 * kSecond);
        QTRY_VERIFY((run.judge.sample(Stage::Running), run.findings() == 1));
        QCOMPARE(run.judge.latest()->judgedAt, 4 * kSecond);
        QCOMPARE(run.judge.latest()->findings.front().function, std::string("async_read()"));
        QVERIFY(run.judge.latest()->suspects.find(run.population->at(0)));
        QCOMPARE(run.judge.latest()->retractions.retracted, 0U);
        run.resumeAt(5 * kSecond);
        QTRY_VERIFY((run.judge.sample(Stage::Running), run.findings() == 0));
        QCOMPARE(run.judge.latest()->retractions.reported, 1U);
        QCOMPARE(run.judge.latest()->retractions.retracted, 1U);
    }

    /// A verdict comes within 2 s of its threshold, as long as a judgement costs at most 100 ms.
    void judgingIsFrequentAndCostsLittle()
    {
        using namespace std::chrono_literals;
        QCOMPARE(RunJudge::pauseAfter(0ns), 500ms);
        QCOMPARE(RunJudge::pauseAfter(25ms), 500ms);
        QCOMPARE(RunJudge::pauseAfter(40ms), 800ms);
        QCOMPARE(RunJudge::pauseAfter(50ms), 1000ms);
        QCOMPARE(RunJudge::pauseAfter(100ms), 1000ms);
        QCOMPARE(RunJudge::pauseAfter(300ms), 3000ms);
    }

    /// The end of the target resumes what was lost, which proves nothing about the verdict.
    void theEndRetractsNothing()
    {
        JudgedRun run;
        run.passTo(4 * kSecond);
        QTRY_VERIFY((run.judge.sample(Stage::Running), run.findings() == 1));
        run.resumeAt(5 * kSecond);
        QTRY_VERIFY((run.judge.sample(Stage::Ended), run.judge.latest()->isLast));
        QCOMPARE(run.judge.latest()->retractions.reported, 1U);
        QCOMPARE(run.judge.latest()->retractions.retracted, 0U);
    }

    void functionsThatFramesGaveAreKnown()
    {
        const auto resolver =
            std::make_shared<AddressResolver>(std::make_shared<SymbolWorker>(), std::make_shared<Population>());
        const JudgedRun run({}, resolver);
        FrameLocation frame;
        frame.coroutine = 3;
        frame.function = "serve(int)";
        resolver->addFrames({frame});
        QCOMPARE(run.judge.data()->functions().of(3), 1U);
        QCOMPARE(run.judge.data()->functions().of(4), 0U);
    }

    void aRunThatIsBeingLoadedIsNotJudged()
    {
        JudgedRun run;
        run.passTo(4 * kSecond);
        run.judge.sample(Stage::Loading);
        run.judge.sample(Stage::Ended);
        QTRY_COMPARE(run.judged.count(), 1);
        QVERIFY(run.judge.latest()->isLast && !run.judge.latest()->isDecided);
        QCOMPARE(run.findings(), 1U);
    }

    /// The end of the target resumes or destroys what was lost.
    void theInstantOfTheDecisionCounts()
    {
        JudgedRun run;
        run.judge.instantJudge()->judgeAt(4 * kSecond);
        run.passTo(4 * kSecond);
        run.resumeAt(5 * kSecond);
        run.judge.sample(Stage::Running);
        QTRY_COMPARE(run.judged.count(), 1);
        QCOMPARE(run.judge.latest()->judgedAt, 4 * kSecond);
        QVERIFY(run.judge.latest()->isLast && run.judge.latest()->isDecided);
        QCOMPARE(run.findings(), 1U);
        QCOMPARE(run.judge.latest()->circumstances.at(0).coroutine.since, kSecond);
        run.judge.sample(Stage::Ended);  // no other verdict follows
        QCOMPARE(run.judge.latest()->judgedAt, 4 * kSecond);
    }

    /// As for an export: events that come after the judgement change no finding.
    void theReportIsThatOfTheJudgement()
    {
        JudgedRun run;
        run.passTo(4 * kSecond);
        const auto report = run.judge.judgingReporter("server")();
        run.resumeAt(5 * kSecond);
        QCOMPARE(report()->judgedAt, 4 * kSecond);
        QCOMPARE(report()->findings.size(), std::size_t(1));
        const auto later = run.judge.reporter("server");
        run.passTo(6 * kSecond);
        QCOMPARE(later()->judgedAt, 6 * kSecond);
        QCOMPARE(later()->findings.size(), std::size_t(0));
    }

    void theThresholdsOfTheRunCount()
    {
        Thresholds thresholds;
        thresholds.satisfiedNs = 10 * kSecond;
        for (const bool isDecided : {false, true}) {
            JudgedRun run(thresholds);
            if (isDecided)
                run.judge.instantJudge()->judgeAt(4 * kSecond);
            run.passTo(isDecided ? 5 * kSecond : 4 * kSecond);
            run.judge.sample(Stage::Ended);
            QTRY_COMPARE(run.judged.count(), 1);
            QCOMPARE(run.judge.latest()->judgedAt, 4 * kSecond);
            QCOMPARE(run.findings(), 0U);
        }
    }

    /// No batch followed the decision.
    void aDecisionAtTheEndCounts()
    {
        JudgedRun run;
        run.passTo(3 * kSecond);
        run.judge.instantJudge()->judgeAt(4 * kSecond);
        run.judge.sample(Stage::Ended);
        QTRY_COMPARE(run.judged.count(), 1);
        QCOMPARE(run.judge.latest()->judgedAt, 4 * kSecond);
        QVERIFY(run.judge.latest()->isLast && run.judge.latest()->isDecided);
    }
};

CT_QT_SUITE(TestRunJudge)
#include "tst_runjudge.moc"
