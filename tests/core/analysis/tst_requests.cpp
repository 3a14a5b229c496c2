// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Waits for answers that cannot come any more, and subscribers whose sources are quiet.
#include "tests/core/analysis/judgescene.h"
#include "tests/support/check.h"

using namespace ct;
using ct::test::JudgeScene;

namespace {

/// Six coroutines start a task for each of their waits, and the task wakes them.
struct Starters : JudgeScene {
    static constexpr std::uint64_t kResult = 0x700;
    SiteId where = site("divide", 21);
    SiteId inTask = site("part", 8);
    std::vector<CoroutineId> ids;

    Starters()
    {
        for (int i = 0; i < 6; ++i)
            ids.push_back(born(1));
        for (std::uint64_t ms = 10; ms < 310; ms += 5)
            complete(ids[ms / 5 % 6], ms);
    }
    /// Suspends `id` at `ms`, after it has started a task. Each result is a new object at an address that was used
    /// before.
    CoroutineId start(CoroutineId id, std::uint64_t ms)
    {
        const CoroutineId task = born(ms);
        parent(task, id);
        suspend(task, ms, inTask);
        suspend(id, ms + 1, where);
        waits(id, WaitKind::Other, kResult);
        return task;
    }
    void complete(CoroutineId id, std::uint64_t ms)
    {
        const CoroutineId task = start(id, ms);
        resume(task, ms + 2);
        use(UseKind::Signalled, task, kResult, ms + 2);
        wake(id, ms + 2);
        destroy(task, ms + 3);
        resume(id, ms + 3);
    }
    Severity severity(std::uint64_t ms) const
    {
        const std::vector<Finding> found = at(ms, Rule::LostWakeup);
        return found.empty() ? Severity::Info : found.front().severity;
    }
};

/// Clients send requests to a server, which answers through an object of each.
struct Clients : JudgeScene {
    static constexpr std::uint64_t kRequests = 0x900;
    SiteId where = site("ask", 12);
    SiteId inServer = site("serve", 40);
    CoroutineId server = born();
    std::vector<CoroutineId> ids;

    Clients()
    {
        for (int i = 0; i < 6; ++i)
            ids.push_back(born());
        serverWaits(1);
        for (std::uint64_t ms = 10; ms < 310; ms += 5)
            ask(ids[ms / 5 % 6], ms, true);
    }
    static std::uint64_t answerOf(CoroutineId id) { return 0x1000 + 64 * std::uint64_t{id}; }
    void serverWaits(std::uint64_t ms)
    {
        suspend(server, ms, inServer);
        waits(server, WaitKind::Channel, kRequests);
    }
    void ask(CoroutineId id, std::uint64_t ms, bool isAnswered, bool asks = true)
    {
        if (asks)
            use(UseKind::Signalled, id, kRequests, ms);
        suspend(id, ms, where);
        waits(id, WaitKind::Channel, answerOf(id));
        wake(server, ms + 1);
        resume(server, ms + 1);
        if (isAnswered) {
            use(UseKind::Signalled, server, answerOf(id), ms + 2);
            wake(id, ms + 2);
            resume(id, ms + 3);
        }
        serverWaits(ms + 3);
    }
    /// All but the first one go on.
    void goOn(std::uint64_t from)
    {
        for (std::uint64_t ms = from; ms < from + 300; ms += 5)
            ask(ids[1 + ms / 5 % 5], ms, true);
    }
    std::vector<Finding> found(std::uint64_t ms) const { return at(ms, Rule::LostWakeup); }
};

}  // namespace

CT_CASE(aTaskThatEndsWithoutAnAnswerLeavesItsStarterBehind)
{
    Starters scene;
    const CoroutineId task = scene.start(scene.ids[0], 400);
    CHECK(scene.severity(3000) == Severity::Info);  // the task may still answer
    scene.destroy(task, 450);
    CHECK(scene.severity(900) == Severity::Info);
    CHECK(scene.severity(3000) == Severity::Warning);
    const std::vector<Finding> found = scene.at(3000, Rule::LostWakeup);
    REQUIRE(found.size() == 1);
    CHECK(found[0].coroutines == std::vector<CoroutineId>{scene.ids[0]});
    CHECK_EQUAL(found[0].evidence.back(),
                "its latest 8 waits of this sort were ended by coroutines that it had created, "
                "and all that it created have ended, the last 2.55 s ago");
}

