// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Coroutines that hold what others wait for.
#include "programs.h"

#include <array>
#include <stdexcept>

namespace corpus {

namespace {

struct Accounts {
    const Setting &setting;
    Pool pool{setting.threads};
    Mutex first{pool};
    Mutex second{pool};
};

Task<> transfer(Accounts &accounts, int client)
{
    for (int round = 0;; ++round) {
        const bool isReversed = accounts.setting.isBroken && round >= kFaultRound && client % 2 == 1;
        Mutex &one = isReversed ? accounts.second : accounts.first;
        Mutex &other = isReversed ? accounts.first : accounts.second;
        co_await one.acquire();
        co_await sleepFor(accounts.pool, accounts.setting.unit);
        co_await other.acquire();
        other.release();
        one.release();
        co_await sleepFor(accounts.pool, accounts.setting.unit * 2);
    }
}

Task<> tick(Accounts &accounts)
{
    for (;;)
        co_await sleepFor(accounts.pool, accounts.setting.unit * 5);
}

}  // namespace

/// Two locks are taken in both orders.
void lockOrder(const Setting &setting)
{
    Accounts accounts{setting};
    for (int client = 0; client < 4; ++client)
        accounts.pool.start(transfer(accounts, client));
    accounts.pool.start(tick(accounts));
    accounts.pool.join();
}

namespace {

struct Table {
    const Setting &setting;
    Pool pool{setting.threads};
    std::deque<Mutex> forks{};
};

Task<> dine(Table &table, std::size_t seat)
{
    const std::size_t seats = table.forks.size();
    for (int round = 0;; ++round) {
        std::size_t left = seat;
        std::size_t right = (seat + 1) % seats;
        const bool isGreedy = table.setting.isBroken && round >= kFaultRound;
        if (!isGreedy && left > right)
            std::swap(left, right);  // all take the lower fork first
        co_await table.forks[left].acquire();
        co_await sleepFor(table.pool, table.setting.unit * (isGreedy ? 6 : 1));
        co_await table.forks[right].acquire();
        co_await sleepFor(table.pool, table.setting.unit / 2);
        table.forks[right].release();
        table.forks[left].release();
        co_await sleepFor(table.pool, table.setting.unit * 2);
    }
}

Task<> watchTheClock(Table &table)
{
    for (;;)
        co_await sleepFor(table.pool, table.setting.unit * 5);
}

}  // namespace

/// Five philosophers; the broken ones all take the left fork first.
void philosophers(const Setting &setting)
{
    Table table{setting};
    for (int i = 0; i < 5; ++i)
        table.forks.emplace_back(table.pool);
    for (std::size_t seat = 0; seat < 5; ++seat)
        table.pool.start(dine(table, seat));
    table.pool.start(watchTheClock(table));
    table.pool.join();
}

namespace {

Task<> updateIndex(Accounts &accounts, bool locks)
{
    if (locks)
        co_await accounts.first.acquire();
    co_await sleepFor(accounts.pool, accounts.setting.unit / 2);
    if (locks)
        accounts.first.release();
}

Task<> update(Accounts &accounts, int client)
{
    for (int round = 0;; ++round) {
        co_await accounts.first.acquire();
        co_await updateIndex(accounts, isFault(accounts.setting, client, round));
        accounts.first.release();
        co_await sleepFor(accounts.pool, accounts.setting.unit * 6);
    }
}

}  // namespace

/// A coroutine awaits a function that takes the lock that the coroutine holds already.
void lockTwice(const Setting &setting)
{
    Accounts accounts{setting};
    for (int client = 0; client < kClients; ++client)
        accounts.pool.start(update(accounts, client));
    accounts.pool.start(tick(accounts));
    accounts.pool.join();
}

namespace {

struct Pair {
    const Setting &setting;
    Pool pool{setting.threads};
    std::mutex mutex{};
    std::array<Waiter, 2> tasks{};  ///< guarded by mutex, as all below
    std::array<bool, 2> hasEnded{};
    std::array<Waiter, 2> joining{};  ///< who waits for the end of each
};

/// co_await endOf(pair, i): until task i has ended.
auto endOf(Pair &pair, std::size_t other)
{
    std::optional<corotracer::waited> nothing;
    return park(nothing, [&pair, other](const Waiter &self) {
        const std::lock_guard lock(pair.mutex);
        if (pair.hasEnded.at(other))
            return false;
        if (reportsCauses())
            self.promise->waits_on(*pair.tasks.at(other).promise);
        pair.joining.at(other) = self;
        return true;
    });
}

Task<> halfOfAPair(Pair &pair, std::size_t index)
{
    co_await sleepFor(pair.pool, pair.setting.unit * 10);
    if (index == 0 || pair.setting.isBroken)
        co_await endOf(pair, 1 - index);
    const std::lock_guard lock(pair.mutex);
    pair.hasEnded.at(index) = true;
    if (pair.joining.at(index))
        pair.pool.wake(pair.joining.at(index));
}

Task<> beat(Pair &pair)
{
    for (;;)
        co_await sleepFor(pair.pool, pair.setting.unit * 5);
}

}  // namespace

/// Two tasks await each other's end.
void awaitCycle(const Setting &setting)
{
    Pair pair{setting};
    pair.pool.start(beat(pair));
    for (std::size_t index = 0; index < 2; ++index)
        pair.tasks.at(index) = halfOfAPair(pair, index).release();
    for (const Waiter &task : pair.tasks)
        pair.pool.startKept(task);
    pair.pool.join();
}

namespace {

struct Permits {
    const Setting &setting;
    Pool pool{setting.threads};
    Semaphore connections{pool, 3};
};

/// Uses a connection, and another one for a part of the work.
Task<> query(Permits &permits, int client)
{
    for (int round = 0;; ++round) {
        const bool nests = permits.setting.isBroken && round >= kFaultRound;
        co_await permits.connections.acquire();
        co_await sleepFor(permits.pool, permits.setting.unit);
        if (!nests)
            permits.connections.release();
        co_await permits.connections.acquire();
        permits.connections.release();
        if (nests)
            permits.connections.release();
        co_await sleepFor(permits.pool, permits.setting.unit * (1 + client % 2));
    }
}

Task<> report(Permits &permits)
{
    for (;;)
        co_await sleepFor(permits.pool, permits.setting.unit * 5);
}

}  // namespace

/// Each holder of a permit needs another one, and none is left.
void nestedPermits(const Setting &setting)
{
    Permits permits{setting};
    for (int client = 0; client < kClients; ++client)
        permits.pool.start(query(permits, client));
    permits.pool.start(report(permits));
    permits.pool.join();
}

namespace {

/// One step under the lock. A failure leaves it locked.
Task<> step(Accounts &accounts, bool fails)
{
    co_await accounts.first.acquire();
    co_await sleepFor(accounts.pool, accounts.setting.unit / 2);
    if (fails && accounts.setting.isBroken)
        throw std::runtime_error("the step failed");
    accounts.first.release();
    if (fails)
        throw std::runtime_error("the step failed");
}

Task<> runSteps(Accounts &accounts, int client)
{
    for (int round = 0;; ++round) {
        try {
            co_await step(accounts, client == kVictim && round == kFaultRound);
        } catch (const std::runtime_error &) {
            break;
        }
        co_await sleepFor(accounts.pool, accounts.setting.unit * 6);
    }
}

}  // namespace

/// A coroutine ends by an exception while it holds a lock that others wait for.
void holderEnded(const Setting &setting)
{
    Accounts accounts{setting};
    for (int client = 0; client < kClients; ++client)
        accounts.pool.start(runSteps(accounts, client));
    accounts.pool.start(tick(accounts));
    accounts.pool.join();
}

}  // namespace corpus
