// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Healthy programs that look as if something were wrong: they wait for long, and do little.
#include "../support/generator.h"
#include "world.h"

#include <array>
#include <cmath>
#include <deque>
#include <random>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace corpus {

namespace {

/// A listening socket at an abstract address that the kernel chooses.
int listenAnywhere()
{
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    (void)::bind(fd, reinterpret_cast<const sockaddr *>(&address), sizeof(sa_family_t));
    (void)::listen(fd, 8);
    return fd;
}

Task<> acceptConnections(World &world, int listener)
{
    for (;;) {
        co_await readable(world.pool, listener);
        const int connection = ::accept(listener, nullptr, nullptr);
        if (connection >= 0)
            ::close(connection);
    }
}

Task<> waitForReload(World &world, int descriptor)
{
    co_await readable(world.pool, descriptor);
}

}  // namespace

/// A server to which nobody connects: everything waits for the network.
void idleServer(const Setting &setting)
{
    World world{setting};
    for (int i = 0; i < 3; ++i)
        world.pool.start(acceptConnections(world, listenAnywhere()));
    world.pool.start(waitForReload(world, listenAnywhere()));
    world.pool.join();
}

namespace {

/// A pool whose idle workers are a stack: those that worked last work next.
struct LazyPool {
    const Setting &setting;
    Pool pool{setting.threads};
    std::mutex mutex{};
    std::vector<Waiter> idle{};  ///< guarded by mutex, as all below
    int jobs = 0;
};

Task<> workLazily(LazyPool &lazy)
{
    for (;;) {
        co_await park(corotracer::waited(corotracer::wait::channel, &lazy), [&lazy](const Waiter &self) {
            const std::lock_guard lock(lazy.mutex);
            if (lazy.jobs != 0) {
                --lazy.jobs;
                return false;
            }
            lazy.idle.push_back(self);
            return true;
        });
        co_await sleepFor(lazy.pool, lazy.setting.unit / 2);
    }
}

Task<> bringWork(LazyPool &lazy)
{
    for (int round = 0;; ++round) {
        co_await sleepFor(lazy.pool, lazy.setting.unit * 2);
        // All have work for some rounds, then there is little.
        const int jobs = round < 6 ? 8 : 2;
        const std::lock_guard lock(lazy.mutex);
        for (int i = 0; i < jobs; ++i) {
            reportSignal(&lazy);
            if (lazy.idle.empty()) {
                ++lazy.jobs;
                continue;
            }
            lazy.pool.wake(lazy.idle.back());
            lazy.idle.pop_back();
        }
    }
}

}  // namespace

/// Eight workers, of which two do all the work after the first rush.
void idlePool(const Setting &setting)
{
    LazyPool lazy{setting};
    for (int i = 0; i < 8; ++i)
        lazy.pool.start(workLazily(lazy));
    lazy.pool.start(bringWork(lazy));
    lazy.pool.join();
}

namespace {

Task<> repeat(World &world, std::chrono::nanoseconds period)
{
    for (;;)
        co_await sleepFor(world.pool, period);
}

}  // namespace

/// Work in periods of a few ms to an hour, all at the same line.
void periodicWork(const Setting &setting)
{
    World world{setting};
    for (const std::chrono::nanoseconds period : {world.units(1), world.units(2), world.units(3), world.units(8),
                                                  std::chrono::nanoseconds(700ms), std::chrono::nanoseconds(1h)})
        world.pool.start(repeat(world, period));
    world.pool.join();
}

namespace {

/// Where a client polls for news, for a limited time.
struct Inbox {
    std::mutex mutex{};
    bool hasNews = false;  ///< guarded by mutex, as all below
    Waiter waiter{};
    Reactor::Timer timer{};
};

Task<> pollForNews(World &world, Inbox &inbox)
{
    std::optional<corotracer::waited> several;
    for (;;) {
        const auto end = Reactor::Clock::now() + 1500ms;
        co_await park(several, [&](const Waiter &self) {
            if (reportsCauses())
                self.promise->waits_on(corotracer::wait::other, &inbox, end);
            const std::lock_guard lock(inbox.mutex);
            if (std::exchange(inbox.hasNews, false))
                return false;
            inbox.waiter = self;
            inbox.timer = world.pool.reactor().wakeAt(end, self);
            return true;
        });
    }
}

void deliver(World &world, Inbox &inbox)
{
    const std::lock_guard lock(inbox.mutex);
    reportSignal(&inbox);
    const Waiter waiter = std::exchange(inbox.waiter, {});
    // Without a timer it has been woken by the end of its time.
    if (waiter && world.pool.reactor().cancel(inbox.timer))
        world.pool.wake(waiter);
    else
        inbox.hasNews = true;
}

Task<> bringNews(World &world, std::deque<Inbox> &inboxes)
{
    for (int round = 0;; ++round) {
        co_await sleepFor(world.pool, world.units(3));
        for (std::size_t i = 0; i < inboxes.size(); ++i)
            if (i == 0 || round < 2 * kFaultRound)
                deliver(world, inboxes[i]);
    }
}

}  // namespace

/// Polls that come back soon as long as there are news, and later wait for their whole time.
void longPolls(const Setting &setting)
{
    World world{setting};
    std::deque<Inbox> inboxes(kClients);
    for (Inbox &inbox : inboxes)
        world.pool.start(pollForNews(world, inbox));
    world.pool.start(bringNews(world, inboxes));
    world.pool.join();
}

