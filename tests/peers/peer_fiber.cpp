// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Pipelines of fibers with Boost.Fiber. In each thread, a source sends items through a chain of stages, one at a time.
// Other fibers sleep, yield and launch. With --shared, each thread runs fibers of all threads. With --lose, a fiber of
// the first thread begins to wait for a notification that came before: it waits for ever. Another one sleeps for an
// hour. The program then runs until SIGTERM.
//
// tst_peer_fiber.cpp computes the number of fibers and events from this source.
#include "corotracer/fiber.h"
#include "support/arguments.h"
#include "support/stop.h"

#include <boost/fiber/all.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace fibers = boost::fibers;
using namespace std::chrono_literals;
using std::chrono::steady_clock;

/// Passes one item at a time between two fibers of a thread.
class Mailbox {
public:
    void put(int item)
    {
        {
            const std::unique_lock lock(m_mutex);
            m_item = item;
        }
        m_full.notify_one();
    }
    int get()
    {
        std::unique_lock lock(m_mutex);
        while (!m_item)
            m_full.wait(lock);
        const int item = *m_item;
        m_item.reset();
        return item;
    }

private:
    fibers::mutex m_mutex;
    fibers::condition_variable m_full;
    std::optional<int> m_item;
};

constexpr int kEnd = -1;

/// Adds 1 to each item.
void stage(Mailbox &from, Mailbox &to)
{
    for (int item = from.get(); item != kEnd; item = from.get())
        to.put(item + 1);
    to.put(kEnd);
}

void source(Mailbox &to, Mailbox &answers, std::uint64_t items, int &sum)
{
    corotracer::this_fiber()->set_name("source");
    for (std::uint64_t i = 0; i < items; ++i) {
        to.put(0);
        sum += answers.get();
    }
    to.put(kEnd);
}

void sleeper()
{
    for (int i = 0; i < 3; ++i)
        boost::this_fiber::sleep_for(1ms);
}

/// Launches two fibers that run later, and one that runs at once. Continues when that one has yielded.
void launcher()
{
    for (int i = 0; i < 2; ++i)
        fibers::fiber([] {}).detach();
    fibers::fiber child(fibers::launch::dispatch, [] { boost::this_fiber::yield(); });
    child.detach();
}

/// A higher priority runs first.
struct Priority : fibers::fiber_properties {
    explicit Priority(fibers::context *context) : fiber_properties(context) {}
    int value = 0;
};

class ByPriority : public fibers::algo::algorithm_with_properties<Priority> {
public:
    explicit ByPriority(int lowest) : m_lowest(lowest) {}
    void awakened(fibers::context *context, Priority &priority) noexcept override
    {
        auto at = m_ready.begin();
        // The dispatcher comes last: it has no fiber's work.
        const int value = context->is_context(fibers::type::dispatcher_context) ? m_lowest : priority.value;
        while (at != m_ready.end() && at->value >= value)
            ++at;
        m_ready.insert(at, {context, value});
    }
    fibers::context *pick_next() noexcept override
    {
        if (m_ready.empty())
            return nullptr;
        fibers::context *const next = m_ready.front().context;
        m_ready.erase(m_ready.begin());
        return next;
    }
    bool has_ready_fibers() const noexcept override { return !m_ready.empty(); }
    void suspend_until(const steady_clock::time_point &time) noexcept override { m_sleep.suspend_until(time); }
    void notify() noexcept override { m_sleep.notify(); }

private:
    struct Ready {
        fibers::context *context;
        int value;
    };
    const int m_lowest;
    std::vector<Ready> m_ready;
    fibers::algo::round_robin m_sleep;
};

struct Size {
    std::uint64_t stages = 0;
    std::uint64_t items = 0;
};

/// Runs one pipeline and the other fibers in this thread, to their end. Returns whether all items arrived.
bool runPipeline(const Size &size)
{
    std::vector<Mailbox> boxes(size.stages + 1);
    std::vector<fibers::fiber> all;
    int sum = 0;
    for (std::uint64_t i = 0; i < size.stages; ++i)
        all.emplace_back([&boxes, i] { stage(boxes[i], boxes[i + 1]); });
    // After the stages, so that each of them waits before its first item comes.
    all.emplace_back([&] { source(boxes.front(), boxes.back(), size.items, sum); });
    all.emplace_back(&sleeper);
    all.emplace_back(&launcher);
    for (fibers::fiber &fiber : all)
        fiber.join();
    return sum == static_cast<int>(size.stages * size.items);
}

/// Waits without a look at the state that it waits for. If the notification has come before, it is lost.
void late(fibers::mutex &mutex, fibers::condition_variable &condition)
{
    corotracer::this_fiber()->set_name("late");
    boost::this_fiber::yield();
    std::unique_lock lock(mutex);
    condition.wait(lock);
}

[[noreturn]] void loseANotification()
{
    fibers::mutex mutex;
    fibers::condition_variable condition;
    fibers::fiber waiter([&] { late(mutex, condition); });
    fibers::fiber notifier([&] { condition.notify_one(); });
    fibers::fiber hour([] {
        corotracer::this_fiber()->set_name("hour");
        boost::this_fiber::sleep_for(1h);
    });
    notifier.join();
    std::printf("waiting for SIGTERM\n");
    std::fflush(stdout);
    while (!targets::stopRequested())
        boost::this_fiber::sleep_for(10ms);
    // A scheduler waits for all its fibers, and these never end.
    std::_Exit(0);
}

}  // namespace

int main(int argc, char **argv)
{
    targets::Arguments arguments("pipelines of fibers, with Boost.Fiber");
    arguments.number("--stages", 10, 1, 10'000, "stages of each pipeline")
        .number("--items", 100, 1, 1'000'000, "items that a source sends")
        .number("--threads", 1, 1, 64, "threads, each with its pipeline")
        .flag("--priorities", "use a scheduling algorithm with properties")
        .flag("--shared", "fibers move between the threads")
        .flag("--lose", "lose a notification, and run until SIGTERM");
    arguments.parse(argc, argv);
    targets::handleStopSignals();

    const Size size{arguments.value("--stages"), arguments.value("--items")};
    const bool usesPriorities = arguments.isSet("--priorities");
    const bool isShared = arguments.isSet("--shared");
    fibers::barrier allAreDone(arguments.value("--threads"));
    std::vector<char> isRight(arguments.value("--threads"));
    std::vector<std::thread> threads;
    for (char &right : isRight) {
        threads.emplace_back([&] {
            if (usesPriorities)
                fibers::use_scheduling_algorithm<corotracer::traced<ByPriority>>(-1);
            else if (isShared)
                fibers::use_scheduling_algorithm<corotracer::traced<fibers::algo::shared_work>>(true);
            else
                fibers::use_scheduling_algorithm<corotracer::traced<fibers::algo::round_robin>>();
            right = runPipeline(size);
            allAreDone.wait();  // until then, this thread may have fibers of the others
        });
    }
    for (std::thread &thread : threads)
        thread.join();
    for (const char right : isRight) {
        if (!right)
            return 1;
    }
    std::printf("%zu pipelines are done\n", isRight.size());
    if (arguments.isSet("--lose")) {
        fibers::use_scheduling_algorithm<corotracer::traced<fibers::algo::round_robin>>();
        loseANotification();
    }
    return 0;
}
