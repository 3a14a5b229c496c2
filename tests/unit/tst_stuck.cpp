// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/stuck.h"
#include "tests/support/check.h"

using namespace ct;

namespace {

constexpr std::uint64_t kMs = 1'000'000;
constexpr std::uint64_t kSecond = 1'000 * kMs;

/// Builds a population step by step; coroutine ids are given in order.
class Scene {
public:
    CoroutineId born()
    {
        Batch batch;
        Birth birth;
        birth.coroutine = static_cast<CoroutineId>(m_next.size());
        birth.dialect = Dialect::Seqlock;
        birth.probeId = 0x100 + birth.coroutine;
        batch.births = {birth};
        m_next.push_back(0);
        feed(batch);
        return birth.coroutine;
    }
    void suspend(CoroutineId id, std::uint64_t ts, SiteId site, PointKind kind = PointKind::Await)
    {
        event(id, ts, site, kind, false);
    }
    void resume(CoroutineId id, std::uint64_t ts) { event(id, ts, kUnknownSite, PointKind::Await, true); }
    /// `times` completed suspensions of `ns` at `site`.
    void history(SiteId site, int times, std::uint64_t ns)
    {
        const CoroutineId id = born();
        for (int i = 0; i < times; ++i) {
            suspend(id, static_cast<std::uint64_t>(i) * ns, site);
            resume(id, static_cast<std::uint64_t>(i + 1) * ns);
        }
    }
    void feed(const Batch &batch) { CHECK(static_cast<bool>(population.consume(batch))); }

    Population population;

private:
    void event(CoroutineId id, std::uint64_t ts, SiteId site, PointKind kind, bool active)
    {
        Batch batch;
        if (site != kUnknownSite)
            batch.sites.push_back({site, 1, 1, "a.cpp", "f()"});
        Transition transition;
        transition.coroutine = id;
        transition.ts = ts;
        transition.n = m_next[id]++;
        transition.seq = slotSeq(Dialect::Seqlock, transition.n);
        transition.site = site;
        transition.kind = kind;
        transition.active = active;
        transition.addr = active ? 0 : 0xF00;
        batch.transitions = {transition};
        feed(batch);
    }
    std::vector<std::uint64_t> m_next;
};

std::size_t stuckCount(const Scene &scene, std::uint64_t now)
{
    std::size_t count = 0;
    for (const StuckGroup &group : findStuck(scene.population, now))
        count += group.coroutines.size();
    return count;
}

}  // namespace

CT_CASE(aHealthySlowSiteIsNotStuck)
{
    Scene scene;
    scene.history(1, 100, 2 * kSecond);
    scene.suspend(scene.born(), 1000 * kSecond, 1);
    CHECK_EQUAL(stuckCount(scene, 1000 * kSecond + 10 * kSecond), 0U);
    CHECK_EQUAL(stuckCount(scene, 1000 * kSecond + 30 * kSecond), 1U);
}

CT_CASE(aLostWakeIsFoundWithWhatItsSiteUsuallyTakes)
{
    Scene scene;
    scene.history(1, 200, kMs);
    const CoroutineId lost = scene.born();
    scene.suspend(lost, kSecond, 1);
    CHECK_EQUAL(stuckCount(scene, kSecond + 100 * kMs), 0U);  // below the minimum
    const std::vector<StuckGroup> found = findStuck(scene.population, 2 * kSecond);
    REQUIRE(found.size() == 1 && found[0].coroutines.size() == 1);
    CHECK_EQUAL(found[0].site, 1U);
    CHECK_EQUAL(found[0].longestNs, kSecond);
    CHECK_EQUAL(found[0].coroutines[0].coroutine, lost);
    CHECK_EQUAL(found[0].coroutines[0].probeId, 0x100 + lost);
    CHECK_EQUAL(found[0].coroutines[0].addr, 0xF00U);
    REQUIRE(found[0].usualNs.has_value());
    CHECK(*found[0].usualNs >= kMs && *found[0].usualNs <= kMs + kMs / 4);
}

CT_CASE(withoutABaselineASecondIsNeeded)
{
    Scene scene;
    scene.suspend(scene.born(), kSecond, 1);
    CHECK_EQUAL(stuckCount(scene, kSecond + 900 * kMs), 0U);
    const std::vector<StuckGroup> found = findStuck(scene.population, kSecond + 1100 * kMs);
    REQUIRE(found.size() == 1);
    CHECK(!found[0].usualNs.has_value());
}

CT_CASE(finishedDestroyedRunningFlaggedAndUnknownAreNeverStuck)
{
    Scene scene;
    scene.history(1, 10, kMs);
    scene.born();  // created only
    scene.suspend(scene.born(), kSecond, 1, PointKind::Final);
    const CoroutineId running = scene.born();
    scene.suspend(running, kSecond, 1);
    scene.resume(running, kSecond + 1);
    const CoroutineId destroyed = scene.born();
    scene.suspend(destroyed, kSecond, 1);
    const CoroutineId flagged = scene.born();
    scene.suspend(flagged, kSecond, 1);
    const CoroutineId unknown = scene.born();
    scene.suspend(unknown, kSecond, 1);
    CHECK_EQUAL(stuckCount(scene, 100 * kSecond), 3U);
    Batch batch;
    batch.deaths = {{destroyed, 2 * kSecond}};
    batch.flags = {{flagged, Flag::Reason::DialectContradiction}};
    batch.losses = {{unknown, 1, 4, false}};
    scene.feed(batch);
    CHECK_EQUAL(stuckCount(scene, 100 * kSecond), 0U);
}

CT_CASE(groupsComeBiggestFirstAndTheirMembersLongestFirst)
{
    Scene scene;
    scene.suspend(scene.born(), kSecond, 7);
    for (std::uint64_t i = 0; i < 3; ++i)
        scene.suspend(scene.born(), (5 - i) * kSecond, 3);
    const std::vector<StuckGroup> found = findStuck(scene.population, 60 * kSecond);
    REQUIRE(found.size() == 2);
    CHECK_EQUAL(found[0].site, 3U);
    REQUIRE(found[0].coroutines.size() == 3);
    CHECK_EQUAL(found[0].longestNs, 57 * kSecond);
    CHECK_EQUAL(found[0].coroutines[0].coroutine, 3U);
    CHECK_EQUAL(found[0].coroutines[2].coroutine, 1U);
    CHECK_EQUAL(found[1].site, 7U);
}

CT_CASE(theRuleCanBeChanged)
{
    Scene scene;
    scene.history(1, 100, 100 * kMs);
    scene.suspend(scene.born(), 100 * kSecond, 1);
    StuckRule rule;
    rule.usualFactor = 2;
    CHECK_EQUAL(findStuck(scene.population, 100 * kSecond + 600 * kMs, rule).size(), 1U);
    CHECK_EQUAL(findStuck(scene.population, 100 * kSecond + 600 * kMs).size(), 0U);
    rule.usualFactor = 1e30;  // larger than any time
    CHECK_EQUAL(findStuck(scene.population, ~0ULL, rule).size(), 0U);
    CHECK_EQUAL(findStuck(scene.population, 0).size(), 0U);
}
