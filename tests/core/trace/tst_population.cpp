// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/population.h"
#include "tests/support/check.h"
#include "tests/support/concurrently.h"
#include "tests/support/events.h"

#include <algorithm>
#include <random>

using namespace ct;

namespace {

Birth birth(CoroutineId id, Dialect dialect = Dialect::Seqlock)
{
    Birth born;
    born.coroutine = id;
    born.station = id + 7;
    born.probeId = 1000 + id;
    born.birthTs = 50;
    born.dialect = dialect;
    return born;
}

Transition transition(CoroutineId id, std::uint64_t n, bool active, std::uint64_t ts, SiteId site = 1,
                      PointKind kind = PointKind::Await)
{
    Transition event = test::eventOf(Dialect::Seqlock, id, n, ts, active, active ? kUnknownSite : site);
    event.kind = kind;
    event.addr = active ? 0 : 0xA000 + site;
    event.tid = 42;
    return event;
}

Site site(SiteId id)
{
    Site made;
    made.id = id;
    made.line = id * 10;
    made.file = "file.cpp";
    made.function = "f()";
    return made;
}

void feed(Population &population, const Batch &batch)
{
    CHECK(static_cast<bool>(population.consume(batch)));
}

Population &withOne(Population &population, Transitions transitions, std::vector<Loss> losses = {})
{
    Batch batch;
    batch.sites = {site(1), site(2)};
    batch.births = {birth(0)};
    batch.transitions = std::move(transitions);
    batch.losses = std::move(losses);
    batch.now = 1000;
    feed(population, batch);
    return population;
}

}  // namespace

CT_CASE(birthSetsTheStateCreated)
{
    Population population;
    const CoroutineSnapshot snapshot = withOne(population, {}).at(0);
    CHECK(snapshot.state == CoroutineState::Created);
    CHECK_EQUAL(snapshot.since, 50U);
    CHECK_EQUAL(snapshot.probeId, 1000U);
    CHECK_EQUAL(snapshot.station, 7U);
    CHECK_EQUAL(population.size(), 1U);
    CHECK_EQUAL(population.alive(), 1U);
    CHECK_EQUAL(population.now(), 1000U);
    CHECK_EQUAL(population.at(1).id, kNoCoroutine);
}

CT_CASE(suspendAndResumeMoveTheStateAndAccumulate)
{
    Population population;
    withOne(population, {transition(0, 0, false, 100, 1, PointKind::Initial), transition(0, 1, true, 150),
                         transition(0, 2, false, 170, 2)});
    CoroutineSnapshot snapshot = population.at(0);
    CHECK(snapshot.state == CoroutineState::Suspended);
    CHECK_EQUAL(snapshot.since, 170U);
    CHECK_EQUAL(snapshot.site, 2U);
    CHECK_EQUAL(snapshot.addr, 0xA002U);
    CHECK_EQUAL(snapshot.tid, 42U);
    CHECK_EQUAL(snapshot.events, 3U);
    CHECK_EQUAL(snapshot.runNs, 20U);
    CHECK_EQUAL(snapshot.suspendedNs, 50U);
    CHECK_EQUAL(population.siteStatistics(1).completed, 1U);
    CHECK_EQUAL(population.siteStatistics(1).maxNs, 50U);
    CHECK_EQUAL(population.siteStatistics(2).completed, 0U);

    Batch batch;
    batch.transitions = {transition(0, 3, true, 200)};
    feed(population, batch);
    snapshot = population.at(0);
    CHECK(snapshot.state == CoroutineState::Running);
    CHECK_EQUAL(snapshot.site, 2U);  // still the latest suspension point
    CHECK_EQUAL(snapshot.since, 200U);
    CHECK_EQUAL(population.captured(), 4U);
}

CT_CASE(theFirstSuspensionInTheBodyIsTheBodySite)
{
    Population population;
    withOne(population, {transition(0, 0, false, 100, 1, PointKind::Initial)});
    CHECK_EQUAL(population.at(0).bodySite, kUnknownSite);
    Batch batch;
    batch.transitions = {transition(0, 1, true, 200), transition(0, 2, false, 300, 2), transition(0, 3, true, 350),
                         transition(0, 4, false, 400, 1, PointKind::Final)};
    feed(population, batch);
    CHECK_EQUAL(population.at(0).site, 1U);
    CHECK_EQUAL(population.at(0).bodySite, 2U);
}

