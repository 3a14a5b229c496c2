// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Coroutines that are woken and do not run, that run for too long, that never start or never end.
#include "programs.h"

#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include <unistd.h>

namespace corpus {

namespace {

struct Workshop {
    const Setting &setting;
    Pool pool;

    explicit Workshop(const Setting &from, PoolFault fault = PoolFault::None)
        : setting(from), pool(from.threads, from.isBroken ? fault : PoolFault::None)
    {
    }
};

Task<> cycle(Workshop &workshop, int client)
{
    for (;;)
        co_await sleepFor(workshop.pool, workshop.setting.unit * (2 + client % 2));
}

void runWorkshop(const Setting &setting, PoolFault fault, int clients)
{
    Workshop workshop(setting, fault);
    for (int client = 0; client < clients; ++client)
        workshop.pool.start(cycle(workshop, client));
    workshop.pool.join();
}

/// Wakes many coroutines at a time, so that the queues get long.
struct Flood {
    Workshop workshop;
    std::mutex mutex{};
    std::vector<Waiter> waiting{};  ///< guarded by mutex

    Flood(const Setting &setting, PoolFault fault) : workshop(setting, fault) {}
};

Task<> release(Flood &flood)
{
    for (;;) {
        co_await sleepFor(flood.workshop.pool, flood.workshop.setting.unit * 4);
        std::vector<Waiter> waiting;
        {
            const std::lock_guard lock(flood.mutex);
            waiting.swap(flood.waiting);
            reportSignal(&flood);
        }
        flood.workshop.pool.wakeAll(waiting);
    }
}

Task<> swim(Flood &flood)
{
    for (;;)
        co_await park(corotracer::waited(corotracer::wait::other, &flood), [&flood](const Waiter &self) {
            const std::lock_guard lock(flood.mutex);
            flood.waiting.push_back(self);
            return true;
        });
}

void runFlood(const Setting &setting, PoolFault fault, int swimmers)
{
    Flood flood(setting, fault);
    for (int i = 0; i < swimmers; ++i)
        flood.workshop.pool.start(swim(flood));
    flood.workshop.pool.start(release(flood));
    flood.workshop.pool.join();
}

}  // namespace

/// A coroutine that a worker took from a queue is lost.
void lostInQueue(const Setting &setting)
{
    runFlood(setting, PoolFault::LosesTaken, 8);
}

/// A coroutine that was woken does not fit into the queue, and is dropped.
void overflowingQueue(const Setting &setting)
{
    runFlood(setting, PoolFault::DropsOverflow, 32);
}

/// Coroutines are in the queues, and no worker is notified: all sleep.
void forgottenWorkers(const Setting &setting)
{
    runWorkshop(setting, PoolFault::ForgetsWorkers, kClients);
}

namespace {

/// Two coroutines that wake each other, without end.
struct PingPong {
    Workshop workshop;
    std::mutex mutex{};
    Waiter waiting{};  ///< guarded by mutex

