// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Sources that become quiet, of which no cause is reported.
#include "tests/core/analysis/judgescene.h"
#include "tests/support/check.h"

#include <array>

using namespace ct;
using ct::test::JudgeScene;

namespace {

/// Six topics, each with a watcher and a publisher. The first publisher has a function of its own.
struct Topics : JudgeScene {
    static constexpr std::size_t kTopics = 6;
    SiteId inWatcher = site("watch", 45);
    std::array<SiteId, kTopics> inPublisher{};
    std::array<CoroutineId, kTopics> watchers{};
    std::array<CoroutineId, kTopics> publishers{};

    Topics()
    {
        for (std::size_t topic = 0; topic < kTopics; ++topic) {
            inPublisher.at(topic) = topic == 0 ? site("load", 70) : site("publish", 60);
            watchers.at(topic) = suspended(1, inWatcher);
            publishers.at(topic) = suspended(1, inPublisher.at(topic));
        }
        for (std::uint64_t ms = 10; ms < 310; ms += 5)
            publish(ms / 5 % kTopics, ms);
    }
    void publish(std::size_t topic, std::uint64_t ms, bool reachesWatcher = true)
    {
        resume(publishers.at(topic), ms);
        suspend(publishers.at(topic), ms + 1, inPublisher.at(topic));
        if (!reachesWatcher)
            return;
        resume(watchers.at(topic), ms + 1);
        suspend(watchers.at(topic), ms + 2, inWatcher);
    }
    /// All topics but the first one.
    void goOn()
    {
        for (std::uint64_t ms = 320; ms < 620; ms += 5)
            publish(1 + ms / 5 % (kTopics - 1), ms);
    }
    std::vector<Finding> found() const { return at(1000, Rule::LostWakeup); }  // the other topics are not late yet
    Severity severity() const
    {
        const std::vector<Finding> all = found();
        return all.empty() ? Severity::Info : all.front().severity;
    }
};

}  // namespace

CT_CASE(aTopicWithoutNewsIsQuiet)
{
    Topics scene;
    scene.goOn();
    CHECK(scene.severity() == Severity::Info);
    CHECK(!scene.found().empty());  // as information: the wait is still longer than usual
}

CT_CASE(newsThatDoNotArriveAreLost)
{
    Topics scene;
    scene.publish(0, 315, false);
    scene.goOn();
    CHECK(scene.severity() == Severity::Warning);
}

CT_CASE(aPublisherThatHasEndedIsNoQuietSource)
{
    Topics scene;
    scene.destroy(scene.publishers.front(), 302);  // right after its latest news
    scene.goOn();
    CHECK(scene.severity() == Severity::Warning);
}

CT_CASE(wakersThatChangeAreNotUsual)
{
    Topics scene;
    // Another topic's publisher woke the watcher of the first topic last, and it keeps publishing.
    const CoroutineId watcher = scene.watchers.front();
    scene.resume(scene.publishers.at(1), 312);
    scene.suspend(scene.publishers.at(1), 313, scene.inPublisher.at(1));
    scene.resume(watcher, 313);
    scene.suspend(watcher, 314, scene.inWatcher);
    scene.goOn();
    CHECK(scene.severity() == Severity::Warning);
}

CT_CASE(aPartnerThatWaitsForItIsNoQuietSource)
{
    // Each asks a partner of its own. The first partner, which has a function of its own, misses a question.
    JudgeScene scene;
    const SiteId inPause = scene.site("ask", 20);
    const SiteId inQuestion = scene.site("ask", 21);
    const SiteId inFirstPartner = scene.site("answerOnce", 30);
    const SiteId inPartner = scene.site("answer", 40);
    std::array<CoroutineId, 6> askers{};
    std::array<CoroutineId, 6> partners{};
    for (std::size_t pair = 0; pair < askers.size(); ++pair) {
        askers.at(pair) = scene.suspended(1, inPause);
        partners.at(pair) = scene.suspended(1, pair == 0 ? inFirstPartner : inPartner);
    }
    const auto ask = [&](std::size_t pair, std::uint64_t ms) {
        scene.resume(askers.at(pair), ms);
        scene.suspend(askers.at(pair), ms + 1, inQuestion);
    };
    const auto askAndAnswer = [&](std::size_t pair, std::uint64_t ms) {
        ask(pair, ms);
        scene.resume(partners.at(pair), ms + 1);
        scene.suspend(partners.at(pair), ms + 2, pair == 0 ? inFirstPartner : inPartner);
        scene.resume(askers.at(pair), ms + 2);
        scene.suspend(askers.at(pair), ms + 3, inPause);
    };
    for (std::uint64_t ms = 10; ms < 310; ms += 5)
        askAndAnswer(ms / 5 % 6, ms);
    ask(0, 315);
    for (std::uint64_t ms = 320; ms < 620; ms += 5)
        askAndAnswer(1 + ms / 5 % 5, ms);
    const std::vector<Finding> found = scene.at(1000, Rule::LostWakeup);
    REQUIRE(!found.empty());
    CHECK(found.front().severity == Severity::Warning);
    CHECK(found.front().coroutines == std::vector<CoroutineId>{askers.front()});
}