CT_CASE(resumeWithoutSuspendIsLegal)
{
    Population population;
    withOne(population, {transition(0, 0, true, 100), transition(0, 1, true, 130), transition(0, 2, true, 140)});
    CHECK(population.at(0).state == CoroutineState::Running);
    CHECK_EQUAL(population.at(0).since, 100U);
    Batch batch;
    batch.transitions = {transition(0, 3, false, 160)};
    feed(population, batch);
    CHECK_EQUAL(population.at(0).runNs, 60U);
    CHECK_EQUAL(population.at(0).suspendedNs, 0U);
    CHECK_EQUAL(population.siteStatistics(kUnknownSite).completed, 0U);
}

CT_CASE(finalSuspendFinishesAndDeathDestroys)
{
    Population population;
    withOne(population, {transition(0, 0, false, 100, 1, PointKind::Final)});
    CHECK(population.at(0).state == CoroutineState::Finished);
    CHECK(population.at(0).kind == PointKind::Final);
    Batch batch;
    batch.deaths = {{0, 300}, {0, 400}, {9, 400}};
    feed(population, batch);
    CHECK(population.at(0).state == CoroutineState::Destroyed);
    CHECK_EQUAL(population.at(0).deathTs, 300U);
    CHECK_EQUAL(population.alive(), 0U);
}

CT_CASE(intervalsAcrossAGapAreNotCounted)
{
    Population population;
    withOne(population, {transition(0, 0, false, 100), transition(0, 3, true, 500), transition(0, 4, false, 510)},
            {{0, 1, 2, false}});
    const CoroutineSnapshot snapshot = population.at(0);
    CHECK(snapshot.state == CoroutineState::Suspended);
    CHECK_EQUAL(snapshot.lost, 2U);
    CHECK_EQUAL(population.lost(), 2U);
    CHECK_EQUAL(snapshot.suspendedNs, 0U);
    CHECK_EQUAL(snapshot.runNs, 10U);
    CHECK_EQUAL(population.siteStatistics(1).completed, 0U);
}

CT_CASE(aLossAtTheEndMakesTheStateUnknownUntilTheNextTransition)
{
    Population population;
    withOne(population, {transition(0, 0, false, 100)}, {{0, 1, 1, false}});
    CHECK(population.at(0).state == CoroutineState::Unknown);
    CHECK_EQUAL(population.at(0).since, 1000U);
    Batch batch;
    batch.transitions = {transition(0, 2, true, 2000), transition(0, 3, false, 2010)};
    feed(population, batch);
    CHECK(population.at(0).state == CoroutineState::Suspended);
    CHECK_EQUAL(population.at(0).suspendedNs, 0U);
    CHECK_EQUAL(population.at(0).runNs, 10U);
}

CT_CASE(missedBeforeAttachIsNotLost)
{
    Population population;
    withOne(population, {transition(0, 8, true, 100)}, {{0, 0, 8, true}});
    CHECK(population.at(0).state == CoroutineState::Running);
    CHECK_EQUAL(population.at(0).missed, 8U);
    CHECK_EQUAL(population.at(0).lost, 0U);
    CHECK_EQUAL(population.lost(), 0U);
    // Nothing was lost: later numbers are missing for another reason.
    MissingEvents why = population.whyMissing(0, 6, 5);
    CHECK_EQUAL(why.missed, 2U);
    CHECK_EQUAL(why.lost, 0U);
    CHECK_EQUAL(why.unexplained, 3U);
    Batch batch;
    batch.losses = {{0, 9, 3, false}};
    feed(population, batch);
    why = population.whyMissing(0, 6, 5);
    CHECK_EQUAL(why.missed, 2U);
    CHECK_EQUAL(why.lost, 3U);
    CHECK_EQUAL(why.unexplained, 0U);
}

CT_CASE(aFlaggedCoroutineStaysUnknown)
{
    Population population;
    withOne(population, {transition(0, 0, false, 100)});
    Batch batch;
    batch.flags = {{0, Flag::Reason::TwoWriters}};
    feed(population, batch);
    CHECK(population.at(0).state == CoroutineState::Unknown);
    CHECK(population.at(0).flagged);
    batch.clear();
    batch.transitions = {transition(0, 1, true, 200)};
    feed(population, batch);
    CHECK(population.at(0).state == CoroutineState::Unknown);
    CHECK_EQUAL(population.at(0).events, 2U);
    batch.clear();
    batch.deaths = {{0, 300}};
    feed(population, batch);
    CHECK(population.at(0).state == CoroutineState::Destroyed);
}

