// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Ends of real processes: noticed at once, without repeated checks of the process.
#include "core/harvest/processendwatch.h"
#include "core/region/processstat.h"
#include "tests/support/lanecapture.h"

#include <csignal>
#include <cstdio>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace lanecapture;

namespace {

void *sleepOn(void *)
{
    for (;;)
        ::pause();
}

/// Sleeps until it is killed: in its main thread, or in another one after the main thread has ended.
class Child {
public:
    explicit Child(bool endsMainThread = false) : m_pid(::fork())
    {
        if (m_pid != 0)
            return;
        pthread_t thread;
        if (endsMainThread && ::pthread_create(&thread, nullptr, sleepOn, nullptr) == 0)
            ::syscall(SYS_exit, 0);  // as pthread_exit() does, without unwinding a test
        sleepOn(nullptr);
    }
    ~Child()
    {
        if (m_pid <= 0)
            return;
        ::kill(m_pid, SIGKILL);
        ::waitpid(m_pid, nullptr, 0);
    }
    Child(const Child &) = delete;
    Child &operator=(const Child &) = delete;

    pid_t pid() const { return m_pid; }
    std::uint32_t number() const { return static_cast<std::uint32_t>(m_pid); }
    ct::ProcessStat stat() const { return ct::ProcessStat::of(m_pid); }
    std::uint64_t startTicks() const { return stat().startTicks; }
    /// Kills the child, which then stays a zombie.
    void kill() const
    {
        REQUIRE(m_pid > 0);
        ::kill(m_pid, SIGKILL);
        siginfo_t info{};
        REQUIRE(::waitid(P_PID, static_cast<id_t>(m_pid), &info, WEXITED | WNOWAIT) == 0);
    }

private:
    pid_t m_pid;
};

std::uint64_t now()
{
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

bool canWatch()
{
    ct::ProcessEndWatch watch;
    if (watch.watchProcess(0, ::getpid()))
        return true;
    ct::test::reportSkip(__FILE__, __LINE__, "this kernel has no pidfd_open");
    return false;
}

}  // namespace

CT_CASE(aProcessLivesAsLongAsOneOfItsThreads)
{
    const Child child(true);
    while (child.stat().state != 'Z')
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const std::uint64_t ticks = child.startTicks();
    CHECK(ct::processIsAlive(child.number(), ticks));
    CHECK(ct::processIsAlive(child.number(), 0));  // it could not read its start
    child.kill();
    CHECK(!ct::processIsAlive(child.number(), ticks));
    const Child another;
    CHECK(!ct::processIsAlive(another.number(), another.startTicks() + 1));
}

CT_CASE(aProcessThatCannotBeReadMayBeAlive)
{
    std::uint32_t reaped = 0;
    std::uint64_t ticks = 0;
    {
        const Child gone;
        reaped = gone.number();
        ticks = gone.startTicks();
    }
    const Child child;
    const std::uint64_t started = child.startTicks();
    rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
    rlimit none = before;
    none.rlim_cur = 0;
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
    const bool isRead = child.stat().isRead;
    const bool lives = ct::processIsAlive(child.number(), started);
    const bool livesWhenGone = ct::processIsAlive(reaped, ticks);
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
    CHECK(!isRead);
    CHECK(lives);
    CHECK(!livesWhenGone);
}

CT_CASE(reportsEachEndOnce)
{
    if (!canWatch())
        return;
    const Child a, b, c;
    ct::ProcessEndWatch watch;
    CHECK(watch.isEmpty());
    CHECK(watch.takeEnded().empty());
    for (const Child *child : {&a, &b, &c})
        CHECK(watch.watchProcess(child->number(), child->pid()));
    CHECK(watch.takeEnded().empty());
    a.kill();
    c.kill();
    const std::vector<std::uint32_t> ended = watch.takeEnded();
    CHECK(std::set<std::uint32_t>(ended.begin(), ended.end()) == (std::set<std::uint32_t>{a.number(), c.number()}));
    CHECK(watch.takeEnded().empty());
    CHECK(watch.watches(b.number()));
    CHECK(!watch.watches(a.number()));
    watch.remove(b.number());
    CHECK(watch.isEmpty());
    b.kill();
    CHECK(watch.takeEnded().empty());
}

CT_CASE(watchesAtMostTheStatedNumberOfProcesses)
{
    if (!canWatch())
        return;
    ct::ProcessEndWatch watch;
    std::size_t watched = 0;
    while (watched <= ct::ProcessEndWatch::kMost && watch.watchProcess(static_cast<std::uint32_t>(watched), ::getpid()))
        ++watched;
    CHECK_EQUAL(watched, ct::ProcessEndWatch::kMost);
    watch.remove(7);
    CHECK(watch.watchProcess(1000, ::getpid()));
    CHECK(!watch.watchProcess(1001, 0x3FFFFFFF));  // no such process
}

/// While the engine sleeps, the end needs no verdict, no second check and no pass over the stations.
CT_CASE(reportsAnEndWhileTheEngineSleeps)
{
    if (!canWatch())
        return;
    Capture c;
    c.loop.emplace(*c.region);  // asks the system which processes live
    const Child stays, goes;
    const Process living(c.header(), stays.number(), stays.startTicks());
    const Process dying(c.header(), goes.number(), goes.startTicks());
    Lane mine = *living.claimLane(11), theirs = *dying.claimLane(22);
    Coroutine one = *Coroutine::create(living, mine, 1, 1);
    Coroutine two = *Coroutine::create(dying, theirs, 2, 1);
    steps(one, mine, 3);
    steps(two, theirs, 5);
    c.scanAll(true);
    CHECK_EQUAL(c.loop->accounting().processes, 2u);
    const std::uint64_t lived = now();
    CHECK(!c.loop->hasEndsToEmit());
    goes.kill();
    const std::uint64_t died = now();
    CHECK(c.loop->hasEndsToEmit());
    CHECK_EQUAL(c.loop->accounting().processes, 1u);
    // A sweep reads what it left. Sweeps keep a distance from each other.
    while (c.loop->hasEndsToEmit()) {
        c.batch.clear();
        c.loop->emitEnds(c.batch);
        c.streamSums.add(c.batch);
    }
    REQUIRE(c.streamSums.notes.processEnds.size() == 1);
    CHECK_EQUAL(c.streamSums.notes.processEnds[0].pid, goes.number());
    CHECK(c.streamSums.notes.processEnds[0].ts >= lived && c.streamSums.notes.processEnds[0].ts <= died);
    CHECK_EQUAL(dying.entry().state.load(), corotracer::kProcessFree);
    CHECK_EQUAL(living.entry().state.load(), corotracer::kProcessActive);
    c.end();
    c.checkTotals(3 + 5);
}

/// A process that was dead before the attach is not watched, but its end is emitted, too.
CT_CASE(pollingFindsProcessDeadBeforeAttach)
{
    Capture c;
    c.loop.emplace(*c.region);
    const Child stays, gone;
    const Process living(c.header(), stays.number(), stays.startTicks());
    const Process dead(c.header(), gone.number(), gone.startTicks());
    gone.kill();
    Lane theirs = *dead.claimLane(22);
    Coroutine one = *Coroutine::create(dead, theirs, 1, 1);
    steps(one, theirs, 5);
    scanUntil(c, [&] { return !c.streamSums.notes.processEnds.empty(); });
    CHECK_EQUAL(c.streamSums.notes.processEnds[0].pid, gone.number());
    CHECK_EQUAL(c.streamSums.byKey(1)->captured, 5u);
    c.end();
    c.checkTotals(5);
}
