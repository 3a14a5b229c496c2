// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Healthy programs with much to do, in which some have to wait.
#include "world.h"

#include <condition_variable>
#include <deque>
#include <thread>

namespace corpus {

namespace {

Task<> sendFast(World &world)
{
    for (int i = 0;; ++i) {
        int value = i;
        while (!world.jobs.trySend(value))
            co_await world.jobs.hasRoom();
        if (i % 100 == 99)
            co_await sleepFor(world.pool, world.units(60));
    }
}

}  // namespace

/// Producers are faster than the consumers, wait for room, and rest now and then.
void backpressure(const Setting &setting)
{
    World world{setting};
    for (int i = 0; i < 2; ++i)
        world.pool.start(sendFast(world));
    for (int i = 0; i < 3; ++i)
        world.pool.start(workOnJobs(world));
    world.pool.join();
}

namespace {

struct Batch {
    World &world;
    std::mutex mutex{};
    std::vector<Waiter> waiting{};  ///< guarded by mutex
};

Task<> addToBatch(Batch &batch, int client)
{
    for (;;) {
        co_await park(corotracer::waited(corotracer::wait::other, &batch), [&batch](const Waiter &self) {
            const std::lock_guard lock(batch.mutex);
            batch.waiting.push_back(self);
            return true;
        });
        co_await sleepFor(batch.world.pool, batch.world.units(1 + client % 2));
    }
}

Task<> writeBatches(Batch &batch)
{
    for (int round = 0;; ++round) {
        // Batches are written when they are full, and at night all at once.
        co_await sleepFor(batch.world.pool, round % 12 == 11 ? std::chrono::nanoseconds(1200ms) : batch.world.units(3));
        const std::lock_guard lock(batch.mutex);
        reportSignal(&batch);
        batch.world.pool.wakeAll(std::exchange(batch.waiting, {}));
    }
}

}  // namespace

/// Results are written in batches; now and then a batch takes long.
void batches(const Setting &setting)
{
    World world{setting};
    Batch batch{world};
    for (int client = 0; client < 8; ++client)
        world.pool.start(addToBatch(batch, client));
    world.pool.start(writeBatches(batch));
    world.pool.join();
}

namespace {

/// A thread that does what blocks, one job after the other.
class Disk {
public:
    explicit Disk(Pool &pool) : m_pool(pool), m_thread(&Disk::run, this) {}
    ~Disk()
    {
        {
            const std::lock_guard lock(m_mutex);
            m_isStopping = true;
        }
        m_hasJob.notify_one();
        m_thread.join();
    }
    /// co_await disk.write(time): after the disk was busy for so long.
    [[nodiscard]] auto write(std::chrono::nanoseconds time)
    {
        return park(corotracer::waited(corotracer::wait::other, this), [this, time](const Waiter &self) {
            const std::lock_guard lock(m_mutex);
            m_jobs.push_back({time, self});
            m_hasJob.notify_one();
            return true;
        });
    }

private:
    struct Job {
        std::chrono::nanoseconds time;
        Waiter waiter;
    };
    void run()
    {
        std::unique_lock lock(m_mutex);
        for (;;) {
            m_hasJob.wait(lock, [this] { return !m_jobs.empty() || m_isStopping; });
            if (m_isStopping)
                return;
            const Job job = m_jobs.front();
            m_jobs.pop_front();
            lock.unlock();
            std::this_thread::sleep_for(job.time);
            m_pool.wake(job.waiter);
            lock.lock();
        }
    }