CT_CASE(theFirstReasonOfAFlagIsKept)
{
    using enum Flag::Reason;
    Population population;
    Batch batch;
    batch.births = {birth(0), birth(1), birth(2)};
    batch.flags = {{0, TwoWriters}, {0, DialectContradiction}, {1, DialectContradiction}, {1, TwoWriters}};
    feed(population, batch);
    CHECK(population.at(0).flagReason == TwoWriters);
    CHECK(population.at(1).flagReason == DialectContradiction);
    CHECK(population.at(0).flagged && population.at(1).flagged && !population.at(2).flagged);
    batch.clear();
    batch.transitions = {transition(1, 0, false, 100)};
    batch.deaths = {{1, 300}};
    feed(population, batch);
    CHECK(population.at(1).flagReason == DialectContradiction);
}

CT_CASE(theDialectIsInferredFromTheFirstEvent)
{
    Population population;
    Batch batch;
    batch.births = {birth(0, Dialect::Unknown), birth(1, Dialect::Unknown)};
    batch.transitions = {transition(0, 0, false, 100), transition(1, 1, false, 100)};
    batch.transitions[1].seq = 1;
    feed(population, batch);
    CHECK(population.at(0).dialect == Dialect::Seqlock);
    CHECK(population.at(1).dialect == Dialect::Monotonic);
}

