// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Notifications that do not reach the coroutine that waits for them.
#include "programs.h"

#include <array>
#include <map>

namespace corpus {

namespace {

/// A notification for one coroutine.
class Bell {
public:
    explicit Bell(Pool &pool) : m_pool(pool) {}

    void ring(corotracer::location where = corotracer::location::current())
    {
        Waiter waiter;
        {
            const std::lock_guard lock(m_mutex);
            m_rang = true;
            reportSignal(this, where);
            waiter = std::exchange(m_waiter, {});
        }
        if (waiter)
            m_pool.wake(waiter);
    }
    [[nodiscard]] bool hasRung()
    {
        const std::lock_guard lock(m_mutex);
        return std::exchange(m_rang, false);
    }
    /// co_await bell.wait(): until the next ring. With `looksFirst`, an earlier ring counts.
    [[nodiscard]] auto wait(bool looksFirst)
    {
        return park(corotracer::waited(corotracer::wait::other, this), [this, looksFirst](const Waiter &self) {
            const std::lock_guard lock(m_mutex);
            if (looksFirst && m_rang)
                return false;
            m_waiter = self;
            return true;
        });
    }

private:
    Pool &m_pool;
    std::mutex m_mutex;
    bool m_rang = false;  ///< guarded by m_mutex, as m_waiter
    Waiter m_waiter;
};

struct Office {
    const Setting &setting;
    Pool pool{setting.threads};
    Channel<int> requests{pool, 64};
    std::deque<Bell> bells{};  ///< of each client
};

Task<> answer(Office &office)
{
    for (;;) {
        std::optional<int> client = office.requests.tryReceive();
        if (client)
            office.bells[static_cast<std::size_t>(*client)].ring();
        else
            co_await office.requests.filled();
    }
}

Task<> askOften(Office &office, int client)
{
    Bell &bell = office.bells[static_cast<std::size_t>(client)];
    for (int round = 0;; ++round) {
        co_await sleepFor(office.pool, office.setting.unit * (2 + client % 3));
        int request = client;
        if (!office.requests.trySend(request))
            continue;
        bool hasAnswer = bell.hasRung();
        while (!hasAnswer) {
            const bool isFault = client == kVictim && round >= kFaultRound;
            if (isFault)
                co_await sleepFor(office.pool, office.setting.unit * 4);  // the answer comes now
            co_await bell.wait(!(isFault && office.setting.isBroken));
            hasAnswer = bell.hasRung();
        }
    }
}

}  // namespace

/// The client looks for the answer, finds none, and waits for a notification that has come in between.
void notifyBeforeWait(const Setting &setting)
{
    Office office{setting};
    for (int client = 0; client < kClients; ++client)
        office.bells.emplace_back(office.pool);
    office.pool.start(answer(office));
    for (int client = 0; client < kClients; ++client)
        office.pool.start(askOften(office, client));
    office.pool.join();
}

namespace {

/// Wakes all who wait for the next tick.
class Ticker {
public:
    explicit Ticker(Pool &pool) : m_pool(pool) {}

    /// With `missesOne`, one of the waiters is left out.
    void tick(bool missesOne, corotracer::location where = corotracer::location::current())
    {
        std::vector<Waiter> waiting;
        {
            const std::lock_guard lock(m_mutex);
            waiting.swap(m_waiting);
            reportSignal(this, where);
        }
        if (missesOne && waiting.size() > 1)
            waiting.pop_back();
        m_pool.wakeAll(waiting);
    }
    [[nodiscard]] auto nextTick()
    {
        return park(corotracer::waited(corotracer::wait::other, this), [this](const Waiter &self) {
            const std::lock_guard lock(m_mutex);
            m_waiting.push_back(self);
            return true;
        });
    }

private:
    Pool &m_pool;
    std::mutex m_mutex;
    std::vector<Waiter> m_waiting;  ///< guarded by m_mutex
};

struct Clockwork {
    const Setting &setting;
    Pool pool{setting.threads};
    Ticker ticker{pool};
};

Task<> drive(Clockwork &clockwork)
{
    for (int round = 0;; ++round) {
        co_await sleepFor(clockwork.pool, clockwork.setting.unit * 3);
        clockwork.ticker.tick(isFault(clockwork.setting, kVictim, round));
    }
}

Task<> follow(Clockwork &clockwork)
{
    for (;;)
        co_await clockwork.ticker.nextTick();
}

}  // namespace

/// A notification to all wakes all but one.
void missedWaiter(const Setting &setting)
{
    Clockwork clockwork{setting};
    for (int client = 0; client < kClients; ++client)
        clockwork.pool.start(follow(clockwork));
    clockwork.pool.start(drive(clockwork));
    clockwork.pool.join();
}

namespace {

/// Values by key, which are loaded once. All who ask for a key meanwhile wait for the same load.
struct Cache {
    const Setting &setting;
    Pool pool{setting.threads};
    std::mutex mutex{};
    std::map<int, std::vector<Waiter>> waiting{};  ///< by key, guarded by mutex; a key is here while it is loaded
    std::array<char, 1024> keys{};                 ///< only their addresses matter: what is waited for
    int round = 0;                                 ///< by the loads, one at a time: guarded by mutex

