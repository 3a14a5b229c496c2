// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// No wake-up is lost. The engine sleeps on an eventfd without a time-out, so one lost byte would hang the test.
#include "tests/support/check.h"
#include "tests/support/harvestloop.h"
#include "tests/support/regions.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <thread>
#include <unistd.h>

using ct::Batch;
using ct::Region;
using writers::Style;
using writers::Writer;

namespace {

struct Waiter {
    Waiter() : fd(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}
    ~Waiter() { ::close(fd); }
    void wake() const
    {
        const std::uint64_t one = 1;
        [[maybe_unused]] const ssize_t ignored = ::write(fd, &one, sizeof one);
    }
    /// Returns false on a time-out.
    bool wait(int milliseconds) const
    {
        pollfd waiting{fd, POLLIN, 0};
        if (::poll(&waiting, 1, milliseconds) <= 0)
            return false;
        std::uint64_t count;
        [[maybe_unused]] const ssize_t ignored = ::read(fd, &count, sizeof count);
        return true;
    }
    int fd;
};

/// The reaction of a writer that found the flag set and won the exchange.
enum class Answer { Byte, Nothing, Sometimes };

/// The engine: harvests until `total` events, sleeps whenever it may, and counts its sleeps in `sleeps`. Returns false
/// after ten seconds without any sign.
bool harvest(HarvestLoop &loop, const Waiter &waiter, std::atomic<std::uint64_t> &seen,
             std::atomic<std::uint64_t> &sleeps, std::uint64_t total, Answer answer)
{
    Batch batch;
    bool hung = false;
    while (seen.load(std::memory_order_relaxed) < total && !hung) {
        batch.clear();
        const bool quiet = loop.prepareSleep(batch);
        // Release: partner is the writer's acquire wait for its event to be seen.
        seen.fetch_add(batch.transitions.size(), std::memory_order_release);
        if (!quiet)
            continue;
        // Release: partner is the writer's acquire wait for the first sleep.
        sleeps.fetch_add(1, std::memory_order_release);
        if (answer == Answer::Byte)
            hung = !waiter.wait(10'000);
        else
            while (loop.stillQuiet() && !waiter.wait(1)) {
            }
        loop.cancelSleep();
    }
    return !hung;
}

void run(Style style, Answer answer, std::uint64_t cycles)
{
    const regions::TempDir dir;
    auto region = Region::create({dir.file("r.shm"), 4});
    REQUIRE(region);
    HarvestLoop loop(*region);
    const Waiter waiter;
    std::atomic<std::uint64_t> seen{0};
    std::atomic<std::uint64_t> sleeps{0};
    std::atomic<bool> stop{false};
    corotracer::GlobalHeader &header = *region->writableHeader();
    Writer writer(*writers::allocateFullStation(header), style, 1);
    writer.create();
    std::thread target([&] {
        // The first event finds the engine asleep, however the two threads are scheduled.
        while (sleeps.load(std::memory_order_acquire) == 0)
            std::this_thread::yield();
        std::uint64_t won = 0;
        for (std::uint64_t i = 0; i < cycles; ++i) {
            writer.write();
            if (writers::winsWakeUp(header) && (answer == Answer::Byte || (answer == Answer::Sometimes && ++won % 2)))
                waiter.wake();
            // One event at a time: the next one comes when the engine is about to sleep again.
            while (seen.load(std::memory_order_acquire) <= i && !stop.load(std::memory_order_relaxed))
                std::this_thread::yield();
        }
    });
    const bool awake = harvest(loop, waiter, seen, sleeps, cycles, answer);
    stop.store(true);
    target.join();
    CHECK(awake);
    CHECK_EQUAL(seen.load(), cycles);
    CHECK_EQUAL(loop.accounting().lost, 0u);
}

}  // namespace

CT_CASE(noWakeUpIsLostInAHundredThousandCycles)
{
    run(Style::Ours, Answer::Byte, 100'000);
}
CT_CASE(noWakeUpIsLostWithMonotonicWriters)
{
    run(Style::Monotonic, Answer::Byte, 20'000);
}
/// The winner of the exchange was killed before it sent a byte, or has no socket. The engine's check of the flag
/// notices it.
CT_CASE(noWakeUpIsLostIfTheWinnerNeverWrites)
{
    run(Style::Ours, Answer::Nothing, 2'000);
}
CT_CASE(noWakeUpIsLostIfTheWinnerWritesSometimes)
{
    run(Style::OldSdk, Answer::Sometimes, 2'000);
}

CT_CASE(eventsBeforeTheAnnouncementAreFound)
{
    const regions::TempDir dir;
    auto region = Region::create({dir.file("r.shm"), 4});
    REQUIRE(region);
    HarvestLoop loop(*region);
    Batch batch;
    CHECK(loop.prepareSleep(batch));
    CHECK_EQUAL(region->header().tracer_sleeping.load(), 1u);
    CHECK(loop.stillQuiet());
    Writer writer(*writers::allocateFullStation(*region->writableHeader()), Style::Ours, 1);
    CHECK(!loop.stillQuiet());  // a station was allocated
    loop.cancelSleep();
    CHECK_EQUAL(region->header().tracer_sleeping.load(), 0u);
    writer.create();
    CHECK(!loop.prepareSleep(batch));
    CHECK_EQUAL(batch.births.size(), 1u);
    CHECK_EQUAL(region->header().tracer_sleeping.load(), 0u);
    batch.clear();
    CHECK(loop.prepareSleep(batch));
    writer.write();
    CHECK(writers::winsWakeUp(*region->writableHeader()));
    CHECK(!writers::winsWakeUp(*region->writableHeader()));
    CHECK(!loop.stillQuiet());
}
