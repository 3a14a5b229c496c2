// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/target/threadsampler.h"

#include "core/base/monotonic.h"
#include "tests/support/check.h"
#include "tests/support/sleepers.h"

#include <array>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <thread>

using namespace ct;

namespace {

enum Role : std::size_t { Futex, TimedFutex, Epoll, TimedEpoll, Nap, Burns, RoleCount };

/// Memory that a test shares with its target.
struct Shared {
    std::array<std::atomic<std::uint32_t>, RoleCount> tids{};
    std::atomic<std::uint32_t> epoll{0};
    std::atomic<bool> mayEnd{false};
};

Shared &sharedMemory()
{
    static void *const memory =
        ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return *static_cast<Shared *>(memory);
}

void begin(Role role)
{
    sharedMemory().tids[role] = static_cast<std::uint32_t>(::gettid());
}

/// One thread in each role. The main thread of a sleeper reads from a pipe.
void startThreads()
{
    static std::mutex mutex;
    static std::condition_variable never;
    const auto start = [](Role role, std::function<void()> body) {
        std::thread([role, body = std::move(body)] {
            begin(role);
            for (;;)
                body();
        }).detach();
    };
    const auto waitOnce = [](auto &&wait) {
        std::unique_lock lock(mutex);
        wait(lock);
    };
    start(Futex, [=] { waitOnce([](auto &lock) { never.wait(lock); }); });
    start(TimedFutex, [=] { waitOnce([](auto &lock) { never.wait_for(lock, std::chrono::hours(1)); }); });
    const int epoll = ::epoll_create1(0);
    sharedMemory().epoll = static_cast<std::uint32_t>(epoll);
    start(Epoll, [epoll] {
        epoll_event event;
        ::epoll_wait(epoll, &event, 1, -1);
    });
    start(TimedEpoll, [epoll] {
        epoll_event event;
        ::epoll_wait(epoll, &event, 1, 3'600'000);
    });
    start(Nap, [] { ::sleep(3600); });
    start(Burns, [] {
        while (!sharedMemory().mayEnd) {
        }
        ::pthread_exit(nullptr);
    });
}

ProcFile directoryOf(pid_t pid)
{
    return {AT_FDCWD, "/proc/" + std::to_string(pid), O_DIRECTORY};
}

/// A target and the rows about it.
struct Scene {
    explicit Scene(std::uint64_t files = 768) : kept{files}
    {
        for (auto &tid : sharedMemory().tids)
            tid = 0;
        sharedMemory().mayEnd = false;
        target.emplace(startThreads);
        directory = directoryOf(target->pid());
        sampler.emplace(static_cast<std::uint32_t>(target->pid()), directory, kept);
    }

    /// Samples once, and returns the new rows.
    std::vector<ThreadSample> sample(bool isComplete = true)
    {
        std::vector<ThreadSample> rows;
        lives = sampler->sample(++now, isComplete, rows);
        for (const ThreadSample &row : rows)
            latest[row.tid] = row;
        return rows;
    }
    /// Samples until a condition holds.
    template <class Condition>
    bool sampleUntil(Condition condition)
    {
        constexpr std::uint64_t kPatience = 95'000'000'000;
        for (const std::uint64_t end = monotonicNow() + kPatience; monotonicNow() < end; ::usleep(2000)) {
            sample();
            if (condition())
                return true;
        }
        return false;
    }
    ThreadSample main() { return latest[static_cast<std::uint32_t>(target->pid())]; }
    ThreadSample of(Role role) { return latest[sharedMemory().tids[role]]; }
    /// The thread sleeps in that call.
    bool isIn(Role role, ThreadCall call) { return of(role).state == ThreadState::Sleeping && of(role).call == call; }
    bool isEachInItsCall()
    {
        return isIn(Futex, ThreadCall::Futex) && isIn(TimedFutex, ThreadCall::Futex) &&
               isIn(Epoll, ThreadCall::Epoll) && isIn(TimedEpoll, ThreadCall::Epoll) && isIn(Nap, ThreadCall::Sleep) &&
               of(Burns).cpuNs != 0 && main().state == ThreadState::Sleeping && main().call == ThreadCall::Descriptor;
    }

    std::optional<sleepers::Sleeper> target;
    ProcFile directory;
    KeptFiles kept;
    std::optional<ThreadSampler> sampler;
    std::uint64_t now = 0;
    bool lives = false;
    std::map<std::uint32_t, ThreadSample> latest;
};

}  // namespace

CT_CASE(seesWhatEachThreadWaitsFor)
{
    Scene scene;
    REQUIRE(scene.sampleUntil([&] { return scene.isEachInItsCall(); }));
    CHECK(scene.lives);
    CHECK_EQUAL(scene.sampler->threads(), 7U);
    CHECK(scene.sampler->areKnown());
    CHECK(scene.sampler->areCallsKnown());
    CHECK(!scene.sampler->isStopped());
    CHECK(!scene.of(Futex).isTimed && scene.of(TimedFutex).isTimed);
    CHECK(scene.of(Futex).object != 0);
    CHECK(!scene.of(Epoll).isTimed && scene.of(TimedEpoll).isTimed);
    CHECK_EQUAL(scene.of(Epoll).object, sharedMemory().epoll.load());
    CHECK((scene.sampler->epolls() == std::vector<std::uint32_t>(2, sharedMemory().epoll)));
    CHECK(scene.of(Nap).isTimed);
    CHECK_EQUAL(scene.of(Burns).pid, static_cast<std::uint32_t>(scene.target->pid()));
    CHECK(!scene.main().isTimed && scene.main().object != 0);
}

