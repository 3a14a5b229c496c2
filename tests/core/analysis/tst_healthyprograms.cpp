// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Healthy programs that look as if they were broken. Each is judged at many instants: nothing above information may be
// found. They are not sampled, unless a case says so, and report what they wait for only where a case says so.
#include "tests/core/analysis/judgescene.h"
#include "tests/support/check.h"

#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <utility>

using namespace ct;
using ct::test::JudgeScene;

namespace {

using Ids = std::vector<CoroutineId>;

/// A program whose steps are done in the order of their times.
struct Program : JudgeScene {
    std::minstd_rand random{7};
    std::string wrong;  ///< the first finding above information, with its time

    void at(std::uint64_t ms, std::function<void(std::uint64_t)> step) { m_steps.emplace(ms, std::move(step)); }
    /// Runs until `end`, and judges every `every` ms.
    void run(std::uint64_t end, std::uint64_t every = 487)
    {
        for (std::uint64_t judged = every; judged < end; judged += every) {
            while (!m_steps.empty() && m_steps.begin()->first <= judged) {
                auto step = m_steps.extract(m_steps.begin());
                step.mapped()(step.key());
            }
            for (const Finding &finding : JudgeScene::at(judged + 1).findings)
                if (finding.severity != Severity::Info && wrong.empty())
                    wrong = std::to_string(judged) + " ms: " + std::string(nameOf(finding.rule)) + ": " +
                            finding.message + "; " + (finding.evidence.empty() ? "" : finding.evidence.back());
        }
    }
    /// From `ms` on, the coroutine waits at the site again and again, for so long as `length` says.
    void loop(CoroutineId id, std::uint64_t ms, SiteId where, std::function<std::uint64_t()> length)
    {
        at(ms, [this, id, where, length](std::uint64_t now) {
            suspend(id, now, where);
            const std::uint64_t waited = std::max<std::uint64_t>(1, length());
            at(now + waited, [this, id, where, length](std::uint64_t then) {
                resume(id, then);
                loop(id, then + 1, where, length);
            });
        });
    }
    std::uint64_t between(std::uint64_t least, std::uint64_t most)
    {
        return std::uniform_int_distribution<std::uint64_t>(least, most)(random);
    }
    double share() { return std::uniform_real_distribution<double>(1e-9, 1)(random); }

private:
    std::multimap<std::uint64_t, std::function<void(std::uint64_t)>> m_steps;
};

}  // namespace