CT_CASE(impossibleRowsAreIgnored)
{
    Population population;
    Batch batch;
    batch.births = {birth(5), birth(0), birth(0)};
    batch.transitions = {transition(77, 0, false, 1), transition(0, 0, false, 100, 4'000'000'000),
                         transition(0, 1, true, 90)};
    batch.losses = {{12, 0, 5, false}};
    batch.flags = {{13, Flag::Reason::TwoWriters}};
    batch.sites = {site(kUnknownSite), site(4'000'000'000)};
    feed(population, batch);
    CHECK_EQUAL(population.size(), 1U);
    CHECK_EQUAL(population.siteCount(), 0U);
    CHECK(population.site(4'000'000'000) == nullptr);
    CHECK_EQUAL(population.at(0).suspendedNs, 0U);  // time ran backwards
    CHECK_EQUAL(population.siteStatistics(kUnknownSite).completed, 1U);
    CHECK_EQUAL(population.siteStatistics(4'000'000'000).completed, 1U);
}

CT_CASE(sitesKeepTheirAddressAndMayComeLate)
{
    Population population;
    Batch batch;
    batch.sites = {site(3)};
    feed(population, batch);
    CHECK_EQUAL(population.siteCount(), 3U);
    CHECK(population.site(2) == nullptr);
    const Site *third = population.site(3);
    REQUIRE(third != nullptr);
    batch.sites.clear();
    for (SiteId id = 1; id < 2000; ++id)
        batch.sites.push_back(site(id));
    feed(population, batch);
    CHECK(population.site(3) == third);
    CHECK_EQUAL(third->line, 30U);
    CHECK_EQUAL(population.site(2)->line, 20U);
    CHECK(population.site(0) == nullptr);
}

CT_CASE(pageVersionsShowChangedPages)
{
    Population population;
    Batch batch;
    for (CoroutineId id = 0; id < 200; ++id)
        batch.births.push_back(birth(id));
    feed(population, batch);
    CHECK_EQUAL(population.pageCount(), 4U);
    std::vector<std::uint64_t> before;
    for (std::uint32_t page = 0; page < 4; ++page)
        before.push_back(population.pageVersion(page));
    batch.clear();
    batch.transitions = {transition(130, 0, true, 5)};
    feed(population, batch);
    for (std::uint32_t page = 0; page < 4; ++page)
        CHECK_EQUAL(population.pageVersion(page) != before[page], page == 2);
}

CT_CASE(bucketsCoverEveryDurationWithinAQuarter)
{
    std::mt19937_64 random(1);
    for (int i = 0; i < 20000; ++i) {
        const std::uint64_t ns = random() >> (random() % 64);
        const int bucket = SiteStatistics::bucketOf(ns);
        REQUIRE(bucket >= 0 && bucket < SiteStatistics::kBuckets);
        const std::uint64_t upper = SiteStatistics::upperBoundOf(bucket);
        CHECK(ns <= upper);
        CHECK(bucket == 0 || ns > SiteStatistics::upperBoundOf(bucket - 1));
        CHECK(upper - ns <= ns / 4);
    }
    CHECK_EQUAL(SiteStatistics::upperBoundOf(SiteStatistics::bucketOf(~0ULL)), ~0ULL);
}

CT_CASE(sitesOverTheLimitShareTheirStatistics)
{
    Population population;
    const SiteId limit = Population::kMostSitesWithStatistics;
    Batch batch;
    for (SiteId id = 1; id < limit + 3; ++id)
        batch.sites.push_back(site(id));
    batch.births = {birth(0)};
    const auto suspendAt = [&](SiteId at, std::uint64_t n) {
        batch.transitions.push_back(transition(0, n, false, n * 100, at));
        batch.transitions.push_back(transition(0, n + 1, true, n * 100 + 50, at));
    };
    suspendAt(limit - 1, 0);
    suspendAt(limit, 2);
    suspendAt(limit + 1, 4);
    suspendAt(kUnknownSite, 6);
    feed(population, batch);
    CHECK_EQUAL(population.siteStatistics(limit - 1).completed, 1U);
    for (const SiteId id : {limit, limit + 1, limit + 2, kUnknownSite})
        CHECK_EQUAL(population.siteStatistics(id).completed, 3U);
    CHECK_EQUAL(population.site(limit + 1)->line, (limit + 1) * 10);
}

CT_CASE(computesQuantilesOfSuspensions)
{
    Population population;
    withOne(population, {});
    Batch batch;
    std::uint64_t ts = 1000;
    std::uint64_t n = 0;
    for (int i = 0; i < 1000; ++i) {
        batch.transitions.push_back(transition(0, n++, false, ts));
        ts += i < 990 ? 1000 : 1'000'000;
        batch.transitions.push_back(transition(0, n++, true, ts));
    }
    feed(population, batch);
    const SiteStatistics statistics = population.siteStatistics(1);
    CHECK_EQUAL(statistics.completed, 1000U);
    CHECK_EQUAL(statistics.maxNs, 1'000'000U);
    CHECK(statistics.quantile(0.5) >= 1000 && statistics.quantile(0.5) <= 1250);
    CHECK(statistics.quantile(0.99) >= 1000 && statistics.quantile(0.99) <= 1250);
    CHECK_EQUAL(statistics.quantile(0.991), 1'000'000U);
    CHECK_EQUAL(statistics.quantile(1), 1'000'000U);
    CHECK_EQUAL(SiteStatistics().quantile(0.5), 0U);
}

namespace {

/// Mostly pairs of a resumption and its suspension. Sometimes there is another sequence.
Transitions pairsWithFaults(std::size_t count, CoroutineId coroutines)
{
    std::mt19937 random(5);
    std::vector<std::uint64_t> next(coroutines);
    Transitions events;
    std::uint64_t ts = 1000;
    while (events.size() < count) {
        const CoroutineId id = random() % coroutines;
        const std::uint32_t fault = random() % 300;
        next[id] += fault == 1 ? 3 : 0;
        const auto kind = fault == 2 ? PointKind::Final : fault == 3 ? PointKind::Yield : PointKind::Await;
        const SiteId site = fault == 4 ? kUnknownSite : fault == 5 ? 77'777 : 1 + random() % 2;
        if (fault != 6)
            events.push_back(transition(id, next[id]++, true, ts += random() % 50));
        if (fault == 7)
            events.push_back(transition(id, next[id]++, true, ts));
        if (fault == 8)
            ts -= 40;
        next[id] += fault == 9 ? 2 : 0;
        events.push_back(
            transition(id + (fault == 10 ? coroutines : 0), next[id]++, false, ts += random() % 50, site, kind));
        events.back().tid = 40 + fault % 2;
    }
    return events;
}

}  // namespace

CT_CASE(pairsGiveTheSameStateAsSingleEvents)
{
    // Large batches are consumed pair by pair, batches of one event are not.
    constexpr CoroutineId kCoroutines = 60;
    Population whole;
    Population single;
    Batch batch;
    batch.sites = {site(1), site(2)};
    for (CoroutineId id = 0; id < kCoroutines; ++id)
        batch.births.push_back(birth(id));
    feed(whole, batch);
    feed(single, batch);
    const Transitions events = pairsWithFaults(60'000, kCoroutines);
    for (std::size_t begin = 0; begin < events.size();) {
        const std::size_t size = std::min<std::size_t>(5'001, events.size() - begin);
        batch.clear();
        batch.transitions.assign(events.begin() + static_cast<std::ptrdiff_t>(begin),
                                 events.begin() + static_cast<std::ptrdiff_t>(begin + size));
        feed(whole, batch);
        begin += size;
    }
    for (const Transition &event : events) {
        batch.transitions = {event};
        feed(single, batch);
    }
    for (CoroutineId id = 0; id < kCoroutines; ++id) {
        const CoroutineSnapshot a = whole.at(id);
        const CoroutineSnapshot b = single.at(id);
        CHECK(a.state == b.state && a.kind == b.kind && a.dialect == b.dialect);
        CHECK(a.since == b.since && a.site == b.site && a.bodySite == b.bodySite && a.addr == b.addr);
        CHECK_EQUAL(a.tid, b.tid);
        CHECK_EQUAL(a.events, b.events);
        CHECK_EQUAL(a.runNs, b.runNs);
        CHECK_EQUAL(a.suspendedNs, b.suspendedNs);
        CHECK_EQUAL(a.unexplained, b.unexplained);
    }
    for (SiteId id = 0; id <= 2; ++id) {
        CHECK(whole.siteStatistics(id).completed > 0);
        CHECK(whole.siteStatistics(id).buckets == single.siteStatistics(id).buckets);
        CHECK_EQUAL(whole.siteStatistics(id).maxNs, single.siteStatistics(id).maxNs);
    }
}

namespace {

// Every field of a coroutine is a function of its number of events, so a consistent copy must agree with it.
void checkConsistent(const CoroutineSnapshot &snapshot)
{
    const std::uint64_t events = snapshot.events;
    if (events == 0) {
        CHECK(snapshot.state == CoroutineState::Created);
        return;
    }
    const bool running = events % 2 == 0;
    CHECK(snapshot.state == (running ? CoroutineState::Running : CoroutineState::Suspended));
    CHECK_EQUAL(snapshot.since, 100 + events * 10);
    CHECK_EQUAL(snapshot.suspendedNs, events / 2 * 10);
    CHECK_EQUAL(snapshot.runNs, (events - 1) / 2 * 10);
    const std::uint64_t suspensions = (events + 1) / 2;
    CHECK_EQUAL(snapshot.site, 1 + suspensions % 2);
    CHECK_EQUAL(snapshot.addr, 0xA000 + snapshot.site);
}

}  // namespace

CT_CASE(readersSeeConsistentCopiesDuringWrites)
{
    constexpr CoroutineId kCoroutines = 300;
    Population population;
    const auto read = [&population](std::mt19937 &random) {
        const std::uint32_t size = population.size();
        for (std::uint32_t i = 0; i < size; ++i) {
            // Mostly busy coroutines, to make readers and the writer access the same ones.
            const CoroutineId id = i % 4 ? random() % std::min(size, 3U) : random() % size;
            checkConsistent(population.at(id));
        }
        for (SiteId id = 0; id <= population.siteCount(); ++id)
            CHECK(population.siteStatistics(id).quantile(0.99) <= 10);
    };
    std::vector<std::uint64_t> next(kCoroutines);
    test::readConcurrently(read, [&] {
        Batch batch;
        batch.sites = {site(1), site(2)};
        feed(population, batch);
        std::mt19937 random(99);
        for (CoroutineId born = 0; born < kCoroutines; ++born) {
            batch.clear();
            batch.births = {birth(born)};
            for (int i = 0; i < 4000; ++i) {
                const CoroutineId id = i % 2 ? random() % std::min(born + 1, 3U) : random() % (born + 1);
                const std::uint64_t n = next[id]++;
                batch.transitions.push_back(
                    transition(id, n, n % 2 != 0, 110 + n * 10, 1 + static_cast<SiteId>((n / 2 + 1) % 2)));
            }
            feed(population, batch);
        }
    });
    for (CoroutineId id = 0; id < kCoroutines; ++id)
        CHECK_EQUAL(population.at(id).events, next[id]);
}
