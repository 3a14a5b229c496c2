// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Reports of a batch run about stuck coroutines without a registered site, and the numbers of its summary.
#include "app/batch/findinglines.h"
#include "app/batch/stuckatend.h"
#include "app/batch/stuckresolver.h"
#include "tests/support/events.h"
#include "tests/support/qtsuite.h"
#include "tests/support/sleepingprocess.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSignalSpy>

#include <map>
#include <type_traits>

using namespace ct;

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kFrames = 0x10'0000;
constexpr std::uint64_t kNow = 100 * kSecond;

/// Coroutines of a version-1 process, suspended for a long time, each in its own frame.
struct WaitingFrames {
    explicit WaitingFrames(CoroutineId count)
    {
        Batch batch;
        for (CoroutineId id = 0; id < count; ++id) {
            batch.births.push_back({id, id, 1, 0, Dialect::Seqlock, id, kSecond});
            batch.transitions.push_back({kSecond, frameOf(id), 0, 2, id, 7, kUnknownSite, PointKind::Await, false});
        }
        batch.now = kNow;
        static_cast<void>(population->consume(batch));
    }
    static std::uint64_t frameOf(CoroutineId id) { return kFrames + id * 64; }
    /// As if a verdict warned of all of them.
    std::vector<StuckGroup> stuck() const
    {
        Verdict verdict;
        verdict.judgedAt = kNow;
        verdict.findings.resize(1);
        verdict.findings.front().severity = Severity::Warning;
        for (CoroutineId id = 0; id < population->size(); ++id)
            verdict.findings.front().coroutines.push_back(id);
        return stuckCoroutines(verdict, *population);
    }
    std::vector<FoundGroup> found() const { return groupsOf(stuck(), *population, resolver.get()); }

    std::shared_ptr<Population> population = std::make_shared<Population>();
    std::shared_ptr<AddressResolver> resolver =
        std::make_shared<AddressResolver>(std::make_shared<SymbolWorker>(), population);
};

/// Coroutines that were woken, and that no thread has resumed.
struct Woken {
    explicit Woken(CoroutineId count, std::chrono::milliseconds catchUp = StuckAtEnd::kCatchUp)
        : stuckAtEnd(diagnosis, population, resolver, catchUp)
    {
        Batch batch;
        for (CoroutineId id = 0; id < count; ++id) {
            batch.births.push_back({id, id, 1, 7, Dialect::Lane, id, kSecond});
            batch.transitions.push_back(ct::test::eventOf(Dialect::Lane, id, 0, kSecond, false));
            batch.notes.wakes.push_back({id, kNoCoroutine, 1, kSecond + 1, 7, 100});
        }
        batch.now = kNow;
        consume(batch);
    }
    /// All threads of the process sleep.
    void sampleAt(std::uint64_t ts)
    {
        Batch batch;
        ct::test::addSleepingProcess(batch.notes, 7, 100, ts);
        batch.now = ts;
        consume(batch);
    }
    void consume(const Batch &batch)
    {
        QVERIFY(bool(diagnosis.judge()->consume(batch)));
        QVERIFY(bool(population->consume(batch)));
        for (const std::shared_ptr<Sink> &sink : diagnosis.sinks())
            QVERIFY(bool(sink->consume(batch)));
    }
    /// The coroutine runs at `ts`, for a moment.
    void run(CoroutineId id, std::uint64_t ts, std::uint64_t now)
    {
        Batch batch;
        batch.transitions = {ct::test::eventOf(Dialect::Lane, id, 1, ts, true),
                             ct::test::eventOf(Dialect::Lane, id, 2, ts, false)};
        batch.now = now;
        consume(batch);
    }

    const CommandLine::Diagnosis options;
    std::shared_ptr<Population> population = std::make_shared<Population>();
    Diagnosis diagnosis{options, population, "a program"};
    std::shared_ptr<AddressResolver> resolver =
        std::make_shared<AddressResolver>(std::make_shared<SymbolWorker>(), population);
    StuckAtEnd stuckAtEnd;
};

}  // namespace

class FindingsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void eachLocationIsAGroup()
    {
        constexpr CoroutineId kMany = 50'000;
        constexpr CoroutineId kKnown = 25'000;  // more than the resolver reads at once
        const WaitingFrames waiting(kMany);
        std::vector<FrameLocation> frames;
        for (CoroutineId id = 0; id < kKnown; ++id)
            frames.push_back(
                {id * 2, WaitingFrames::frameOf(id * 2), kSecond, 0, 12, 3, "/src/server.cpp", "serve(int)"});
        waiting.resolver->addFrames(frames);
        const std::vector<FoundGroup> found = waiting.found();
        QCOMPARE(found.size(), std::size_t{kMany - kKnown + 1});
        QCOMPARE(found[0].coroutines.size(), std::size_t{kKnown});
        QCOMPARE(found[0].site, std::string("/src/server.cpp:12 serve(int)"));
        QVERIFY(found[0].remedy.empty());
        QCOMPARE(found[1].coroutines.size(), std::size_t{1});
        QVERIFY(found[1].site.starts_with("0x"));

        Summary summary;
        summary.stuck = found;
        const QStringList lines = findingLines(summary, {});
        QCOMPARE(lines.size(), 22);
        QVERIFY(lines[0].startsWith(QStringLiteral("stuck: 25000 coroutines at serve server.cpp:12, ")));
        QCOMPARE(lines[20], QStringLiteral("stuck: 24981 more coroutines at 24981 more sites; --summary FILE lists all "
                                           "of them"));
    }

    void theSummaryNamesCoroutines()
    {
        const WaitingFrames waiting(2);
        Batch batch;
        batch.notes.names = {{1, "the \"second\""}};
        batch.now = kNow;
        QVERIFY(bool(waiting.population->consume(batch)));
        Summary summary;
        summary.stuck = waiting.found();
        const QJsonArray stuck = QJsonDocument::fromJson(QByteArray::fromStdString(toJson(summary)))
                                     .object()
                                     .value(QLatin1String("stuck"))
                                     .toArray();
        QCOMPARE(stuck.size(), 2);
        for (const QJsonValue &one : stuck) {
            const QJsonObject object = one.toObject();
            const bool isSecond = object.value(QLatin1String("coroutine")).toInt() == 1;
            QCOMPARE(object.contains(QLatin1String("name")), isSecond);
            QVERIFY(!isSecond || object.value(QLatin1String("name")) == QStringLiteral("the \"second\""));
        }
    }

    /// What was committed before the decision counts, although it is decoded later. What follows does not.
    void theVerdictAtTheDecisionCounts()
    {
        Woken woken(3, std::chrono::hours(1));
        const std::uint64_t decided = kNow + kSecond;
        woken.diagnosis.judgeAt(decided);
        StuckAtEnd &stuckAtEnd = woken.stuckAtEnd;
        QSignalSpy resolved(&stuckAtEnd, &StuckAtEnd::resolved);
        stuckAtEnd.decide(true, decided);
        QTest::qWait(20);  // many steps
        QVERIFY(stuckAtEnd.isDeciding());
        QVERIFY(!stuckAtEnd.decided());
        woken.run(0, kNow, decided);
        woken.sampleAt(decided);
        woken.run(1, decided + 1, decided + 1);
        QTRY_COMPARE(resolved.count(), 1);
        QCOMPARE(stuckAtEnd.decided()->ts, decided);
        QCOMPARE(stuckAtEnd.decided()->coroutines, std::uint64_t{2});
        Summary summary;
        woken.diagnosis.finishJudging();
        stuckAtEnd.finish(summary);
        QCOMPARE(summary.stuckWhenDecided->coroutines, std::uint64_t{2});
        QCOMPARE(summary.stuckAtEnd.ts, decided + 1);
        QCOMPARE(summary.stuckAtEnd.coroutines, std::uint64_t{1});
        QCOMPARE(summary.stuck.size(), std::size_t{1});
        QCOMPARE(summary.stuck.front().coroutines.size(), std::size_t{2});
        QCOMPARE(summary.stuck.front().coroutines.front().rule, Rule::NeverRun);
        QVERIFY(toJson(summary).find("\"rule\": \"never-run\"") != std::string::npos);
    }

    /// A decoder that is seconds behind does not delay the end as long. A message says so.
    void aStreamThatIsBehindIsNotAwaitedForLong()
    {
        Woken woken(1);
        QSignalSpy reported(&woken.stuckAtEnd, &StuckAtEnd::reported);
        woken.diagnosis.judgeAt(kNow + 3 * kSecond / 2);
        woken.stuckAtEnd.decide(true, kNow + 3 * kSecond / 2);
        QTRY_VERIFY(woken.stuckAtEnd.decided());
        QCOMPARE(woken.stuckAtEnd.decided()->ts, kNow);
        QVERIFY(reported.at(0).at(0).toString().startsWith(
            QStringLiteral("the list of stuck coroutines is from 1.5 s before the end was decided")));
        // A second signal does not wait at all.
        Woken other(1);
        other.stuckAtEnd.decide(true, kNow + kSecond);
        other.stuckAtEnd.stopResolving();
        QVERIFY(!other.stuckAtEnd.isDeciding());
        QCOMPARE(other.stuckAtEnd.decided()->ts, kNow);
    }

    /// All numbers differ, so an exchange of two fields is noticed.
    void everySumStandsInTheSummary()
    {
        Summary summary;
        std::map<QString, qint64> expected;
        const auto number = [&expected](const char *field, auto &value) {
            const int fresh = static_cast<int>(expected.size()) + 1;
            value = static_cast<std::remove_reference_t<decltype(value)>>(fresh);
            expected[QLatin1String(field)] = fresh;
        };
        number("events", summary.accounting.captured);
        number("lost_events", summary.accounting.lost);
        number("missed_before_attach", summary.accounting.missedBeforeAttach);
        number("coroutines", summary.accounting.coroutines);
        number("coroutines_missed", summary.accounting.coroutinesMissed);
        number("coroutines_not_kept", summary.accounting.overflowCoroutines);
        number("events_not_kept", summary.accounting.overflowEvents);
        number("untraced_coroutines", summary.accounting.untraced);
        number("births_overtaken", summary.accounting.birthsOvertaken);
        number("duration_ns", summary.durationNs);
        number("born_before_init", summary.accounting.bornBeforeInit);
        number("flagged_stations", summary.accounting.flaggedStations);
        number("sites_dropped", summary.accounting.sitesDropped);
        number("born_while_off", summary.accounting.bornWhileOff);
        number("records_dropped", summary.accounting.recordsDropped);
        number("notes_lost", summary.accounting.notesLost);
        number("threads_without_lane", summary.accounting.threadsWithoutLane);
        number("lanes_shortened", summary.accounting.lanesShortened);
        number("lanes_damaged", summary.accounting.lanesDamaged);
        number("processes_unmapped", summary.accounting.processesUnmapped);
        number("processes_partly_mapped", summary.accounting.processesPartlyMapped);
        number("processes", summary.processes);
        number("most_behind_ns", summary.accounting.mostBehindNs);
        number("names_not_kept", summary.overflowNames);
        number("findings_not_dumped", summary.findingsNotDumped);
        number("events_not_written", summary.eventsNotWritten);
        const QJsonObject json = QJsonDocument::fromJson(QByteArray::fromStdString(toJson(summary))).object();
        for (const auto &[field, value] : expected)
            QVERIFY2(json.value(field).toInteger(-1) == value, qPrintable(field));
    }

    void reportsOnceWhyFunctionsAreUnknown()
    {
        const WaitingFrames waiting(3);
        const std::vector<FoundGroup> found = waiting.found();
        QCOMPARE(found.size(), std::size_t{3});
        Summary summary;
        summary.stuck = found;
        QStringList lines = findingLines(summary, {});
        QCOMPARE(lines.size(), 4);
        QVERIFY2(lines.last().startsWith(QStringLiteral("some addresses have no function: the location in this "
                                                        "coroutine frame is unknown")),
                 qPrintable(lines.last()));
        lines = findingLines(summary, "there is a reason for the whole run");
        QCOMPARE(lines.last(), QStringLiteral("some addresses have no function: there is a reason for the whole run"));
        QVERIFY(findingLines({}, "nobody waits").isEmpty());
    }

    void whatCouldNotBeJudgedIsNotSilent()
    {
        Summary summary;
        summary.abstained = {{Rule::LostWakeup, "no \"report\" tells", 3}};
        QCOMPARE(findingLines(summary, {}),
                 QStringList(QStringLiteral("not judged: lost-wakeup, 3: no \"report\" tells")));
        const QJsonObject abstained = QJsonDocument::fromJson(QByteArray::fromStdString(toJson(summary)))
                                          .object()
                                          .value(QLatin1String("abstained"))
                                          .toArray()
                                          .at(0)
                                          .toObject();
        QCOMPARE(abstained.value(QLatin1String("rule")).toString(), QStringLiteral("lost-wakeup"));
        QCOMPARE(abstained.value(QLatin1String("reason")).toString(), QStringLiteral("no \"report\" tells"));
        QCOMPARE(abstained.value(QLatin1String("count")).toInt(), 3);
    }

    void resolvingEndsWithoutAReadableProcess()
    {
        const WaitingFrames waiting(3);
        const std::vector<StuckGroup> stuck = waiting.stuck();
        StuckResolver over(*waiting.population, stuck, *waiting.resolver, std::chrono::hours(1));
        QCOMPARE(over.left(), std::size_t{0});  // no process to ask
        QVERIFY(!over.step());

        waiting.resolver->setLive(true);
        waiting.resolver->setTarget(INT_MAX);  // no such process
        StuckResolver stuckResolver(*waiting.population, stuck, *waiting.resolver, std::chrono::hours(1));
        QCOMPARE(stuckResolver.left(), std::size_t{3});
        QTRY_VERIFY_WITH_TIMEOUT(!stuckResolver.step(), 60'000);
    }
};

CT_QT_SUITE(FindingsTest)
#include "tst_findings.moc"