    Pool &m_pool;
    std::mutex m_mutex;
    std::condition_variable m_hasJob;
    std::deque<Job> m_jobs;  ///< guarded by m_mutex, as m_isStopping
    bool m_isStopping = false;
    std::thread m_thread;
};

Task<> save(World &world, Disk &disk, int client)
{
    for (int round = 0;; ++round) {
        // One write in forty is slow.
        const bool isSlow = client == kVictim && round % 12 == 11;
        co_await disk.write(isSlow ? std::chrono::nanoseconds(900ms) : world.units(0.2));
        co_await sleepFor(world.pool, world.units(2 + client % 3));
    }
}

}  // namespace

/// Blocking writes on a thread of their own, some of them slow.
void slowDisk(const Setting &setting)
{
    World world{setting};
    Disk disk(world.pool);
    for (int client = 0; client < kClients; ++client)
        world.pool.start(save(world, disk, client));
    world.pool.join();
}

namespace {

Task<> comeInBursts(World &world)
{
    for (;;) {
        for (int i = 0; i < 20; ++i) {
            int value = i;
            (void)world.jobs.trySend(value);
        }
        co_await sleepFor(world.pool, 1300ms);
    }
}

}  // namespace

/// Much work at a time, and silence in between.
void bursts(const Setting &setting)
{
    World world{setting};
    for (int i = 0; i < 4; ++i)
        world.pool.start(workOnJobs(world));
    world.pool.start(comeInBursts(world));
    world.pool.join();
}

namespace {

Task<> workUntilClosed(World &world)
{
    while (!world.jobs.isClosed()) {
        const std::optional<int> job = world.jobs.tryReceive();
        if (job)
            co_await sleepFor(world.pool, world.units(0.5));
        else
            co_await world.jobs.filled();
    }
}

Task<> closeLater(World &world)
{
    for (int i = 0; i < 40; ++i) {
        int value = i;
        (void)world.jobs.trySend(value);
        co_await sleepFor(world.pool, world.units(1));
    }
    world.jobs.close();
}

}  // namespace

/// All workers are told to end, and do.
void gracefulShutdown(const Setting &setting)
{
    World world{setting};
    for (int i = 0; i < 4; ++i)
        world.pool.start(workUntilClosed(world));
    world.pool.start(closeLater(world));
    world.pool.join();
}

namespace {

Task<> pass(World &world, Channel<int> &from, Channel<int> &to)
{
    for (;;) {
        std::optional<int> value = from.tryReceive();
        if (!value) {
            co_await from.filled();
            continue;
        }
        co_await sleepFor(world.pool, world.units(0.3));
        while (!to.trySend(*value))
            co_await to.hasRoom();
    }
}

Task<> supply(World &world, Channel<int> &to)
{
    for (int i = 0;; ++i) {
        int value = i;
        while (!to.trySend(value))
            co_await to.hasRoom();
        co_await sleepFor(world.pool, i % 30 == 29 ? std::chrono::nanoseconds(1500ms) : world.units(2));
    }
}

Task<> swallow(Channel<int> &from)
{
    for (;;)
        if (!from.tryReceive())
            co_await from.filled();
}

}  // namespace

/// Stages that pass values on, and a source that pauses now and then.
void pipeline(const Setting &setting)
{
    World world{setting};
    std::deque<Channel<int>> channels{};
    for (int i = 0; i < 5; ++i)
        channels.emplace_back(world.pool, 2);
    for (std::size_t i = 0; i + 1 < channels.size(); ++i)
        world.pool.start(pass(world, channels[i], channels[i + 1]));
    world.pool.start(swallow(channels.back()));
    world.pool.start(supply(world, channels.front()));
    world.pool.join();
}

namespace {

Task<> computeForLong(World &world)
{
    co_await sleepFor(world.pool, world.units(4));
    std::uint64_t sum = 0;
    for (const auto end = Reactor::Clock::now() + 1h; Reactor::Clock::now() < end;)
        ++sum;
    world.number.store(static_cast<int>(sum));
}

}  // namespace

/// A batch job that computes in one coroutine, while nobody else has anything to do.
void longComputation(const Setting &setting)
{
    World world{setting};
    world.pool.start(computeForLong(world));
    world.pool.join();
}

namespace {

Task<> stayConnected(World &world, int client)
{
    for (;;)
        co_await sleepFor(world.pool, world.units(8 + client % 4));
}

Task<> admit(World &world)
{
    for (int client = 0; client < 40; ++client) {
        world.pool.start(stayConnected(world, client));
        co_await sleepFor(world.pool, world.units(3));
    }
}

}  // namespace

/// The number of connections grows up to a limit, and all of them live on.
void rampUp(const Setting &setting)
{
    World world{setting};
    world.pool.start(admit(world));
    world.pool.join();
}

}  // namespace corpus