    explicit PingPong(const Setting &setting) : workshop(setting, PoolFault::NewestFirst) {}
};

void compute(std::chrono::nanoseconds duration)
{
    const auto end = Reactor::Clock::now() + duration;
    while (Reactor::Clock::now() < end) {
    }
}

Task<> play(PingPong &game, bool begins)
{
    if (begins)
        co_await sleepFor(game.workshop.pool, game.workshop.setting.unit * 10);
    for (;;) {
        compute(game.workshop.setting.unit / 4);
        co_await park(corotracer::waited(corotracer::wait::other, &game), [&game](const Waiter &self) {
            Waiter other;
            {
                const std::lock_guard lock(game.mutex);
                other = std::exchange(game.waiting, self);
                reportSignal(&game);
            }
            if (other)
                game.workshop.pool.wake(other);
            return true;
        });
    }
}

}  // namespace

/// A scheduler that prefers what was woken last lets others starve, as long as two wake each other.
void newestFirst(const Setting &setting)
{
    PingPong game(setting);
    game.workshop.pool.start(play(game, true));
    game.workshop.pool.start(play(game, false));
    for (unsigned i = 1; i < setting.threads; ++i) {
        game.workshop.pool.start(play(game, true));
        game.workshop.pool.start(play(game, true));
    }
    for (int client = 0; client < kClients; ++client)
        game.workshop.pool.start(cycle(game.workshop, client));
    game.workshop.pool.join();
}

namespace {

Task<> crunch(Workshop &workshop)
{
    co_await sleepFor(workshop.pool, workshop.setting.unit * 20);
    for (;;) {
        compute(workshop.setting.isBroken ? std::chrono::hours(1) : workshop.setting.unit / 8);
        co_await sleepFor(workshop.pool, workshop.setting.unit / 2);
    }
}

}  // namespace

/// Coroutines that compute without end have all threads.
void hog(const Setting &setting)
{
    Workshop workshop(setting);
    for (int client = 0; client < kClients; ++client)
        workshop.pool.start(cycle(workshop, client));
    for (unsigned i = 0; i < setting.threads; ++i)
        workshop.pool.start(crunch(workshop));
    workshop.pool.join();
}

namespace {

/// Waits until another coroutine sets a flag. The broken version spins in a loop, and so keeps its thread; the healthy
/// one lets other coroutines run between two looks at the flag.
Task<> pollFlag(Workshop &workshop, const std::atomic<bool> &flag)
{
    co_await sleepFor(workshop.pool, workshop.setting.unit * 20);
    while (!flag.load(std::memory_order_relaxed))
        if (!workshop.setting.isBroken)
            co_await sleepFor(workshop.pool, workshop.setting.unit / 2);
}

Task<> setFlag(Workshop &workshop, std::atomic<bool> &flag)
{
    co_await sleepFor(workshop.pool, workshop.setting.unit * 40);
    flag.store(true, std::memory_order_relaxed);
}

}  // namespace

/// Coroutines spin on all threads until a flag is set, and the one that sets it gets no thread.
void spinningWait(const Setting &setting)
{
    Workshop workshop(setting);
    std::atomic<bool> flag = false;
    for (int client = 0; client < kClients; ++client)
        workshop.pool.start(cycle(workshop, client));
    workshop.pool.start(setFlag(workshop, flag));
    for (unsigned i = 0; i < setting.threads; ++i)
        workshop.pool.start(pollFlag(workshop, flag));
    workshop.pool.join();
}

namespace {

Task<> callTheSystem(Workshop &workshop, int pipe)
{
    co_await sleepFor(workshop.pool, workshop.setting.unit * 20);
    if (workshop.setting.isBroken) {
        char byte = 0;
        (void)!::read(pipe, &byte, 1);  // blocks: nothing is ever written
    } else {
        co_await readable(workshop.pool, pipe);
    }
}

}  // namespace

/// Coroutines call functions that block, until no thread is left.
void blockingCall(const Setting &setting)
{
    Workshop workshop(setting);
    std::array<int, 2> pipe{-1, -1};
    (void)!::pipe(pipe.data());
    for (int client = 0; client < kClients; ++client)
        workshop.pool.start(cycle(workshop, client));
    for (unsigned i = 0; i < setting.threads; ++i)
        workshop.pool.start(callTheSystem(workshop, pipe[0]));
    workshop.pool.join();
}

namespace {

struct Plan {
    const Setting &setting;
    Pool pool{setting.threads};
    std::mutex mutex{};
    std::vector<Task<>> kept{};  ///< guarded by mutex
};

Task<> writeReport(Plan &plan)
{
    co_await sleepFor(plan.pool, plan.setting.unit);
}

/// Creates a report, and starts it. The broken one keeps it, and forgets to start it once.
Task<> planReport(Plan &plan, int round)
{
    co_await sleepFor(plan.pool, plan.setting.unit / 2);
    if (plan.setting.isBroken && round == kFaultRound) {
        const std::lock_guard lock(plan.mutex);
        plan.kept.push_back(writeReport(plan));
    } else {
        plan.pool.start(writeReport(plan));
    }
}

Task<> planReports(Plan &plan)
{
    for (int round = 0;; ++round) {
        plan.pool.start(planReport(plan, round));
        co_await sleepFor(plan.pool, plan.setting.unit * 4);
    }
}

}  // namespace

/// A task is created and kept, but never started.
void neverStarted(const Setting &setting)
{
    Plan plan{setting};
    plan.pool.start(planReports(plan));
    plan.pool.join();
}

namespace {

struct Service {
    const Setting &setting;
    Pool pool{setting.threads};
    Event shutdown{pool};
};

/// Watches a request. The broken one waits for the shutdown of the service instead of the end of the request.
Task<> watchRequest(Service &service, std::shared_ptr<Event> ended)
{
    if (service.setting.isBroken)
        co_await service.shutdown.wait();
    else
        co_await ended->wait();
}

Task<> serveRequest(Service &service)
{
    const auto ended = std::make_shared<Event>(service.pool);
    service.pool.start(watchRequest(service, ended));
    co_await sleepFor(service.pool, service.setting.unit);
    ended->set();
}

Task<> acceptRequests(Service &service)
{
    for (;;) {
        service.pool.start(serveRequest(service));
        co_await sleepFor(service.pool, service.setting.unit * 2);
    }
}

}  // namespace

/// Each request leaves a coroutine that waits until the service ends.
void leakPerRequest(const Setting &setting)
{
    Service service{setting};
    service.pool.start(acceptRequests(service));
    service.pool.join();
}

namespace {

/// A task of a scheduler that has no coroutines: a state machine that is traced by hand.
class Machine : public Promise {
public:
    /// Runs one step on the calling thread.
    void step(std::chrono::nanoseconds work)
    {
        trace(true);
        compute(work);
        trace(false);
    }

private:
    void trace(bool isActive)
    {
        const std::lock_guard lock(m_mutex);
        writeByHand(isActive);
    }

    std::mutex m_mutex;
};

/// Threads that run machines, in the order in which they were scheduled.
struct Hall {
    const Setting &setting;
    std::mutex mutex{};
    std::condition_variable hasWork{};
    std::deque<Machine *> ready{};  ///< guarded by mutex
};

[[noreturn]] void runMachines(Hall &hall)
{
    std::unique_lock lock(hall.mutex);
    for (;;) {
        hall.hasWork.wait(lock, [&hall] { return !hall.ready.empty(); });
        Machine *const machine = hall.ready.front();
        hall.ready.pop_front();
        lock.unlock();
        machine->step(hall.setting.unit / 2);
        lock.lock();
    }
}

void scheduleMachine(Hall &hall, Machine &machine)
{
    if (reportsCauses())
        corotracer::note_wake(machine);
    const std::lock_guard lock(hall.mutex);
    hall.ready.push_back(&machine);
    hall.hasWork.notify_one();
}

}  // namespace

/// A task is scheduled twice for one suspension, and two threads run it at a time.
void doubleResume(const Setting &setting)
{
    Hall hall{setting};
    std::deque<Machine> machines(kClients);
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < setting.threads; ++i)
        threads.emplace_back(runMachines, std::ref(hall));
    for (int round = 0;; ++round) {
        Machine &machine = machines[static_cast<std::size_t>(round % kClients)];
        scheduleMachine(hall, machine);
        if (setting.isBroken && round % kFaultRound == kFaultRound - 1)
            scheduleMachine(hall, machine);
        std::this_thread::sleep_for(setting.unit * 2);
    }
}

}  // namespace corpus
