// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Counters that jump, stand still, or run behind on another core. No event is lost, the times become right, and the
// region reports it.
#include "tests/probe/lanetest.h"
#include "tests/support/harvestloop.h"

#include <functional>
#include <thread>

#include <dlfcn.h>
#include <sys/mman.h>

namespace {

using namespace lanetest;
using probetest::inChild;

/// A shared object whose counter the test controls. Only the machine decides whether the probe uses the counter at all.
struct Module {
    Module()
    {
        void *const library = ::dlopen(PROBE_COUNTER, RTLD_NOW | RTLD_LOCAL);
        if (!library)
            check::fail(__FILE__, __LINE__, ::dlerror());
        REQUIRE(library != nullptr);
        find(library, "module_init", init);
        find(library, "module_jump", jump);
        find(library, "module_jump_on_this_core", jumpOnThisCore);
        find(library, "module_freeze", freeze);
        find(library, "module_make", make);
        find(library, "module_events", events);
        find(library, "module_end", end);
    }
    void (*init)() = nullptr;
    void (*jump)(std::int64_t ns) = nullptr;
    void (*jumpOnThisCore)(std::int64_t ns) = nullptr;
    void (*freeze)() = nullptr;
    void *(*make)() = nullptr;
    void (*events)(void *promise, int count) = nullptr;
    void (*end)(void *promise) = nullptr;

private:
    template <class Function>
    static void find(void *library, const char *name, Function &function)
    {
        function = reinterpret_cast<Function>(::dlsym(library, name));
        REQUIRE(function != nullptr);
    }
};

std::uint64_t nanosecondsOf(const ProcessEntry &entry, std::uint64_t raw)
{
    const auto ticks = static_cast<std::int64_t>(raw - entry.init_counter.load());
    CHECK(ticks >= 0);
    return entry.init_ns.load() + corotracer::detail::scale(static_cast<std::uint64_t>(ticks), entry.mult.load());
}

/// Returns whether the process's first entry states the counter as its clock. Otherwise reports a skip.
bool usesCounter(const Region &region)
{
    if (region.process(0).clock_kind.load() == kClockCounter)
        return true;
    ct::test::reportSkip(__FILE__, __LINE__, "this machine has no counter that the kernel trusts");
    return false;
}

void drainInto(const Region &region, Ledger &ledger)
{
    ledger.add(drainAll(region));
}

/// Publishes events until the process has published its next pair of clock readings. Returns their number.
std::uint64_t untilNextPair(const Module &module, void *promise, const Region &region, Ledger &ledger)
{
    const std::uint64_t before = region.process(0).late_seq.load();
    std::uint64_t written = 0;
    while (region.process(0).late_seq.load() == before) {
        module.events(promise, 200);
        written += 200;
        drainInto(region, ledger);
    }
    return written;
}

/// Uses up the thread's current run of slots, then checks the times of the following records.
void checkTimes(const Module &module, void *promise, const Region &region, Ledger &ledger, std::uint64_t &written)
{
    CHECK_EQUAL(region.process(0).clock_kind.load(), kClockGivenUp);
    module.events(promise, 2 * kLaneBlock);
    drainInto(region, ledger);
    const std::uint64_t before = corotracer::detail::monotonic_ns();
    module.events(promise, 100);
    const std::uint64_t after = corotracer::detail::monotonic_ns();
    written += 2 * kLaneBlock + 100;
    const std::vector<Record> records = drainAll(region);
    CHECK_EQUAL(records.size(), 100U);
    std::uint64_t last = 0;
    for (const Record &record : records) {
        const std::uint64_t ns = nanosecondsOf(region.process(0), record.ts);
        CHECK(ns + 1000 >= before && ns <= after + 1000 && ns >= last);
        last = ns;
    }
    ledger.add(records);
}

void misbehave(void (*how)(const Module &module))
{
    const Region region(Options{.laneRecords = 1 << 14, .poolBytes = 32 << 20});
    inChild([&] {
        const Module module;
        module.init();
        if (!usesCounter(region))
            return;
        Ledger ledger;
        void *const promise = module.make();
        std::uint64_t written = untilNextPair(module, promise, region, ledger);
        written += untilNextPair(module, promise, region, ledger);
        CHECK_EQUAL(region.process(0).clock_kind.load(), kClockCounter);
        how(module);
        written += untilNextPair(module, promise, region, ledger);
        checkTimes(module, promise, region, ledger, written);
        // The next pair lies on the same line.
        written += untilNextPair(module, promise, region, ledger);
        const ProcessEntry &entry = region.process(0);
        CHECK(nanosecondsOf(entry, entry.late_counter.load()) <= entry.late_ns.load() + 1000);
        CHECK(nanosecondsOf(entry, entry.late_counter.load()) + 1000 >= entry.late_ns.load());
        module.end(promise);
        drainInto(region, ledger);
        ledger.checkComplete();
        CHECK_EQUAL(ledger.transitions + ledger.dropped, written);
    });
}

CT_CASE(aCounterThatJumpsAheadIsGivenUp)
{
    misbehave([](const Module &module) { module.jump(60'000'000'000); });
}

CT_CASE(aCounterThatJumpsBackIsGivenUp)
{
    misbehave([](const Module &module) { module.jump(-60'000'000'000); });
}

CT_CASE(aCounterThatJumpsALittleIsGivenUp)
{
    misbehave([](const Module &module) { module.jump(-50'000'000); });
}

/// Publishes events until `isNoticed`, for at most 20 s. Returns their number, or 0 if it was not noticed.
std::uint64_t untilNoticed(const Module &module, void *promise, const std::function<bool()> &isNoticed)
{
    std::uint64_t written = 0;
    const std::uint64_t end = corotracer::detail::monotonic_ns() + 20'000'000'000;
    while (!isNoticed()) {
        if (corotracer::detail::monotonic_ns() > end)
            return 0;
        module.events(promise, 200);
        written += 200;
    }
    return written;
}

/// For such a counter no time passes, so it never makes the next pair due.
CT_CASE(aCounterThatStandsStillIsGivenUp)
{
    for (const bool hasPublished : {false, true}) {
        const Region region(Options{.laneRecords = 1 << 14, .poolBytes = 32 << 20});
        inChild([&] {
            const Module module;
            module.init();
            if (!usesCounter(region))
                return;
            Ledger ledger;
            void *const promise = module.make();
            std::uint64_t written = hasPublished ? untilNextPair(module, promise, region, ledger) : 0;
            module.freeze();
            const std::uint64_t more = untilNoticed(module, promise, [&] {
                drainInto(region, ledger);
                return region.process(0).clock_kind.load() != kClockCounter;
            });
            REQUIRE(more != 0);
            written += more;
            checkTimes(module, promise, region, ledger, written);
            module.end(promise);
            drainInto(region, ledger);
            ledger.checkComplete();
            CHECK_EQUAL(ledger.transitions + ledger.dropped, written);
        });
    }
}

/// Without lanes, times then come from the system clock, whether or not the engine fences.
CT_CASE(aClockThatStandsStillIsGivenUp)
{
    for (const bool engineFences : {true, false}) {
        const probetest::Region region(probetest::RegionOptions{.engineFences = engineFences});
        inChild([&] {
            const Module module;
            module.init();
            void *const promise = module.make();
            module.events(promise, 10);
            module.freeze();
            module.events(promise, 8);
            // It may be ahead of the system clock, because so soon after the start the counter's rate is inaccurate.
            const std::uint64_t frozen = region.events(0).back().timestamp;
            std::uint64_t before = corotracer::detail::monotonic_ns();
            const std::uint64_t written = untilNoticed(module, promise, [&] {
                const std::uint64_t latest = region.events(0).back().timestamp;
                const bool isNoticed = latest != frozen && latest >= before;
                before = corotracer::detail::monotonic_ns();
                return isNoticed;
            });
            CHECK(written != 0);
            const std::uint64_t emitted = region.emitted(0);
            module.events(promise, 8);
            CHECK_EQUAL(region.emitted(0), emitted + 8);
            std::uint64_t last = before;
            for (const probetest::Event &event : region.events(0)) {
                CHECK(event.timestamp >= last && event.timestamp <= corotracer::detail::monotonic_ns());
                last = event.timestamp;
            }
            module.end(promise);
        });
    }
}

/// A counter that never moved is not used from the start.
CT_CASE(aCounterThatNeverMovedIsNotUsed)
{
    const Region region;
    inChild([&] {
        const Module module;
        module.freeze();
        module.init();
        CHECK_EQUAL(region.process(0).clock_kind.load(), kClockMonotonic);
        void *const promise = module.make();
        const std::uint64_t before = corotracer::detail::monotonic_ns();
        module.events(promise, 4);
        for (const Record &record : drainAll(region))
            CHECK(record.kind == kRecordBirth ||
                  (record.ts >= before && record.ts <= corotracer::detail::monotonic_ns()));
        module.end(promise);
    });
}

CT_CASE(aSteadyCounterIsKept)
{
    const Region region;
    inChild([&] {
        const Module module;
        module.init();
        if (!usesCounter(region))
            return;
        Ledger ledger;
        void *const promise = module.make();
        for (int i = 0; i < 5; ++i)
            untilNextPair(module, promise, region, ledger);
        CHECK_EQUAL(region.process(0).clock_kind.load(), kClockCounter);
    });
}

/// Threads on two cores run one coroutine in turn, and the counter of one core is behind. The engine accounts for each
/// event.
CT_CASE(aCounterThatIsBehindOnAnotherCoreIsGivenUp)
{
    const ct::test::TempDir directory;
    ct::RegionSpec spec;
    spec.path = directory.file("region.shm");
    spec.stations = 1000;
    spec.lanePoolBytes = 64 << 20;
    auto region = ct::Region::create(spec);
    REQUIRE(region);
    HarvestLoop loop(*region);
    void *const shared =
        ::mmap(nullptr, sizeof(std::atomic<bool>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    REQUIRE(shared != MAP_FAILED);
    auto &isKnown = *new (shared) std::atomic<bool>(false);  // set once the engine knows
    const pid_t child = ::fork();
    if (child == 0) {
        ::setenv("CTP_SHM_PATH", spec.path.c_str(), 1);
        ::setenv("CTP_SOCK_PATH", directory.file("none.sock").c_str(), 1);
        ::setenv("CTP_MAX_STATIONS", "1000", 1);
        const Module module;
        module.init();
        if (region->processes()[0].clock_kind.load() != kClockCounter) {
            ct::test::reportSkip(__FILE__, __LINE__, "this machine has no counter that the kernel trusts");
            ::_exit(ct::test::kSkipped);
        }
        void *const promise = module.make();
        std::atomic<int> turn{0};
        std::atomic<int> rest{1000};  // turns after the engine knows that the counter is given up
        const auto run = [&](int me) {
            if (me == 1)
                module.jumpOnThisCore(-50'000'000);
            while (rest.load(std::memory_order_relaxed) > 0) {
                if (turn.load(std::memory_order_acquire) % 2 != me) {
                    std::this_thread::yield();
                    continue;
                }
                module.events(promise, 50);
                if (isKnown.load(std::memory_order_relaxed))
                    rest.fetch_sub(1, std::memory_order_relaxed);
                turn.fetch_add(1, std::memory_order_release);
            }
        };
        std::thread other(run, 1);
        run(0);
        other.join();
        module.end(promise);
        ::_exit(0);
    }
    ct::Batch batch;
    std::uint64_t received = 0;
    std::uint64_t next = 0;
    const auto collect = [&] {
        for (const ct::Transition &transition : batch.transitions) {
            CHECK(transition.n >= next);
            next = transition.n + 1;
        }
        received += batch.transitions.size();
        batch.clear();
    };
    int status = 0;
    std::uint64_t lostByTime = 0;
    while (::waitpid(child, &status, WNOHANG) == 0) {
        loop.pass(batch);
        collect();
        if (!isKnown.load(std::memory_order_relaxed) && loop.accounting().timesApproximate) {
            lostByTime = loop.accounting().lost;
            isKnown.store(true, std::memory_order_relaxed);
        }
    }
    while (!loop.finalDrain(batch))
        collect();
    collect();
    CHECK(WIFEXITED(status));
    if (check::isSkip(status))
        return;
    const ct::Accounting sums = loop.accounting();
    CHECK_EQUAL(sums.captured, received);
    CHECK_EQUAL(sums.captured + sums.lost, next);
    CHECK(sums.timesApproximate);
    // Before the engine knows that the times are wrong, it may count an event as lost because of its time.
    CHECK(sums.lost <= lostByTime + sums.recordsDropped);
    ::munmap(shared, sizeof(std::atomic<bool>));
}

}  // namespace