    [[nodiscard]] const void *objectOf(int key) const { return &keys.at(static_cast<std::size_t>(key) % keys.size()); }
};

Task<> load(Cache &cache, int key)
{
    co_await sleepFor(cache.pool, cache.setting.unit * 2);
    std::vector<Waiter> waiting{};
    {
        const std::lock_guard lock(cache.mutex);
        waiting = std::move(cache.waiting[key]);
        cache.waiting.erase(key);
        reportSignal(cache.objectOf(key));
    }
    cache.pool.wakeAll(waiting);
}

/// Whether the caller has to load the key.
bool isFirst(Cache &cache, int key)
{
    const std::lock_guard lock(cache.mutex);
    return cache.waiting.try_emplace(key).second;
}

Task<> lookUp(Cache &cache, int client)
{
    for (int round = 0;; ++round) {
        // Two clients at a time ask for one key.
        const int key = round * kClients + client / 2;
        if (isFirst(cache, key))
            cache.pool.start(load(cache, key));
        const bool overwrites = cache.setting.isBroken && round == kFaultRound && client / 2 == kVictim / 2;
        co_await park(corotracer::waited(corotracer::wait::other, cache.objectOf(key)), [&](const Waiter &self) {
            const std::lock_guard lock(cache.mutex);
            const auto found = cache.waiting.find(key);
            if (found == cache.waiting.end())
                return false;
            if (overwrites)
                found->second.clear();  // there is room for one waiter only
            found->second.push_back(self);
            return true;
        });
        co_await sleepFor(cache.pool, cache.setting.unit * 3);
    }
}

}  // namespace

/// Two coroutines wait for one result. The second takes the place of the first, which is forgotten.
void overwrittenWaiter(const Setting &setting)
{
    Cache cache{setting};
    for (int client = 0; client < kClients; ++client)
        cache.pool.start(lookUp(cache, client));
    cache.pool.join();
}

namespace {

/// A place in which a client waits for its answer. It is used again and again; a number tells the uses apart.
struct Slot {
    std::mutex mutex{};
    std::uint32_t generation = 0;  ///< guarded by mutex, as all below
    bool hasAnswer = false;
    Waiter waiter{};
};

struct Ticket {
    int slot = 0;
    std::uint32_t generation = 0;
};

struct Desk {
    const Setting &setting;
    Pool pool{setting.threads};
    Channel<Ticket> tickets{pool, 64};
    std::array<Slot, kClients> slots{};
};

void deliver(Desk &desk, const Ticket &ticket)
{
    Slot &slot = desk.slots.at(static_cast<std::size_t>(ticket.slot));
    Waiter waiter{};
    {
        const std::lock_guard lock(slot.mutex);
        reportSignal(&slot);
        if (slot.generation != ticket.generation)
            return;  // an answer to an earlier question
        slot.hasAnswer = true;
        waiter = std::exchange(slot.waiter, {});
    }
    if (waiter)
        desk.pool.wake(waiter);
}

Task<> serve(Desk &desk)
{
    for (;;) {
        std::optional<Ticket> ticket = desk.tickets.tryReceive();
        if (!ticket) {
            co_await desk.tickets.filled();
            continue;
        }
        co_await sleepFor(desk.pool, desk.setting.unit / 4);
        deliver(desk, *ticket);
    }
}

Task<> queueUp(Desk &desk, int client)
{
    Slot &slot = desk.slots.at(static_cast<std::size_t>(client));
    for (int round = 0;; ++round) {
        co_await sleepFor(desk.pool, desk.setting.unit * (2 + client % 3));
        Ticket ticket{client, 0};
        {
            const std::lock_guard lock(slot.mutex);
            ticket.generation = ++slot.generation;
            slot.hasAnswer = false;
        }
        if (isFault(desk.setting, client, round))
            --ticket.generation;  // the number of the previous use
        if (!desk.tickets.trySend(ticket))
            continue;
        co_await park(corotracer::waited(corotracer::wait::other, &slot), [&slot](const Waiter &self) {
            const std::lock_guard lock(slot.mutex);
            if (!slot.hasAnswer)
                slot.waiter = self;
            return !slot.hasAnswer;
        });
    }
}

}  // namespace

/// The answer carries the number of an earlier question, and is ignored.
void staleGeneration(const Setting &setting)
{
    Desk desk{setting};
    desk.pool.start(serve(desk));
    for (int client = 0; client < kClients; ++client)
        desk.pool.start(queueUp(desk, client));
    desk.pool.join();
}

namespace {

/// Sends each configuration to all subscribers.
struct Publisher {
    const Setting &setting;
    Pool pool{setting.threads};
    std::mutex mutex{};
    int version = 0;  ///< guarded by mutex, as subscribers
    std::vector<Waiter> subscribers{};
};

Task<> publish(Publisher &publisher)
{
    for (;;) {
        co_await sleepFor(publisher.pool, publisher.setting.unit * 4);
        std::vector<Waiter> subscribers;
        {
            const std::lock_guard lock(publisher.mutex);
            ++publisher.version;
            subscribers.swap(publisher.subscribers);
            reportSignal(&publisher);
        }
        publisher.pool.wakeAll(subscribers);
    }
}

Task<> subscribe(Publisher &publisher, int client)
{
    int seen = 0;
    for (int round = 0;; ++round) {
        const bool comesLate = isFault(publisher.setting, client, round);
        co_await park(corotracer::waited(corotracer::wait::other, &publisher), [&](const Waiter &self) {
            const std::lock_guard lock(publisher.mutex);
            if (publisher.version != seen)
                return false;
            if (!comesLate)  // its subscription comes after the last look at the list
                publisher.subscribers.push_back(self);
            return true;
        });
        const std::lock_guard lock(publisher.mutex);
        seen = publisher.version;
    }
}

}  // namespace

/// A coroutine waits for the next version, but its subscription is lost.
void missedSubscription(const Setting &setting)
{
    Publisher publisher{setting};
    for (int client = 0; client < kClients; ++client)
        publisher.pool.start(subscribe(publisher, client));
    publisher.pool.start(publish(publisher));
    publisher.pool.join();
}

}  // namespace corpus
