// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A run that uses more objects than the history can remember. Waits for the objects that it forgot are not judged; all
// other waits are.
#include "tests/core/analysis/judgescene.h"
#include "tests/support/check.h"

using namespace ct;
using ct::test::JudgeScene;

namespace {

using Ids = std::vector<CoroutineId>;

constexpr std::uint64_t kOld = 0x100;
constexpr std::uint64_t kYoung = 0x200;
constexpr std::uint64_t kObjects = 1 << 20;  ///< address of the first of many

struct Crowd : JudgeScene {
    SiteId where = site("receive", 10);
    CoroutineId sender = born();

    Crowd() { reportsWakes(); }

    CoroutineId waiter(std::uint64_t ms, WaitKind kind, std::uint64_t object)
    {
        const CoroutineId id = suspended(ms, where);
        waits(id, kind, object);
        return id;
    }
    /// As many other objects are used as are remembered.
    void crowd(std::uint64_t ms)
    {
        Batch batch;
        for (std::uint64_t i = 0; i < ObjectHistory::kMost; ++i)
            batch.notes.uses.push_back(
                {kNoCoroutine, 0, UseKind::Signalled, kObjects + i, kUnknownSite, ms * kMs + i, kPid, 100});
        feed(batch);
    }
    Ids accused(std::uint64_t ms, Rule rule) const
    {
        Ids ids;
        for (const Finding &finding : at(ms, rule))
            ids.insert(ids.end(), finding.coroutines.begin(), finding.coroutines.end());
        std::sort(ids.begin(), ids.end());
        return ids;
    }
};

}  // namespace

CT_CASE(aSignalOfAnObjectThatWasForgottenProvesNothing)
{
    Crowd scene;
    scene.use(UseKind::Acquired, scene.sender, kOld, 50);
    const CoroutineId old = scene.waiter(100, WaitKind::Channel, kOld);
    const CoroutineId young = scene.waiter(100, WaitKind::Channel, kYoung);
    scene.crowd(200);
    scene.use(UseKind::Signalled, scene.sender, kOld, 300);
    scene.use(UseKind::Signalled, scene.sender, kYoung, 300);
    CHECK(scene.data.objects().wasForgotten(JudgeScene::kPid, kOld));
    REQUIRE(!scene.data.objects().wasForgotten(JudgeScene::kPid, kYoung));
    CHECK(scene.accused(1500, Rule::LostWakeup) == Ids{young});
    CHECK_EQUAL(scene.abstained(1500, Rule::LostWakeup), 1U);
    scene.wake(old, 1600);
    CHECK_EQUAL(scene.abstained(2700, Rule::LostWakeup), 0U);
    CHECK(scene.at(2700, Rule::Capture)
              .at(0)
              .evidence.at(0)
              .ends_with(" objects were forgotten: there were too many, so waits for them are not judged by proofs"));
}

CT_CASE(aDeadlockThroughALockThatWasForgottenIsNotJudged)
{
    Crowd scene;
    const Ids owners = {scene.born(), scene.born(), scene.born(), scene.born()};
    scene.use(UseKind::Acquired, owners[0], kOld, 50);
    scene.crowd(200);
    scene.use(UseKind::Acquired, owners[0], kOld, 250);  // again, without a release
    for (std::uint64_t i = 1; i < owners.size(); ++i)
        scene.use(UseKind::Acquired, owners[i], kYoung + i, 250);
    const auto waitsForLock = [&scene](CoroutineId id, std::uint64_t lock) {
        scene.suspend(id, 300, scene.where);
        scene.waits(id, WaitKind::Lock, lock);
    };
    waitsForLock(owners[0], kYoung + 1);
    waitsForLock(owners[1], kOld);
    waitsForLock(owners[2], kYoung + 3);
    waitsForLock(owners[3], kYoung + 2);
    CHECK(scene.accused(500, Rule::Deadlock) == (Ids{owners[2], owners[3]}));
    CHECK_EQUAL(scene.abstained(500, Rule::Deadlock), 2U);
}

/// It may have been used last long before, as the source of rare news.
CT_CASE(aWaitForAnObjectThatWasForgottenIsNotComparedWithOthers)
{
    const auto found = [](std::uint64_t object) {
        Crowd scene;
        scene.use(UseKind::Signalled, scene.sender, kOld, 5);
        Ids siblings;
        for (int i = 0; i < 6; ++i)
            siblings.push_back(scene.born());
        const auto goOn = [&](std::uint64_t from, std::uint64_t to) {
            for (std::uint64_t ms = from; ms < to; ++ms) {
                scene.suspend(siblings[ms % 6], ms, scene.where);
                scene.resume(siblings[ms % 6], ms + 1);
            }
        };
        goOn(10, 80);
        scene.crowd(100);
        const CoroutineId late = scene.waiter(150, WaitKind::Channel, object);
        goOn(200, 300);
        const std::vector<Finding> all = scene.at(3000, Rule::LostWakeup);
        CHECK(all.empty() || all.front().coroutines == Ids{late});
        return all.size();
    };
    CHECK_EQUAL(found(kOld), 0U);
    CHECK_EQUAL(found(kYoung), 1U);
}
