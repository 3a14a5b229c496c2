// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Coroutines that are destroyed while something still has their handle, and wakes them later. Elsewhere, that is a use
// of freed memory: it crashes, or resumes another coroutine. Here, the memory is kept for a while, and the scheduler
// drops the resumption.
#include "programs.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <future>
#include <map>
#include <new>

namespace corpus {

namespace {

/// Memory for frames. A freed frame keeps its contents until all other slots have been in use.
class Frames {
public:
    [[nodiscard]] void *take(std::size_t size)
    {
        const std::lock_guard lock(m_mutex);
        for (std::size_t i = 0; i < m_slots.size() && size <= kBytes; ++i) {
            Slot &slot = m_slots.at(m_next++ % m_slots.size());
            if (!std::exchange(slot.isInUse, true))
                return slot.memory.data();
        }
        throw std::bad_alloc();
    }
    void free(const void *frame)
    {
        slotOf(frame, [](Slot &slot) { slot.isInUse = false; });
    }
    [[nodiscard]] bool isInUse(const void *frame)
    {
        bool isInUse = false;
        slotOf(frame, [&isInUse](const Slot &slot) { isInUse = slot.isInUse; });
        return isInUse;
    }

private:
    static constexpr std::size_t kBytes = 1000;
    struct Slot {
        alignas(std::max_align_t) std::array<std::byte, kBytes> memory{};
        bool isInUse = false;
    };

    template <class Function>
    void slotOf(const void *frame, Function function)
    {
        const std::lock_guard lock(m_mutex);
        for (Slot &slot : m_slots)
            if (slot.memory.data() == frame)
                function(slot);
    }

    std::mutex m_mutex;
    std::array<Slot, 256> m_slots;  ///< guarded by m_mutex, as m_next
    std::size_t m_next = 0;
};

Frames &frames()
{
    static auto *const all = new Frames;  // frames outlive main() in a program that never ends
    return *all;
}

/// A coroutine that a pool runs, without an end. It may be destroyed while it is suspended.
struct Job {
    struct promise_type : Promise {
        static void *operator new(std::size_t size) { return frames().take(size); }
        static void operator delete(void *frame) { frames().free(frame); }
        Job get_return_object() { return {{std::coroutine_handle<promise_type>::from_promise(*this), this}}; }
        auto final_suspend() noexcept { return trace_final_suspend(); }
        void return_void() const noexcept {}
    };