namespace {

/// Waits as long as a Pareto distribution says: most waits are short, and some are very long.
Task<> waitAtRandom(World &world, unsigned seed, double alpha)
{
    std::minstd_rand random(seed);
    std::uniform_real_distribution<double> uniform(0.0005, 1);
    for (;;)
        co_await sleepFor(world.pool, world.units(std::pow(uniform(random), -1 / alpha)));
}

}  // namespace

/// Waits with a heavy tail.
void heavyTail(const Setting &setting)
{
    World world{setting};
    for (unsigned client = 0; client < 8; ++client)
        world.pool.start(waitAtRandom(world, client + 1, 1.1));
    world.pool.join();
}

namespace {

Task<> waitRarely(World &world, int client)
{
    for (int round = 1;; ++round) {
        const bool isLong = round > kFaultRound && (round + client) % 9 == 0;
        co_await sleepFor(world.pool, isLong ? std::chrono::nanoseconds(1800ms) : world.units(1));
    }
}

}  // namespace

/// One wait in nine is a hundred times longer than the others.
void rareLongWaits(const Setting &setting)
{
    World world{setting};
    for (int client = 0; client < kClients; ++client)
        world.pool.start(waitRarely(world, client));
    world.pool.join();
}

namespace {

Task<> leadInTurn(World &world, int client)
{
    for (int round = 0;; ++round) {
        co_await world.places.acquire();
        // The leader stays for as long as there is work. The first one stays for long.
        const bool stays = client == 0 && round == kFaultRound;
        co_await sleepFor(world.pool, stays ? std::chrono::nanoseconds(2s) : world.units(1));
        world.places.release();
        co_await sleepFor(world.pool, world.units(1));
    }
}

}  // namespace

/// Two of six lead, the others wait for their turn. Once, a leader stays for long.
void leaderAndFollowers(const Setting &setting)
{
    World world{setting};
    for (int client = 0; client < kClients; ++client)
        world.pool.start(leadInTurn(world, client));
    world.pool.join();
}

namespace {

Task<> retry(World &world, int client)
{
    for (;;) {
        std::chrono::nanoseconds pause = world.units(0.1 + 0.1 * client);
        for (int attempt = 0; attempt < 12; ++attempt) {
            co_await sleepFor(world.pool, pause);
            pause *= 2;
        }
    }
}

}  // namespace

/// Each attempt waits twice as long as the one before.
void growingBackoff(const Setting &setting)
{
    World world{setting};
    for (int client = 0; client < kClients; ++client)
        world.pool.start(retry(world, client));
    world.pool.join();
}

namespace {

Task<> readMessages(World &world, int fd)
{
    std::array<char, 8> bytes{};
    for (;;) {
        co_await readable(world.pool, fd);
        if (::recv(fd, bytes.data(), bytes.size(), MSG_DONTWAIT) == 0)
            co_return;
    }
}

/// Some peers send often, some fell silent, and their connections stay.
Task<> chat(World &world, int fd, int client)
{
    for (int round = 0; client % 2 == 0 || round < 2 * kFaultRound; ++round) {
        co_await sleepFor(world.pool, world.units(2 + client % 3));
        (void)!::write(fd, "hello", 5);
    }
}

}  // namespace

/// Connections of which half fell silent.
void idleConnections(const Setting &setting)
{
    World world{setting};
    for (int client = 0; client < 8; ++client) {
        std::array<int, 2> ends{-1, -1};
        (void)::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data());
        world.pool.start(readMessages(world, ends[0]));
        world.pool.start(chat(world, ends[1], client));
    }
    world.pool.join();
}

namespace {

Task<> waitForTopic(Channel<int> &topic)
{
    for (;;)
        if (!topic.tryReceive())
            co_await topic.filled();
}

Task<> publishTopics(World &world, std::deque<Channel<int>> &topics)
{
    for (int round = 0;; ++round) {
        co_await sleepFor(world.pool, world.units(2));
        for (std::size_t i = 0; i < topics.size(); ++i) {
            // After a while there is nothing new in two of them.
            int value = round;
            if (i >= 2 || round < 2 * kFaultRound)
                (void)topics[i].trySend(value);
        }
    }
}

}  // namespace

/// Subscribers of several topics, two of which have become quiet.
void lateSubscribers(const Setting &setting)
{
    World world{setting};
    std::deque<Channel<int>> topics{};
    for (int i = 0; i < 6; ++i)
        topics.emplace_back(world.pool, 4);
    for (Channel<int> &topic : topics)
        world.pool.start(waitForTopic(topic));
    world.pool.start(publishTopics(world, topics));
    world.pool.join();
}

namespace {

Generator<int> countUp()
{
    for (int value = 0;; ++value)
        co_yield value;
}

/// Takes values from a generator of its own. Some stop to ask after a while, and keep it.
Task<> takeValues(World &world, int client)
{
    Generator<int> values = countUp();
    for (int round = 0;; ++round) {
        if (client % 3 != 2 || round < 2 * kFaultRound)
            world.number.store(values.next());
        co_await sleepFor(world.pool, client == 0 && round % 12 == 11 ? std::chrono::nanoseconds(1500ms)
                                                                      : world.units(2 + client % 2));
    }
}

}  // namespace

/// Generators that are asked often, rarely and not any more.
void generators(const Setting &setting)
{
    World world{setting};
    for (int client = 0; client < kClients; ++client)
        world.pool.start(takeValues(world, client));
    world.pool.join();
}

}  // namespace corpus