CT_CASE(onlyAChangeMakesARow)
{
    Scene scene;
    REQUIRE(scene.sampleUntil([&] { return scene.isEachInItsCall(); }));
    const std::uint64_t usedNs = scene.of(Burns).cpuNs;
    REQUIRE(scene.sampleUntil([&] { return scene.of(Burns).cpuNs > usedNs; }));
    for (const bool isComplete : {true, false}) {
        for (const ThreadSample &row : scene.sample(isComplete)) {
            CHECK_EQUAL(row.tid, sharedMemory().tids[Burns].load());
            CHECK_EQUAL(row.ts, scene.now);
        }
    }
}

CT_CASE(seesWhetherAThreadChanged)
{
    Scene scene;
    scene.sample();
    CHECK(!scene.sampler->isUnchanged());  // the threads are new
    REQUIRE(scene.sampleUntil([&] { return scene.isEachInItsCall() && scene.sampler->isUnchanged(); }));
    REQUIRE(scene.sampleUntil([&] { return scene.sampler->isUnchanged() && scene.sampler->usedNs() != 0; }));
    ::kill(scene.target->pid(), SIGSTOP);
    REQUIRE(scene.sampleUntil([&] { return !scene.sampler->isUnchanged(); }));
    CHECK(scene.sampleUntil([&] { return scene.sampler->isUnchanged() && scene.sampler->usedNs() == 0; }));
}

CT_CASE(seesAStoppedProcess)
{
    Scene scene;
    REQUIRE(scene.sampleUntil([&] { return scene.isEachInItsCall(); }));
    ::kill(scene.target->pid(), SIGSTOP);
    REQUIRE(scene.sampleUntil([&] { return scene.sampler->isStopped(); }));
    for (const Role role : {Futex, Epoll, Burns})
        CHECK(scene.of(role).state == ThreadState::Stopped);
    // A signal interrupts a call. It is still the one before.
    CHECK(scene.of(Futex).call == ThreadCall::Futex && !scene.of(Futex).isTimed);
    ::kill(scene.target->pid(), SIGCONT);
    REQUIRE(scene.sampleUntil([&] { return !scene.sampler->isStopped() && scene.isEachInItsCall(); }));
    // These two continue by restart_syscall(2), which does not say what it continues.
    CHECK(scene.of(Nap).isTimed && scene.of(TimedFutex).isTimed);
}

CT_CASE(aThreadAndAProcessEnd)
{
    Scene scene;
    REQUIRE(scene.sampleUntil([&] { return scene.isEachInItsCall(); }));
    sharedMemory().mayEnd = true;
    REQUIRE(scene.sampleUntil([&] { return scene.of(Burns).state == ThreadState::Ended; }));
    CHECK_EQUAL(scene.sampler->threads(), 6U);
    CHECK(scene.of(Burns).cpuNs != 0);
    CHECK(scene.of(Burns).call == ThreadCall::None);
    CHECK(scene.sample().empty());  // an ended thread gets no further row
    CHECK(scene.sampler->areKnown());
    scene.target->end();
    scene.sample();
    CHECK(!scene.lives);
}

CT_CASE(aMainThreadThatEndsBeforeTheOthersGetsOneRow)
{
    const pid_t pid = ::fork();
    if (pid == 0) {
        std::thread([] {
            for (;;)
                ::pause();
        }).detach();
        ::pthread_exit(nullptr);
    }
    REQUIRE(pid > 0);
    const ProcFile directory = directoryOf(pid);
    KeptFiles kept{768};
    ThreadSampler sampler(static_cast<std::uint32_t>(pid), directory, kept);
    std::vector<ThreadSample> rows;
    bool lives = true;
    const auto hasEnded = [&rows] {
        return std::any_of(rows.begin(), rows.end(), [](const auto &row) { return row.state == ThreadState::Ended; });
    };
    while (lives && !hasEnded())
        lives = sampler.sample(1, true, rows);
    CHECK(lives);
    // The other thread may still have to reach its call.
    bool isFoundAgain = false;
    do {
        rows.clear();
        CHECK(sampler.sample(2, true, rows));
        isFoundAgain = std::any_of(rows.begin(), rows.end(),
                                   [pid](const auto &row) { return row.tid == static_cast<std::uint32_t>(pid); });
    } while (!rows.empty() && !isFoundAgain);
    CHECK(!isFoundAgain);
    CHECK_EQUAL(sampler.threads(), 1U);
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    CHECK(!sampler.sample(4, true, rows));
}

CT_CASE(withoutDescriptorsToKeepTheRowsAreTheSame)
{
    Scene scene(2);
    REQUIRE(scene.sampleUntil([&] { return scene.isEachInItsCall(); }));
    CHECK_EQUAL(scene.kept.left, 2U);
    CHECK(scene.sampler->areKnown());
    sharedMemory().mayEnd = true;
    CHECK(scene.sampleUntil([&] { return scene.of(Burns).state == ThreadState::Ended; }));
}

CT_CASE(descriptorsAreGivenBack)
{
    Scene scene;
    scene.sample();
    CHECK(scene.kept.left < 768);
    scene.sampler.reset();
    CHECK_EQUAL(scene.kept.left, 768U);
}