    Waiter frame;
};

/// Wakes a job by its handle. If the job is destroyed, the resumption is dropped.
void wakeJob(Pool &pool, const Waiter &job)
{
    if (reportsCauses())
        corotracer::note_wake(*job.promise);
    if (frames().isInUse(job.handle.address()))
        pool.schedule(job);
}

/// A device that one job at a time may use.
struct Device {
    const Setting &setting;
    Pool pool{setting.threads};
    std::mutex mutex{};
    bool isTaken = false;  ///< guarded by mutex, as queue
    std::deque<Waiter> queue = {};
};

auto take(Device &device)
{
    return park(corotracer::waited(corotracer::wait::lock, &device), [&device](const Waiter &self) {
        const std::lock_guard lock(device.mutex);
        if (!std::exchange(device.isTaken, true))
            return false;
        device.queue.push_back(self);
        return true;
    });
}

/// Gives the device to the job that has waited longest.
void giveBack(Device &device)
{
    Waiter next;
    {
        const std::lock_guard lock(device.mutex);
        reportReleased(&device);
        if (device.queue.empty()) {
            device.isTaken = false;
            return;
        }
        next = device.queue.front();
        device.queue.pop_front();
    }
    wakeJob(device.pool, next);
}

Job useDevice(Device &device, int client)
{
    for (;;) {
        co_await take(device);
        reportAcquired(&device);
        co_await sleepFor(device.pool, device.setting.unit * 2);
        giveBack(device);
        co_await sleepFor(device.pool, device.setting.unit * (1 + client % 2));
    }
}

bool isQueued(Device &device, const Waiter &job)
{
    const std::lock_guard lock(device.mutex);
    return std::find(device.queue.begin(), device.queue.end(), job) != device.queue.end();
}

/// Destroys a job that waits for the device; false if it does not wait. The broken one leaves it in the queue.
bool cancel(Device &device, const Waiter &job)
{
    const std::lock_guard lock(device.mutex);
    const auto found = std::find(device.queue.begin(), device.queue.end(), job);
    if (found == device.queue.end())
        return false;
    if (!device.setting.isBroken)
        device.queue.erase(found);
    job.handle.destroy();
    return true;
}

/// Cancels a job when it has just begun to wait.
Task<> cancelOne(Device &device, Waiter job)
{
    co_await sleepFor(device.pool, device.setting.unit * 6 * kFaultRound);
    while (isQueued(device, job))
        co_await sleepFor(device.pool, device.setting.unit / 2);
    while (!cancel(device, job))
        co_await sleepFor(device.pool, device.setting.unit / 2);
}

}  // namespace

/// A job is destroyed while it waits for a device, and stays in the queue: the device is given to it.
void destroyedWaiter(const Setting &setting)
{
    Device device{setting};
    for (int client = 0; client < kClients; ++client) {
        const Waiter job = useDevice(device, client).frame;
        device.pool.startKept(job);
        if (client == kVictim)
            device.pool.start(cancelOne(device, job));
    }
    std::promise<void>().get_future().wait();  // for a shutdown that does not come
}

namespace {

/// Connections, each with a job that sends a sign of life when its timer fires.
struct Line {
    const Setting &setting;
    Pool pool{setting.threads};
    std::mutex mutex{};
    std::multimap<Reactor::Clock::time_point, Waiter> timers = {};  ///< guarded by mutex
};

auto timer(Line &line, std::chrono::nanoseconds duration)
{
    const auto end = Reactor::Clock::now() + duration;
    return park(corotracer::waited(end), [&line, end](const Waiter &self) {
        const std::lock_guard lock(line.mutex);
        line.timers.emplace(end, self);
        return true;
    });
}

Task<> fireTimers(Line &line)
{
    for (;;) {
        co_await sleepFor(line.pool, line.setting.unit / 2);
        std::vector<Waiter> due;
        {
            const std::lock_guard lock(line.mutex);
            const auto end = line.timers.upper_bound(Reactor::Clock::now());
            for (auto next = line.timers.begin(); next != end; next = line.timers.erase(next))
                due.push_back(next->second);
        }
        for (const Waiter &job : due)
            wakeJob(line.pool, job);
    }
}

Job keepAlive(Line &line)
{
    for (;;)
        co_await timer(line, line.setting.unit * 8);
}

/// Destroys a job that sleeps; false if its timer has just fired. The broken one leaves the timer in the list.
bool endKeepAlive(Line &line, const Waiter &job)
{
    const std::lock_guard lock(line.mutex);
    const auto found =
        std::find_if(line.timers.begin(), line.timers.end(), [&job](const auto &entry) { return entry.second == job; });
    if (found == line.timers.end())
        return false;
    if (!line.setting.isBroken)
        line.timers.erase(found);
    job.handle.destroy();
    return true;
}

Task<> connect(Line &line, int client)
{
    co_await sleepFor(line.pool, line.setting.unit * client);
    for (;;) {
        const Waiter job = keepAlive(line).frame;
        line.pool.startKept(job);
        co_await sleepFor(line.pool, line.setting.unit * 12);
        while (!endKeepAlive(line, job))
            co_await sleepFor(line.pool, line.setting.unit);
    }
}

}  // namespace

/// A connection ends, and the timer of its job is not cancelled.
void timerAfterDestroy(const Setting &setting)
{
    Line line{setting};
    line.pool.start(fireTimers(line));
    for (int client = 0; client < kClients; ++client)
        line.pool.start(connect(line, client));
    line.pool.join();
}

}  // namespace corpus