CT_CASE(aTaskOfATaskMayStillAnswer)
{
    Starters scene;
    const CoroutineId task = scene.start(scene.ids[0], 400);
    const CoroutineId other = scene.born(420);
    scene.parent(other, task);
    scene.suspend(other, 430, scene.inTask);
    scene.destroy(task, 450);
    CHECK(scene.severity(3000) == Severity::Info);
    scene.destroy(other, 460);
    CHECK(scene.severity(3000) == Severity::Warning);
}

CT_CASE(aWaitThatOthersEndedBeforeMayStillEnd)
{
    Starters scene;
    const CoroutineId stranger = scene.born(1);
    scene.suspend(scene.ids[0], 320, scene.where);
    scene.waits(scene.ids[0], WaitKind::Other, Starters::kResult);
    scene.use(UseKind::Signalled, stranger, Starters::kResult, 321);
    scene.wake(scene.ids[0], 321);
    scene.resume(scene.ids[0], 322);
    scene.destroy(scene.start(scene.ids[0], 400), 450);
    CHECK(scene.severity(3000) == Severity::Info);
}

CT_CASE(aWakeOfAnotherSortOfWaitDoesNotCount)
{
    for (const bool isForAnObject : {false, true}) {
        Starters scene;
        const SiteId pause = scene.site("pause", 3);
        scene.suspend(scene.ids[0], 320, pause);
        if (isForAnObject)
            scene.waits(scene.ids[0], WaitKind::Other, 0x800);
        scene.wake(scene.ids[0], 330);
        scene.resume(scene.ids[0], 331);
        scene.destroy(scene.start(scene.ids[0], 400), 450);
        CHECK(scene.severity(3000) == Severity::Warning);
    }
}

CT_CASE(aRequestThatWasTakenAndNotAnsweredIsFound)
{
    Clients scene;
    scene.ask(scene.ids[0], 400, false);
    scene.goOn(500);
    const std::vector<Finding> found = scene.found(3000);
    REQUIRE(found.size() == 1);
    CHECK(found[0].severity == Severity::Warning);
    CHECK(found[0].coroutines == std::vector<CoroutineId>{scene.ids[0]});
    CHECK_EQUAL(found[0].evidence.back(), "coroutine 1 sent a request 2.60 s ago, and coroutine 0, which answered the "
                                          "earlier ones, is done with it and has waited for the next");
}

CT_CASE(answersThatCameBeforeTheWaitCount)
{
    Clients scene;
    const SiteId pause = scene.site("pause", 3);
    const CoroutineId client = scene.born(1);
    scene.ask(client, 320, true);
    for (const std::uint64_t ms : {330, 340, 350}) {
        scene.use(UseKind::Signalled, client, Clients::kRequests, ms);
        scene.wake(scene.server, ms + 1);
        scene.resume(scene.server, ms + 1);
        scene.use(UseKind::Signalled, scene.server, Clients::answerOf(client), ms + 2);
        scene.serverWaits(ms + 3);
        scene.suspend(client, ms + 4, pause);
        scene.resume(client, ms + 5);
    }
    scene.ask(client, 400, false);
    scene.goOn(500);
    const std::vector<Finding> found = scene.found(3000);
    REQUIRE(found.size() == 1);
    CHECK(found[0].severity == Severity::Warning);
    CHECK(found[0].coroutines == std::vector<CoroutineId>{client});
}

CT_CASE(aSubscriberWithoutARequestIsIdle)
{
    Clients scene;
    scene.ask(scene.ids[0], 400, false, false);
    scene.goOn(500);
    CHECK(scene.found(3000).empty());
}

CT_CASE(aRequestBeforeTheLatestAnswerIsAnswered)
{
    Clients scene;
    scene.ask(scene.ids[0], 395, true);
    scene.ask(scene.ids[0], 400, false, false);
    scene.goOn(500);
    CHECK(scene.found(3000).empty());
}

CT_CASE(aServerThatIsNotBackMayStillAnswer)
{
    Clients scene;
    scene.use(UseKind::Signalled, scene.ids[0], Clients::kRequests, 400);
    scene.suspend(scene.ids[0], 400, scene.where);
    scene.waits(scene.ids[0], WaitKind::Channel, Clients::answerOf(scene.ids[0]));
    scene.wake(scene.server, 401);
    scene.resume(scene.server, 401);
    scene.suspend(scene.server, 402, scene.site("compute", 41));
    // Meanwhile, another one answers.
    const CoroutineId helper = scene.born();
    for (std::uint64_t ms = 500; ms < 800; ms += 5) {
        const CoroutineId id = scene.ids[1 + ms / 5 % 5];
        scene.suspend(id, ms, scene.where);
        scene.waits(id, WaitKind::Channel, Clients::answerOf(id));
        scene.use(UseKind::Signalled, helper, Clients::answerOf(id), ms + 2);
        scene.wake(id, ms + 2);
        scene.resume(id, ms + 3);
    }
    CHECK(scene.found(3000).empty());
    scene.resume(scene.server, 810);
    scene.serverWaits(811);
    CHECK_EQUAL(scene.found(3000).size(), 1U);  // it is done
}

