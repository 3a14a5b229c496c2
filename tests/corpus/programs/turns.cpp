// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Counts, messages and turns that get lost.
#include "programs.h"

#include <array>
#include <atomic>
#include <memory>
#include <thread>

namespace corpus {

namespace {

/// The end of several parts of a work. The last part wakes the one who waits.
struct Group {
    std::mutex mutex{};
    int left = 2;  ///< guarded by mutex, as waiter
    Waiter waiter{};
};

struct Counting {
    const Setting &setting;
    Pool pool{setting.threads};
};

Task<> doPart(Counting &counting, std::shared_ptr<Group> group, int part, bool isLost)
{
    co_await sleepFor(counting.pool, counting.setting.unit * (1 + part));
    const std::lock_guard lock(group->mutex);
    group->left -= isLost ? 0 : 1;  // two parts that read and write the number at a time count as one
    if (group->left != 0)
        co_return;
    reportSignal(group.get());
    if (group->waiter)
        counting.pool.wake(std::exchange(group->waiter, {}));
}

Task<> divideWork(Counting &counting, int client)
{
    for (int round = 0;; ++round) {
        const auto group = std::make_shared<Group>();
        for (int part = 0; part < 2; ++part)
            counting.pool.start(doPart(counting, group, part, part == 0 && isFault(counting.setting, client, round)));
        co_await park(corotracer::waited(corotracer::wait::other, group.get()), [&group](const Waiter &self) {
            const std::lock_guard lock(group->mutex);
            if (group->left != 0)
                group->waiter = self;
            return group->left != 0;
        });
        co_await sleepFor(counting.pool, counting.setting.unit * (1 + client % 3));
    }
}

}  // namespace

/// A counter loses an update, and never reaches zero.
void lostCount(const Setting &setting)
{
    Counting counting{setting};
    for (int client = 0; client < kClients; ++client)
        counting.pool.start(divideWork(counting, client));
    counting.pool.join();
}

namespace {

/// An actor: it is scheduled for a message unless it runs already.
struct Actor {
    std::atomic<int> messages{0};
    std::atomic<bool> isParked{false};
    Waiter self{};
};

struct Stage {
    const Setting &setting;
    Pool pool{setting.threads};
    std::array<Actor, kClients> actors{};
};

void post(Stage &stage, Actor &actor)
{
    actor.messages.fetch_add(1);
    reportSignal(&actor);
    if (reportsCauses() && actor.self)
        corotracer::note_wake(*actor.self.promise);
    if (actor.isParked.exchange(false))
        stage.pool.schedule(actor.self);
}

Task<> act(Stage &stage, int client)
{
    Actor &actor = stage.actors.at(static_cast<std::size_t>(client));
    for (int round = 0;; ++round) {
        while (actor.messages.load() == 0) {
            if (client == kVictim && round == kFaultRound)
                std::thread([&] { post(stage, actor); }).join();  // a message comes now
            co_await park(corotracer::waited(corotracer::wait::channel, &actor), [&](const Waiter &self) {
                actor.self = self;
                actor.isParked.store(true);
                // A message may have come since the look at the mailbox. The broken actor does not look again.
                return stage.setting.isBroken || actor.messages.load() == 0 || !actor.isParked.exchange(false);
            });
        }
        actor.messages.fetch_sub(1);
    }
}

/// Each actor has a conductor, who sends when the previous message was taken.
Task<> conduct(Stage &stage, int client)
{
    Actor &actor = stage.actors.at(static_cast<std::size_t>(client));
    for (;;) {
        co_await sleepFor(stage.pool, stage.setting.unit * (3 + client % 3));
        if (actor.messages.load() == 0)
            post(stage, actor);
    }
}

}  // namespace

/// A message comes while the actor decides to sleep.
void mailboxRace(const Setting &setting)
{
    Stage stage{setting};
    for (int client = 0; client < kClients; ++client) {
        stage.pool.start(act(stage, client));
        stage.pool.start(conduct(stage, client));
    }
    stage.pool.join();
}

namespace {

/// A shelf with room for one thing. Sellers wait until it is empty, buyers until it is not.
struct Shop {
    const Setting &setting;
    Pool pool{setting.threads};
    std::mutex mutex{};
    int goods = 0;  ///< guarded by mutex, as all below
    int sold = 0;
    std::array<std::vector<Waiter>, 2> waiting{};  ///< buyers, sellers

    [[nodiscard]] std::vector<Waiter> &traders(bool sells) { return waiting.at(sells ? 1 : 0); }
};

/// Puts a thing onto the shelf, or takes it. Wakes those who waited for that; the broken shop wakes the others, in the
/// end.
bool tryTrade(Shop &shop, bool sells)
{
    const std::lock_guard lock(shop.mutex);
    if ((shop.goods == 0) != sells)
        return false;
    shop.goods = sells ? 1 : 0;
    shop.sold += sells ? 0 : 1;
    const bool isWrong = shop.setting.isBroken && shop.sold > 2 * kFaultRound;
    std::vector<Waiter> &waiting = shop.traders(sells == isWrong);
    reportSignal(&waiting);
    shop.pool.wakeAll(std::exchange(waiting, {}));
    return true;
}

Task<> trade(Shop &shop, bool sells)
{
    const std::vector<Waiter> &place = shop.traders(sells);
    for (;;) {
        while (!tryTrade(shop, sells)) {
            co_await park(corotracer::waited(corotracer::wait::other, &place), [&shop, sells](const Waiter &self) {
                const std::lock_guard lock(shop.mutex);
                if ((shop.goods == 0) == sells)
                    return false;
                shop.traders(sells).push_back(self);
                return true;
            });
        }
        if (!sells)
            co_await sleepFor(shop.pool, shop.setting.unit);
    }
}

}  // namespace

/// A change wakes those who wait for the opposite, and they wait again.
void wrongPredicate(const Setting &setting)
{
    Shop shop{setting};
    for (int i = 0; i < 3; ++i) {
        shop.pool.start(trade(shop, true));
        shop.pool.start(trade(shop, false));
    }
    shop.pool.join();
}

namespace {

/// A barrier: the last of its parties wakes the others.
struct Crew {
    const Setting &setting;
    Pool pool{setting.threads};
    std::mutex mutex{};
    int arrived = 0;  ///< guarded by mutex, as waiting
    std::vector<Waiter> waiting{};
};

Task<> row(Crew &crew, int client)
{
    for (int round = 0;; ++round) {
        co_await sleepFor(crew.pool, crew.setting.unit * (1 + client % 3));
        if (isFault(crew.setting, client, round))
            co_return;  // it leaves, and the others still count it
        co_await park(corotracer::waited(corotracer::wait::other, &crew), [&crew](const Waiter &self) {
            const std::lock_guard lock(crew.mutex);
            if (++crew.arrived < kClients) {
                crew.waiting.push_back(self);
                return true;
            }
            crew.arrived = 0;
            reportSignal(&crew);
            crew.pool.wakeAll(std::exchange(crew.waiting, {}));
            return false;
        });
    }
}

}  // namespace

/// One party of a barrier has left.
void missingParty(const Setting &setting)
{
    Crew crew{setting};
    for (int client = 0; client < kClients; ++client)
        crew.pool.start(row(crew, client));
    crew.pool.join();
}

}  // namespace corpus
