// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Publishes every kind of note: names, parents, waits, wakes, uses of objects, wakers left and finishes. A boss starts
// workers. In every round, each worker waits once for each kind of object, and has the lock for a moment. Either the
// boss wakes it, or a thread without a coroutine.
#include "support/arguments.h"
#include "support/countedpromise.h"
#include "support/simplescheduler.h"
#include "support/stop.h"

#include <array>
#include <chrono>
#include <coroutine>
#include <cstdio>
#include <exception>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace std::chrono_literals;

/// As targets::Job, but its initial suspension is traced, and its end is reported by finished().
class [[nodiscard]] Job {
public:
    struct promise_type : targets::CountedPromise {
        static constexpr bool reports_finish = true;
        static inline std::uint64_t finishes = 0;  ///< by one thread at a time

        Job get_return_object() { return Job(std::coroutine_handle<promise_type>::from_promise(*this)); }
        auto initial_suspend() noexcept { return trace_initial_suspend(); }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() noexcept
        {
            finished();
            ++finishes;
        }
        void unhandled_exception() noexcept { std::terminate(); }
    };

    Job(Job &&other) noexcept : m_handle(std::exchange(other.m_handle, nullptr)) {}
    Job &operator=(Job &&) = delete;
    ~Job()
    {
        if (m_handle)
            m_handle.destroy();
    }
    [[nodiscard]] std::coroutine_handle<> handle() const { return m_handle; }
    [[nodiscard]] promise_type &promise() const { return m_handle.promise(); }

private:
    explicit Job(std::coroutine_handle<promise_type> handle) : m_handle(handle) {}

    std::coroutine_handle<promise_type> m_handle;
};
using Promise = Job::promise_type;

/// `co_await Self{}` gives a coroutine its own promise, by a suspension that ends at once.
struct Self {
    Promise *promise = nullptr;
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    bool await_suspend(std::coroutine_handle<Promise> self) noexcept
    {
        promise = &self.promise();
        return false;
    }
    [[nodiscard]] Promise &await_resume() const noexcept { return *promise; }
};

struct Counts {
    std::uint64_t names = 0;
    std::uint64_t parents = 0;
    std::uint64_t waits = 0;
    std::uint64_t wakes = 0;
    std::uint64_t uses = 0;
    std::uint64_t wakersLeft = 0;
};

struct World {
    int lock = 0;  ///< only its address matters
    int channel = 0;
    int something = 0;
    Promise *boss = nullptr;
    Counts counts;
};

constexpr int kKinds = 6;

void writeWait(Promise &self, World &world, int kind)
{
    ++world.counts.waits;
    switch (kind) {
    case 0: return self.waits_on(corotracer::wait::lock, &world.lock);
    case 1: return self.waits_on(corotracer::wait::channel, &world.channel);
    case 2: return self.waits_on(corotracer::wait::descriptor, 0);
    case 3: return self.waits_on(std::chrono::steady_clock::now() + 1h);
    case 4: return self.waits_on(*world.boss);
    default:
        ++world.counts.waits;
        return self.waits_for_all(
            {{corotracer::wait::other, &world.something}, {corotracer::wait::channel, &world.channel}});
    }
}

void useLock(World &world)
{
    corotracer::note_acquired(&world.lock);
    corotracer::note_released(&world.lock);
    world.counts.uses += 2;
}

Job work(World &world, std::uint64_t rounds, std::string name)
{
    Promise &self = co_await Self{};
    self.set_name(name);
    self.set_parent(*world.boss);
    ++world.counts.names;
    ++world.counts.parents;
    for (std::uint64_t round = 0; round < rounds; ++round) {
        for (int kind = 0; kind < kKinds; ++kind) {
            writeWait(self, world, kind);
            co_await targets::Turn{};
            if (kind == 0)
                useLock(world);
        }
    }
    // No wake follows: the worker waits for the lock until the program ends.
    writeWait(self, world, 0);
    co_await targets::Turn{};
}

void wake(World &world, const Job &worker, const Promise *by)
{
    corotracer::note_wake(worker.promise(), by);
    ++world.counts.wakes;
    worker.handle().resume();
}

/// Wakes each worker once per turn.
Job lead(World &world, const std::vector<Job> &workers, std::uint64_t turns)
{
    Promise &self = co_await Self{};
    self.set_name("boss");
    ++world.counts.names;
    for (std::uint64_t turn = 0; turn < turns; ++turn) {
        corotracer::note_signalled(&world.channel);
        ++world.counts.uses;
        for (const Job &worker : workers)
            wake(world, worker, &self);
        co_await targets::Turn{};
    }
}

}  // namespace

int main(int argc, char **argv)
{
    targets::Arguments arguments("names, parents, wakes, waits of all kinds, and uses of objects");
    arguments.number("--workers", 10, 1, 100'000, "coroutines")
        .number("--rounds", 10, 1, 1'000'000, "times that each waits for each kind of thing")
        .flag("--hold", "stay, with all workers waiting for a lock, until SIGTERM");
    arguments.parse(argc, argv);
    targets::handleStopSignals();
    corotracer::InitTracer();
    corotracer::name_thread("leader");

    World world;
    const std::uint64_t turns = arguments.value("--rounds") * kKinds;
    {
        std::vector<Job> workers;
        const std::uint64_t byBoss = turns / 2;
        Job boss = lead(world, workers, byBoss);
        world.boss = &boss.promise();
        for (std::uint64_t i = 0; i < arguments.value("--workers"); ++i)
            workers.push_back(work(world, arguments.value("--rounds"), "worker " + std::to_string(i)));
        for (const Job &worker : workers)
            worker.handle().resume();
        while (!boss.handle().done())
            boss.handle().resume();
        std::thread([&] {
            corotracer::name_thread("helper");
            for (std::uint64_t turn = byBoss; turn < turns; ++turn) {
                for (const Job &worker : workers)
                    wake(world, worker, nullptr);
            }
        }).join();
        for (const Job &worker : workers) {
            corotracer::note_wakers_left(worker.promise(), 0);
            ++world.counts.wakersLeft;
        }
        std::printf("all wait for the lock\n");
        std::fflush(stdout);
        if (arguments.isSet("--hold"))
            targets::sleepUnlessStopped(24h);
        for (const Job &worker : workers)
            worker.handle().resume();
    }
    targets::Truth truth = targets::collectTruth();
    truth.more = {{"names", world.counts.names},  {"parents", world.counts.parents},
                  {"waits", world.counts.waits},  {"wakes", world.counts.wakes},
                  {"uses", world.counts.uses},    {"wakers_left", world.counts.wakersLeft},
                  {"finishes", Promise::finishes}};
    return targets::writeReport(truth) ? 0 : 1;
}