CT_CASE(oneOfTwoThatWaitForOneSignalIsLost)
{
    Clients scene;
    for (const CoroutineId id : {scene.ids[0], scene.ids[1]}) {
        scene.suspend(id, 400, scene.where);
        scene.waits(id, WaitKind::Other, 0x5000);
    }
    scene.use(UseKind::Signalled, scene.server, 0x5000, 410);
    scene.wake(scene.ids[1], 410);
    scene.resume(scene.ids[1], 411);
    scene.goOn(500);
    const std::vector<Finding> found = scene.found(3000);
    REQUIRE(found.size() == 1);
    CHECK(found[0].severity == Severity::Warning);
    CHECK(found[0].coroutines == std::vector<CoroutineId>{scene.ids[0]});
    // Signals that come again and again wake one waiter each: its turn comes.
    scene.suspend(scene.ids[1], 1990, scene.where);
    scene.waits(scene.ids[1], WaitKind::Other, 0x5000);
    scene.use(UseKind::Signalled, scene.server, 0x5000, 2000);
    scene.wake(scene.ids[1], 2000);
    scene.resume(scene.ids[1], 2001);
    CHECK(scene.found(3000).empty());
}

CT_CASE(severalSourcesMayBecomeQuiet)
{
    Clients scene;
    scene.ask(scene.ids[0], 400, false);
    scene.ask(scene.ids[1], 405, false);
    for (std::uint64_t ms = 500; ms < 800; ms += 5)
        scene.ask(scene.ids[2 + ms / 5 % 4], ms, true);
    CHECK(scene.found(3000).empty());
}

CT_CASE(aRequestToAConnectionThatIsNotAnsweredIsFound)
{
    const auto found = [](bool isServer, std::uint64_t slowestMs) {
        JudgeScene scene;
        const SiteId pause = scene.site("ask", 1);
        const SiteId write = scene.site("ask", 2);
        const SiteId read = scene.site("ask", 3);
        std::vector<CoroutineId> ids;
        for (int i = 0; i < 6; ++i)
            ids.push_back(scene.born());
        const auto step = [&](CoroutineId id, std::uint64_t ms, SiteId where, WaitKind kind, std::uint64_t object) {
            scene.suspend(id, ms, where);
            scene.waits(id, kind, object);
        };
        const auto exchange = [&](CoroutineId id, std::uint64_t ms, std::uint64_t takesMs) {
            if (!isServer) {
                step(id, ms, pause, WaitKind::Timer, (ms + 1) * JudgeScene::kMs);
                scene.resume(id, ms + 1);
            }
            step(id, ms + 1, write, WaitKind::Descriptor, 20 + id);
            scene.resume(id, ms + 2);
            step(id, ms + 2, read, WaitKind::Descriptor, 20 + id);
            if (takesMs != 0)
                scene.resume(id, ms + 2 + takesMs);
        };
        exchange(ids[1], 1, slowestMs);
        for (std::uint64_t ms = 200; ms < 500; ms += 5)
            exchange(ids[ms / 5 % 6], ms, 1);
        exchange(ids[0], 500, 0);
        for (std::uint64_t ms = 600; ms < 900; ms += 5)
            exchange(ids[1 + ms / 5 % 5], ms, 1);
        std::vector<DescriptorSample> rows;
        for (std::uint32_t i = 0; i < 6; ++i)
            rows.push_back(JudgeScene::descriptor(20 + i, 4, DescriptorKind::Socket));
        scene.sampled(1000, {JudgeScene::thread(50, ThreadState::Sleeping, ThreadCall::Epoll, 4)}, rows);
        scene.sampled(2900);
        return scene.at(3000, Rule::LostWakeup);
    };
    const std::vector<Finding> lost = found(false, 10);
    REQUIRE(lost.size() == 1);
    CHECK(lost[0].severity == Severity::Warning);
    CHECK(lost[0].coroutines == std::vector<CoroutineId>{0});
    CHECK(found(true, 10).empty());    // it has answered, and waits for the next request
    CHECK(found(false, 100).empty());  // answers sometimes take long
}
