// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Late waits of version-1 coroutines, which name no sites: they are compared by the functions that their frames gave.
#include "tests/core/analysis/judgescene.h"
#include "tests/support/check.h"

using namespace ct;
using ct::test::JudgeScene;

namespace {

const std::string kServe = "serve(int)";

struct Version1Scene : JudgeScene {
    void wait(CoroutineId id, std::uint64_t ms, std::uint64_t duration)
    {
        suspend(id, ms, kUnknownSite);
        resume(id, ms + duration);
    }
    SiteStatistics statistics(CoroutineId id) const
    {
        return data.functionWaits().statistics()[data.functions().of(id)];
    }
};

/// Six coroutines complete waits of 1 ms, 120 in all. A seventh has completed 3 of them, and waits since 100 ms.
struct Version1 : Version1Scene {
    std::vector<CoroutineId> siblings;
    CoroutineId late = kNoCoroutine;

    explicit Version1(const std::string &function = kServe)
    {
        for (int i = 0; i < 6; ++i)
            siblings.push_back(bornInVersion1(function));
        late = bornInVersion1(function);
        for (std::uint64_t ms = 1; ms <= 3; ++ms)
            wait(late, ms, 1);
        for (std::uint64_t ms = 1; ms <= 60; ++ms)
            wait(siblings[ms % 6], ms, 1);
        suspend(late, 100, kUnknownSite);
        for (std::uint64_t ms = 101; ms < 161; ++ms)
            wait(siblings[ms % 6], ms, 1);
    }
    std::optional<Severity> severity(std::uint64_t ms) const
    {
        const std::vector<Finding> found = at(ms, Rule::LostWakeup);
        REQUIRE(found.size() <= 1);
        return found.empty() ? std::nullopt : std::optional(found.front().severity);
    }
};

}  // namespace

CT_CASE(aLateWaitIsComparedWithItsFunction)
{
    Version1 scene;
    for (int i = 0; i < 3; ++i)  // the waits of another function are no reference
        scene.wait(scene.bornInVersion1("rest()"), 1, 900);
    CHECK(scene.severity(500) == std::nullopt);
    CHECK(scene.severity(1000) == Severity::Warning);
    const Finding found = scene.at(1000, Rule::LostWakeup).at(0);
    CHECK(found.coroutines == std::vector<CoroutineId>{scene.late});
    CHECK_EQUAL(found.message, "suspended for 900 ms, and earlier waits there took at most 1.00 ms");
}

CT_CASE(anUnknownFunctionHasNoSiblings)
{
    CHECK(Version1("").severity(1000) == Severity::Info);
}

CT_CASE(aFunctionWithFewCompletedWaitsIsComparedWithAll)
{
    Version1 scene;
    const CoroutineId only = scene.bornInVersion1("fetch()");
    scene.suspend(only, 100, kUnknownSite);
    const auto isOfOnly = [only](const Finding &finding) {
        return finding.coroutines == std::vector<CoroutineId>{only};
    };
    const std::vector<Finding> found = scene.at(1000, Rule::LostWakeup);
    const auto finding = std::find_if(found.begin(), found.end(), isOfOnly);
    REQUIRE(finding != found.end());
    CHECK(finding->severity == Severity::Info);
    // The longest wait of all.
    scene.wait(scene.siblings[0], 200, 300);
    const std::vector<Finding> earlier = scene.at(950, Rule::LostWakeup);
    CHECK(std::none_of(earlier.begin(), earlier.end(), isOfOnly));
}

CT_CASE(theLongestWaitOfTheWholeFunctionCounts)
{
    Version1 scene;
    scene.wait(scene.siblings[0], 200, 300);  // at another suspension point, for all that is known
    CHECK(scene.severity(950) == std::nullopt);
    CHECK(scene.severity(1050) == Severity::Warning);
}

CT_CASE(aFrameThatIsReadLateGivesAllWaitsToItsFunction)
{
    Version1 scene("");
    for (const CoroutineId id : scene.siblings)
        scene.readFrame(id, kServe);
    CHECK_EQUAL(scene.statistics(scene.siblings[0]).completed, 120U);
    CHECK(scene.severity(1000) == Severity::Info);  // its own frame is not read
    scene.readFrame(scene.late, kServe);
    CHECK_EQUAL(scene.statistics(scene.late).completed, 123U);
    CHECK(scene.severity(1000) == Severity::Warning);
}

