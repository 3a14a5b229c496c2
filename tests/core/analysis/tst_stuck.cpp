// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/stuck.h"
#include "tests/core/analysis/judgescene.h"
#include "tests/support/check.h"

using namespace ct;
using ct::test::JudgeScene;

namespace {

Finding finding(Rule rule, Severity severity, std::vector<CoroutineId> coroutines)
{
    Finding made;
    made.rule = rule;
    made.severity = severity;
    made.coroutines = std::move(coroutines);
    return made;
}

std::vector<StuckGroup> stuckIn(const JudgeScene &scene, std::uint64_t ms, std::vector<Finding> findings)
{
    Verdict verdict;
    verdict.judgedAt = ms * JudgeScene::kMs;
    verdict.findings = std::move(findings);
    return stuckCoroutines(verdict, scene.population);
}

}  // namespace

CT_CASE(suspendedCoroutinesOfWarningsAreStuck)
{
    JudgeScene scene;
    const SiteId read = scene.site("read", 88);
    const SiteId lock = scene.site("lock", 12);
    for (std::uint64_t ms = 0; ms < 100; ms += 2) {
        const CoroutineId id = scene.suspended(ms, read);
        scene.resume(id, ms + 1);
    }
    const CoroutineId running = 0;
    const CoroutineId late = scene.suspended(200, read);
    const CoroutineId later = scene.suspended(300, read);
    const CoroutineId locked = scene.suspended(250, lock);
    const CoroutineId idle = scene.suspended(100, lock);
    const std::vector<StuckGroup> groups =
        stuckIn(scene, 1000,
                {finding(Rule::Deadlock, Severity::Error, {locked}),
                 finding(Rule::LostWakeup, Severity::Warning, {later, late, locked}),
                 finding(Rule::LongRun, Severity::Warning, {running}), finding(Rule::Leak, Severity::Info, {idle})});
    REQUIRE(groups.size() == 2);
    REQUIRE(groups[0].coroutines.size() == 2);
    CHECK_EQUAL(groups[0].site, read);
    CHECK_EQUAL(groups[0].coroutines[0].coroutine, late);
    CHECK_EQUAL(groups[0].coroutines[0].suspendedNs, 800 * JudgeScene::kMs);
    CHECK_EQUAL(groups[0].coroutines[1].coroutine, later);
    CHECK_EQUAL(groups[0].longestNs, 800 * JudgeScene::kMs);
    CHECK(groups[0].usualNs && *groups[0].usualNs >= JudgeScene::kMs && *groups[0].usualNs < 2 * JudgeScene::kMs);
    CHECK(groups[0].coroutines[0].rule == Rule::LostWakeup);
    REQUIRE(groups[1].coroutines.size() == 1);
    CHECK_EQUAL(groups[1].coroutines[0].coroutine, locked);
    CHECK(groups[1].coroutines[0].rule == Rule::Deadlock);  // its most severe finding
    CHECK(!groups[1].usualNs);
}

CT_CASE(timesWithoutTracingDoNotCount)
{
    JudgeScene scene;
    const CoroutineId late = scene.suspended(100, scene.site("read", 88));
    Batch batch;
    batch.notes.switches = {{JudgeScene::kPid, 200 * JudgeScene::kMs, false},
                            {JudgeScene::kPid, 500 * JudgeScene::kMs, true}};
    scene.feed(batch);
    const std::vector<StuckGroup> groups = stuckIn(scene, 1000, {finding(Rule::LostWakeup, Severity::Warning, {late})});
    REQUIRE(groups.size() == 1);
    CHECK_EQUAL(groups[0].longestNs, 600 * JudgeScene::kMs);
}