CT_CASE(anIdlePoolOfWhichAFewDoAllTheWork)
{
    Program program;
    const SiteId where = program.site("worker", 12);
    Ids idle;
    for (int i = 0; i < 16; ++i)
        idle.push_back(program.suspended(1, where));
    for (std::uint64_t ms = 10; ms < 20'000; ms += program.between(1, 20))
        program.at(ms, [&](std::uint64_t now) {
            if (idle.empty())
                return;
            const CoroutineId id = idle.back();  // the latest one is the one with the warmest cache
            idle.pop_back();
            program.resume(id, now);
            program.at(now + program.between(1, 30), [&, id](std::uint64_t then) {
                program.suspend(id, then, where);
                idle.push_back(id);
            });
        });
    program.run(20'000);
    CHECK_EQUAL(program.wrong, "");
}

CT_CASE(periodicWorkWithDifferentPeriods)
{
    Program program;
    const SiteId where = program.site("everySoOften", 5);
    for (const std::uint64_t period : {10, 10, 15, 20, 20, 25, 30, 50, 5000, 30'000})
        program.loop(program.born(), 1, where, [period] { return period; });
    program.run(100'000);
    CHECK_EQUAL(program.wrong, "");
}

CT_CASE(longPollsOfWhichSomeGetNoNews)
{
    Program program;
    const SiteId where = program.site("poll", 8);
    for (int i = 0; i < 100; ++i) {
        const bool isBusy = i % 10 < 7;
        program.loop(program.born(), 1 + static_cast<std::uint64_t>(i), where,
                     [&program, isBusy] { return isBusy ? program.between(5, 200) : 30'000; });
    }
    program.run(50'000);
    CHECK_EQUAL(program.wrong, "");
}

CT_CASE(burstsWithLongPausesBetweenThem)
{
    Program program;
    const SiteId where = program.site("receive", 21);
    Ids workers;
    for (int i = 0; i < 8; ++i)
        workers.push_back(program.suspended(1, where));
    for (std::uint64_t burst = 100; burst < 60'000; burst += program.between(1000, 9000))
        for (std::uint64_t i = 0; i < 40; ++i)
            program.at(burst + i, [&, i](std::uint64_t now) {
                const CoroutineId id = workers[i % workers.size()];
                program.resume(id, now);
                program.suspend(id, now, where);
            });
    program.run(60'000);
    CHECK_EQUAL(program.wrong, "");
}

CT_CASE(waitsWithAHeavyTail)
{
    for (const double shape : {0.8, 1.0, 1.5}) {
        Program program;
        program.random.seed(static_cast<unsigned>(shape * 10));
        const SiteId where = program.site("request", 33);
        for (int i = 0; i < 32; ++i)
            program.loop(program.born(), 1, where, [&program, shape] {
                return static_cast<std::uint64_t>(std::min(2 * std::pow(program.share(), -1 / shape), 60'000.0));
            });
        program.run(60'000);
        CHECK_EQUAL(program.wrong, "");
    }
}

CT_CASE(aProducerThatBackpressureStops)
{
    Program program;
    constexpr std::uint64_t kRoom = 0x500;
    const SiteId send = program.site("send", 40);
    const CoroutineId consumer = program.born();
    Ids producers;
    for (int i = 0; i < 4; ++i)
        producers.push_back(program.born());
    // The consumer makes room now and then, and wakes the producer that has waited longest.
    for (std::uint64_t ms = 10; ms < 60'000; ms += program.between(1, 5) == 1 ? 6000 : 20)
        program.at(ms, [&, turn = ms](std::uint64_t now) {
            const CoroutineId id = producers[turn % producers.size()];
            program.suspend(id, now, send);
            program.waits(id, WaitKind::Channel, kRoom);
            program.use(UseKind::Signalled, consumer, kRoom, now + 5);
            program.wake(id, now + 5);
            program.resume(id, now + 6);
            program.use(UseKind::Acquired, id, kRoom, now + 6);
        });
    program.run(60'000);
    CHECK_EQUAL(program.wrong, "");
}

CT_CASE(aGeneratorThatIsReadSlowly)
{
    Program program;
    const SiteId where = program.site("numbers", 4);
    for (int i = 0; i < 8; ++i) {
        const CoroutineId id = program.born();
        for (std::uint64_t ms = 1; ms < 2000; ms += 2) {
            program.suspend(id, ms, where, PointKind::Yield);
            program.resume(id, ms + 1);
        }
        program.suspend(id, 2001, where, PointKind::Yield);
    }
    program.run(60'000, 5000);
    CHECK_EQUAL(program.wrong, "");
}

CT_CASE(shardsWithALockEach)
{
    struct Shard {
        bool isHeld = false;
        Ids queue;
    };
    struct Shards : Program {
        SiteId where = site("update", 17);
        std::vector<Shard> shards = std::vector<Shard>(8);

        void lock(CoroutineId id, std::uint64_t now)
        {
            const std::size_t index = between(0, shards.size() - 1);
            if (!std::exchange(shards[index].isHeld, true)) {
                hold(id, index, now);
                return;
            }
            suspend(id, now, where);
            waits(id, WaitKind::Lock, 0x1000 + index);
            shards[index].queue.push_back(id);
        }
        void hold(CoroutineId id, std::size_t index, std::uint64_t now)
        {
            use(UseKind::Acquired, id, 0x1000 + index, now);
            const std::uint64_t length = share() < 0.01 ? 4000 : between(1, 20);
            at(now + length, [this, id, index](std::uint64_t then) { unlock(id, index, then); });
        }
        void unlock(CoroutineId id, std::size_t index, std::uint64_t now)
        {
            use(UseKind::Released, id, 0x1000 + index, now);
            at(now + 2, [this, id](std::uint64_t then) { lock(id, then); });
            Shard &shard = shards[index];
            shard.isHeld = !shard.queue.empty();
            if (shard.queue.empty())
                return;
            const CoroutineId next = shard.queue.front();
            shard.queue.erase(shard.queue.begin());
            wake(next, now);
            at(now + between(1, 300), [this, next, index](std::uint64_t then) {
                resume(next, then);
                hold(next, index, then);
            });
        }
    };
    Shards program;
    for (int i = 0; i < 12; ++i)
        program.lock(program.born(), 1);
    program.run(30'000);
    CHECK_EQUAL(program.wrong, "");
}

CT_CASE(aConditionThatIsSignalledBeforeAnyoneWaits)
{
    Program program;
    constexpr std::uint64_t kCondition = 0x700;
    const SiteId where = program.site("untilThereIsWork", 19);
    const CoroutineId producer = program.born();
    Ids waiting;
    std::uint64_t work = 0;
    for (int i = 0; i < 6; ++i) {
        const CoroutineId id = program.suspended(1, where);
        program.waits(id, WaitKind::Other, kCondition);
        waiting.push_back(id);
    }
    // Each signal is for one waiter; without one it has no effect, and the work is fetched without a wait.
    const std::function<void(CoroutineId, std::uint64_t)> serve = [&](CoroutineId id, std::uint64_t now) {
        if (work != 0) {
            --work;
            program.at(now + program.between(1, 400), [&, id](std::uint64_t then) { serve(id, then); });
            return;
        }
        program.suspend(id, now, where);
        program.waits(id, WaitKind::Other, kCondition);
        waiting.push_back(id);
    };
    for (std::uint64_t ms = 10; ms < 30'000; ms += program.share() < 0.01 ? 3000 : program.between(1, 60))
        program.at(ms, [&](std::uint64_t now) {
            ++work;
            program.use(UseKind::Signalled, producer, kCondition, now);
            if (waiting.empty())
                return;
            const CoroutineId id = waiting.front();
            waiting.erase(waiting.begin());
            program.wake(id, now);
            program.at(now + 1, [&, id](std::uint64_t then) {
                program.resume(id, then);
                serve(id, then);
            });
        });
    program.run(40'000);
    CHECK_EQUAL(program.wrong, "");
}

CT_CASE(aReleaseOfSeveralUnitsToManyWaiters)
{
    for (const bool acquires : {true, false}) {
        Program program;
        constexpr std::uint64_t kSemaphore = 0x800;
        const SiteId where = program.site("acquire", 27);
        const CoroutineId producer = program.born();
        Ids waiting;
        for (int i = 0; i < 12; ++i) {
            const CoroutineId id = program.suspended(1, where);
            program.waits(id, acquires ? WaitKind::Lock : WaitKind::Channel, kSemaphore);
            waiting.push_back(id);
        }
        for (std::uint64_t ms = 10; ms < 30'000; ms += 2500)
            program.at(ms, [&](std::uint64_t now) {
                program.use(acquires ? UseKind::Released : UseKind::Signalled, producer, kSemaphore, now);
                for (int i = 0; i < 3; ++i) {
                    const CoroutineId id = waiting.front();
                    waiting.erase(waiting.begin());
                    program.wake(id, now);
                    program.resume(id, now + 1);
                    if (acquires)
                        program.use(UseKind::Acquired, id, kSemaphore, now + 1);
                    program.suspend(id, now + 2, where);
                    program.waits(id, acquires ? WaitKind::Lock : WaitKind::Channel, kSemaphore);
                    waiting.push_back(id);
                }
            });
        program.run(30'000);
        CHECK_EQUAL(program.wrong, "");
    }
}

CT_CASE(aSemaphoreThatOneCoroutineAcquiresAndAnotherReleases)
{
    Program program;
    constexpr std::uint64_t kFull = 0x900;
    constexpr std::uint64_t kEmpty = 0x901;
    const SiteId where = program.site("exchange", 6);
    const CoroutineId producer = program.born();
    const CoroutineId consumer = program.born();
    // A queue of one element: each waits for what the other releases.
    program.use(UseKind::Released, kNoCoroutine, kEmpty, 1);
    for (std::uint64_t ms = 10; ms < 30'000; ms += program.share() < 0.1 ? 2500 : 40)
        program.at(ms, [&](std::uint64_t now) {
            program.use(UseKind::Acquired, producer, kEmpty, now);
            program.use(UseKind::Released, producer, kFull, now + 1);
            program.use(UseKind::Acquired, consumer, kFull, now + 2);
            program.suspend(producer, now + 3, where);
            program.waits(producer, WaitKind::Lock, kEmpty);
            program.use(UseKind::Released, consumer, kEmpty, now + 30);
            program.wake(producer, now + 30);
            program.resume(producer, now + 31);
            program.suspend(consumer, now + 32, where);
            program.waits(consumer, WaitKind::Lock, kFull);
            program.wake(consumer, now + 33);
            program.resume(consumer, now + 34);
        });
    program.run(30'000);
    CHECK_EQUAL(program.wrong, "");
}

CT_CASE(aMachineThatIsTooBusy)
{
    Program program;
    const SiteId where = program.site("step", 2);
    // Each wake waits up to 5 s for a thread, and others are preferred.
    for (int i = 0; i < 40; ++i) {
        const CoroutineId id = program.born();
        for (std::uint64_t ms = 1 + program.between(0, 500); ms < 30'000;) {
            const std::uint64_t woken = ms + program.between(1, 50);
            const std::uint64_t run = woken + (program.share() < 0.05 ? program.between(1000, 5000) : 1);
            program.at(ms, [&program, id, where](std::uint64_t now) { program.suspend(id, now, where); });
            program.at(woken, [&program, id](std::uint64_t now) { program.wake(id, now); });
            program.at(run, [&program, id](std::uint64_t now) { program.resume(id, now); });
            ms = run + program.between(1, 5);
        }
    }
    program.run(30'000);
    CHECK_EQUAL(program.wrong, "");
}

CT_CASE(requestsWithTimeoutsThatAreCancelled)
{
    Program program;
    const SiteId where = program.site("timeout", 14);
    for (std::uint64_t ms = 10; ms < 30'000; ms += 20)
        program.at(ms, [&](std::uint64_t now) {
            const CoroutineId id = program.born(now);
            program.suspend(id, now, where);
            const bool isCancelled = program.share() < 0.95;
            program.at(now + (isCancelled ? program.between(1, 50) : 20'000), [&program, id](std::uint64_t then) {
                program.resume(id, then);
                program.destroy(id, then);
            });
        });
    program.run(45'000, 997);
    CHECK_EQUAL(program.wrong, "");
}

CT_CASE(connectionsThatStayOpenAmongShortOnes)
{
    Program program;
    const SiteId where = program.site("connection", 50);
    const CoroutineId acceptor = program.suspended(1, program.site("accept", 9));
    for (std::uint64_t ms = 10; ms < 30'000; ms += 20)
        program.at(ms, [&](std::uint64_t now) {
            const CoroutineId id = program.born(now);
            program.parent(id, acceptor);
            program.suspend(id, now, where);
            if (program.share() < 0.9)
                program.at(now + program.between(1, 50), [&program, id](std::uint64_t then) {
                    program.resume(id, then);
                    program.destroy(id, then);
                });
        });
    program.run(40'000, 997);
    CHECK_EQUAL(program.wrong, "");
}