CT_CASE(waitsOfEndedCoroutinesAreKeptForTheirFunction)
{
    Version1 scene;
    scene.wait(scene.siblings[0], 200, 50);
    for (const CoroutineId id : scene.siblings)
        scene.destroy(id, 300);
    const SiteStatistics statistics = scene.statistics(scene.late);
    CHECK_EQUAL(statistics.completed, 124U);
    CHECK_EQUAL(statistics.maxNs, 50 * JudgeScene::kMs);
    CHECK(statistics.ofSeveral);
}

CT_CASE(aWaitWithAGapBehindItDoesNotCount)
{
    Version1 scene;
    const SiteStatistics before = scene.statistics(scene.late);
    Batch batch;
    batch.transitions = {test::eventOf(Dialect::Seqlock, scene.siblings[0], 100, 200 * JudgeScene::kMs, false),
                         test::eventOf(Dialect::Seqlock, scene.siblings[0], 103, 900 * JudgeScene::kMs, true)};
    scene.feed(batch);
    CHECK_EQUAL(scene.statistics(scene.late).maxNs, before.maxNs);
    CHECK_EQUAL(scene.statistics(scene.late).completed, before.completed);
}

CT_CASE(theLongestWaitsOfEachCoroutineHaveTheirBuckets)
{
    Version1Scene scene;
    const CoroutineId id = scene.bornInVersion1(kServe);
    for (std::uint64_t i = 0; i < 12; ++i) {
        const std::uint64_t duration = i % 2 == 0 ? 100 + i : 1;
        scene.wait(id, 1 + i * 1000, duration);
    }
    const SiteStatistics statistics = scene.statistics(id);
    const auto bucketOf = [](std::uint64_t ms) {
        return static_cast<std::size_t>(SiteStatistics::bucketOf(ms * JudgeScene::kMs));
    };
    CHECK_EQUAL(statistics.completed, 12U);
    CHECK_EQUAL(statistics.maxNs, 110 * JudgeScene::kMs);
    CHECK_EQUAL(statistics.buckets[bucketOf(100)] + statistics.buckets[bucketOf(110)], 6U);
    CHECK_EQUAL(statistics.buckets[bucketOf(1)], 4U);  // ten are kept
    CHECK_EQUAL(statistics.buckets[0], 2U);
    CHECK(!statistics.ofSeveral);
}

/// Version-1 coroutines name no process: samples are of the only one.
CT_CASE(whatWasDeliveredToTheSampledProcessMakesAWarning)
{
    const auto severity = [](std::uint64_t pending) {
        Version1 scene("");
        scene.sampled(180, {JudgeScene::thread(50, ThreadState::Sleeping, ThreadCall::Epoll, 4)});
        DescriptorSample row = JudgeScene::descriptor(7, 4, DescriptorKind::Socket);
        row.pending = pending;
        scene.sampled(200, {}, {row});
        scene.sampled(2900);
        return scene.severity(3000);
    };
    CHECK(severity(47) == Severity::Warning);
    CHECK(severity(0) == Severity::Info);
}

CT_CASE(timeInWhichTheSampledProcessIsOverloadedIsNotLate)
{
    const auto severity = [](std::uint64_t delayMs) {
        Version1 scene;
        for (const std::uint64_t ms : {100U, 1000U}) {
            ThreadSample row = JudgeScene::thread(100, ThreadState::Running, ThreadCall::None, 0, ms);
            row.runDelayNs = (ms == 100 ? 1 : 1 + delayMs) * JudgeScene::kMs;
            scene.sampled(ms, {row});
        }
        return scene.severity(1000);
    };
    CHECK(severity(100) == Severity::Warning);
    CHECK(severity(300) == std::nullopt);
}

CT_CASE(manyLateWaitsAreNotUnusual)
{
    Version1 scene;
    for (std::size_t i = 0; i < 2; ++i)  // 3 of 7 are late by 2 s, but 6 came back in the meantime
        scene.suspend(scene.siblings[i], 200, kUnknownSite);
    const std::vector<Finding> found = scene.at(2000, Rule::LostWakeup);
    REQUIRE(found.size() == 1);
    CHECK(found[0].severity == Severity::Info);
    CHECK_EQUAL(found[0].coroutines.size(), 3U);
}

CT_CASE(waitsOfTargetsWithLanesAreNotKept)
{
    Version1Scene scene;
    const CoroutineId id = scene.born();
    scene.readFrame(id, kServe);
    scene.wait(id, 1, 1);
    CHECK(scene.data.functionWaits().statistics().empty());
}
