// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Reports of a batch run about stuck coroutines without a registered site, and the numbers of its summary.
#include "app/batch/findinglines.h"
#include "app/batch/stuckatend.h"
#include "app/batch/stuckresolver.h"
#include "tests/support/qtsuite.h"

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
struct Waiting {
    explicit Waiting(CoroutineId count)
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
    std::vector<FoundGroup> found() const { return findAt(*population, kNow, resolver.get()); }

    std::shared_ptr<Population> population = std::make_shared<Population>();
    std::shared_ptr<AddressResolver> resolver =
        std::make_shared<AddressResolver>(std::make_shared<SymbolWorker>(), population);
};

}  // namespace

class FindingsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void eachLocationIsAGroup()
    {
        constexpr CoroutineId kMany = 50'000;
        constexpr CoroutineId kKnown = 25'000;  // more than the resolver reads at once
        const Waiting waiting(kMany);
        std::vector<FrameLocation> frames;
        for (CoroutineId id = 0; id < kKnown; ++id)
            frames.push_back({id * 2, Waiting::frameOf(id * 2), kSecond, 0, 12, 3, "/src/server.cpp", "serve(int)"});
        waiting.resolver->addFrames(frames);
        const std::vector<FoundGroup> found = waiting.found();
        QCOMPARE(found.size(), std::size_t{kMany - kKnown + 1});
        QCOMPARE(found[0].coroutines.size(), std::size_t{kKnown});
        QCOMPARE(found[0].site, std::string("/src/server.cpp:12 serve(int)"));
        QVERIFY(found[0].remedy.empty());
        QCOMPARE(found[1].coroutines.size(), std::size_t{1});
        QVERIFY(found[1].site.starts_with("0x"));

        const QStringList lines = findingLines(found, {});
        QCOMPARE(lines.size(), 22);
        QVERIFY(lines[0].startsWith(QStringLiteral("stuck: 25000 coroutines at serve server.cpp:12, ")));
        QCOMPARE(lines[20], QStringLiteral("stuck: 24981 more coroutines at 24981 more sites; --summary FILE lists all "
                                           "of them"));
    }

    void theSummaryNamesCoroutines()
    {
        const Waiting waiting(2);
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

    /// On a busy machine, the harvest lags: events that resumed the coroutines may be unread. So the time of the stream
    /// counts.
    void theEndIsJudgedAtTheTimeOfTheStream()
    {
        Waiting waiting(3);
        Batch batch;
        for (CoroutineId id = 0; id < 3; ++id) {
            batch.transitions.push_back({kNow, 0, 1, 2, id, 7, kUnknownSite, PointKind::Await, true});
            batch.transitions.push_back(
                {kNow, Waiting::frameOf(id), 2, 2, id, 7, kUnknownSite, PointKind::Await, false});
        }
        batch.now = kNow + kSecond / 10;
        QVERIFY(waiting.population->consume(batch));
        StuckAtEnd stuckAtEnd(waiting.population, waiting.resolver);
        stuckAtEnd.decide(true, batch.now);
        QTRY_VERIFY(stuckAtEnd.decided());
        QCOMPARE(stuckAtEnd.decided()->ts, kNow + kSecond / 10);
        QCOMPARE(stuckAtEnd.decided()->coroutines, std::uint64_t{0});
    }

    /// What was committed before the decision counts, although it is decoded later.
    void theEndIsJudgedOnceTheStreamIsComplete()
    {
        Waiting waiting(3);
        StuckAtEnd stuckAtEnd(waiting.population, waiting.resolver);
        QSignalSpy resolved(&stuckAtEnd, &StuckAtEnd::resolved);
        stuckAtEnd.decide(true, kNow + kSecond);
        QTest::qWait(20);  // many steps
        QVERIFY(stuckAtEnd.isDeciding());
        QVERIFY(!stuckAtEnd.decided());
        Batch batch;
        batch.transitions.push_back({kNow, 0, 1, 2, 0, 7, kUnknownSite, PointKind::Await, true});
        batch.now = kNow + kSecond;
        QVERIFY(waiting.population->consume(batch));
        QTRY_COMPARE(resolved.count(), 1);
        QCOMPARE(stuckAtEnd.decided()->ts, kNow + kSecond);
        // One wait of 99 s is over: at this site, the others may last as long.
        QCOMPARE(stuckAtEnd.decided()->coroutines, std::uint64_t{0});
    }

    /// A decoder that is seconds behind does not delay the end as long. The report says so.
    void aStreamThatIsBehindIsNotAwaitedForLong()
    {
        Waiting waiting(1);
        StuckAtEnd stuckAtEnd(waiting.population, waiting.resolver);
        QSignalSpy reported(&stuckAtEnd, &StuckAtEnd::reported);
        stuckAtEnd.decide(true, kNow + 3 * kSecond / 2);
        QTRY_VERIFY(stuckAtEnd.decided());
        QCOMPARE(stuckAtEnd.decided()->ts, kNow);
        QVERIFY(reported.at(0).at(0).toString().startsWith(
            QStringLiteral("the list of stuck coroutines is of 1.5 s before the end was decided")));
        // A second signal does not wait at all.
        StuckAtEnd hurried(waiting.population, waiting.resolver);
        hurried.decide(true, kNow + kSecond);
        hurried.stopResolving();
        QVERIFY(!hurried.isDeciding());
        QCOMPARE(hurried.decided()->ts, kNow);
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
        const Waiting waiting(3);
        const std::vector<FoundGroup> found = waiting.found();
        QCOMPARE(found.size(), std::size_t{3});
        QStringList lines = findingLines(found, {});
        QCOMPARE(lines.size(), 4);
        QVERIFY2(lines.last().startsWith(QStringLiteral("some addresses have no function: the location in this "
                                                        "coroutine frame is unknown")),
                 qPrintable(lines.last()));
        lines = findingLines(found, "there is a reason for the whole run");
        QCOMPARE(lines.last(), QStringLiteral("some addresses have no function: there is a reason for the whole run"));
        QVERIFY(findingLines({}, "nobody waits").isEmpty());
    }

    void resolvingEndsWithoutAReadableProcess()
    {
        const Waiting waiting(3);
        const std::vector<StuckGroup> stuck = findStuck(*waiting.population, kNow);
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
