// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The decisions of the probe's clock, with simulated readings and time. One case reads the real clock.
#include "probetest.h"

#include <fstream>
#include <memory>
#include <thread>

namespace {

using namespace corotracer::detail;

/// A counter at 2.6 GHz that started long ago.
constexpr std::uint64_t kStart = 1'000'000'000'000'000ULL;
constexpr std::uint64_t kStartNs = 500'000'000'000ULL;

/// A simulated machine: the true time and its counter.
struct Machine {
    double ticksPerNs = 2.6;
    std::uint64_t counter = kStart;
    std::uint64_t ns = kStartNs;
    void pass(std::uint64_t nanoseconds)
    {
        ns += nanoseconds;
        counter += static_cast<std::uint64_t>(static_cast<double>(nanoseconds) * ticksPerNs);
    }
    clock_pair read(std::int64_t error = 0) const { return {counter, ns + static_cast<std::uint64_t>(error), 20}; }
    std::int64_t errorOf(const clock_line &line) const { return static_cast<std::int64_t>(to_ns(line, counter) - ns); }
};

/// Calibrates a clock over 150 us. The second reading is wrong by `error` ns.
clock_state calibrated(Machine &machine, std::int64_t error = 0)
{
    const clock_pair begin = machine.read();
    machine.pass(150'000);
    return first_clock(begin, machine.read(error));
}

std::uint64_t intervalNs(const clock_state &state)
{
    return scale(state.line.interval, state.line.mult);
}

/// The kernel's verdict on the counter counts, not only CPUID.
CT_CASE(theKernelDecidesWhetherTheCounterIsTrusted)
{
    CHECK(is_tsc_trusted("tsc kvm-clock \n", "tsc\n"));
    CHECK(is_tsc_trusted("kvm-clock tsc hpet acpi_pm \n", "kvm-clock\n"));
    CHECK(is_tsc_trusted("tsc-early hpet", "tsc-early"));
    CHECK(!is_tsc_trusted("hpet acpi_pm \n", "hpet\n"));     // marked unstable
    CHECK(!is_tsc_trusted("tsc hpet acpi_pm\n", "hpet\n"));  // marked unstable, but listed nevertheless
    CHECK(!is_tsc_trusted("kvm-clock\n", "kvm-clock\n"));
    CHECK(!is_tsc_trusted("atsc tscs\n", "tscs\n"));
    CHECK(!is_tsc_trusted(" \n", ""));
    CHECK(is_tsc_trusted("", ""));  // unknown
    CHECK(is_tsc_trusted("", "tsc\n"));
    CHECK(!is_tsc_trusted("", "acpi_pm\n"));
    const ct::test::TempDir directory;
    CHECK(does_kernel_trust_tsc(directory.file("none").c_str()));
    CHECK(does_kernel_trust_tsc(std::string(2000, 'x').c_str()));
    std::ofstream(directory.file("available_clocksource")) << "hpet acpi_pm \n";
    CHECK(!does_kernel_trust_tsc(directory.path().c_str()));
    std::ofstream(directory.file("available_clocksource")) << "tsc hpet acpi_pm \n";
    CHECK(does_kernel_trust_tsc(directory.path().c_str()));
    std::ofstream(directory.file("current_clocksource")) << "acpi_pm\n";
    CHECK(!does_kernel_trust_tsc(directory.path().c_str()));
}

CT_CASE(conversionIsExact)
{
    const clock_line line{1000, 5000, std::uint64_t{3} << 31, 1};  // 1.5 ns per tick
    CHECK_EQUAL(to_ns(line, 1000), 5000U);
    CHECK_EQUAL(to_ns(line, 1002), 5003U);
    CHECK_EQUAL(to_ns(line, 998), 4997U);
    CHECK_EQUAL(to_ns(line, 0), 3500U);
    CHECK_EQUAL(to_ns({1'000'000'000, 10, std::uint64_t{1} << 32, 1}, 0), 0U);
    // 2^40 ticks at a steep slope: the product needs more than 64 bits.
    CHECK_EQUAL(to_ns({0, 0, std::uint64_t{40} << 32, 1}, std::uint64_t{1} << 40), std::uint64_t{40} << 40);
    CHECK_EQUAL(slope(1'000'000, 2'600'000), (std::uint64_t{1} << 32) * 10 / 26);
}

CT_CASE(followsASteadyClock)
{
    Machine machine;
    clock_state state = calibrated(machine, 40);  // 270 ppm off
    std::uint64_t last = 0;
    for (int check = 0; check < 40; ++check) {
        machine.pass(intervalNs(state) + 1000);
        const std::int64_t error = machine.errorOf(state.line);
        CHECK(error > -2000 && error < 2000);
        if (check > 10)
            CHECK(error > -100 && error < 100);
        const clock_state next = next_clock(state, machine.read(check % 3 * 20 - 20), machine.counter);
        const std::uint64_t before = to_ns(state.line, machine.counter);
        const std::uint64_t after = to_ns(next.line, machine.counter);
        CHECK_EQUAL(after, before);  // continuous
        CHECK(after > last);
        CHECK_EQUAL(next.bad, 0U);
        last = after;
        state = next;
    }
    CHECK(intervalNs(state) > last_check_ns * 99 / 100 && intervalNs(state) < last_check_ns * 101 / 100);
}

CT_CASE(intervalDoubles)
{
    Machine machine;
    clock_state state = calibrated(machine);
    CHECK(intervalNs(state) > 990'000 && intervalNs(state) < 1'010'000);
    const std::uint64_t first = state.line.interval;
    machine.pass(1'000'000);
    state = next_clock(state, machine.read(), machine.counter);
    CHECK_EQUAL(state.line.interval, 2 * first);
}

CT_CASE(aSlewedClockIsCorrectedAtTheNextCheck)
{
    Machine machine;
    clock_state state = calibrated(machine);
    for (int i = 0; i < 10; ++i) {
        machine.pass(intervalNs(state));
        state = next_clock(state, machine.read(), machine.counter);
    }
    machine.ticksPerNs *= 1.0005;  // NTP slews by 500 ppm
    machine.pass(intervalNs(state));
    const std::int64_t error = machine.errorOf(state.line);
    CHECK(error > 60'000 && error < 68'000);
    state = next_clock(state, machine.read(), machine.counter);
    CHECK_EQUAL(state.bad, 0U);
    machine.pass(intervalNs(state));
    CHECK(std::abs(machine.errorOf(state.line)) < 200);
}

CT_CASE(stepsForwardWhenLate)
{
    Machine machine;
    clock_state state = calibrated(machine);
    machine.pass(1'000'000);
    machine.ns += 5'000'000;  // the counter stood still
    state = next_clock(state, machine.read(), machine.counter);
    CHECK_EQUAL(state.bad, 1U);
    CHECK(std::abs(machine.errorOf(state.line)) < 10);
    CHECK(intervalNs(state) < 1'100'000);
    machine.pass(1'000'000);
    CHECK(std::abs(machine.errorOf(state.line)) < 1000);
    state = next_clock(state, machine.read(), machine.counter);
    CHECK_EQUAL(state.bad, 0U);
}

CT_CASE(neverStepsBackWhenEarly)
{
    Machine machine;
    clock_state state = calibrated(machine);
    machine.pass(1'000'000);
    machine.counter += 2'600'000;  // 1 ms ahead
    const std::uint64_t shown = to_ns(state.line, machine.counter);
    state = next_clock(state, machine.read(), machine.counter);
    CHECK_EQUAL(state.bad, 1U);
    CHECK_EQUAL(to_ns(state.line, machine.counter), shown);
    std::uint64_t last = shown;
    for (int i = 0; i < 100; ++i) {
        machine.pass(10'000);
        CHECK(to_ns(state.line, machine.counter) > last);
        last = to_ns(state.line, machine.counter);
    }
}

CT_CASE(givesUpACounterThatJumpsRepeatedly)
{
    Machine machine;
    clock_state state = calibrated(machine);
    std::uint64_t shown = 0;
    for (int i = 0; i < 3; ++i) {
        CHECK(state.line.interval != 0);
        machine.pass(1'000'000);
        machine.counter += 10'000'000;
        shown = to_ns(state.line, machine.counter);
        const std::uint64_t reach = to_ns(state.line, state.line.base_counter + line_reach * state.line.interval);
        shown = shown < reach ? shown : reach;
        state = next_clock(state, machine.read(), machine.counter);
    }
    CHECK_EQUAL(state.line.interval, 0U);
    CHECK(state.line.base_ns >= shown);  // the floor
    CHECK_EQUAL(next_clock(state, machine.read(), machine.counter).line.interval, 0U);
}

CT_CASE(givesUpACounterThatStandsStillOrRunsBack)
{
    Machine machine;
    const clock_state state = calibrated(machine);
    machine.ns += 1'000'000;
    CHECK_EQUAL(next_clock(state, machine.read(), machine.counter).line.interval, 0U);
    machine.counter -= 1'000'000;
    const clock_state back = next_clock(state, machine.read(), machine.counter);
    CHECK_EQUAL(back.line.interval, 0U);
    CHECK(back.line.base_ns >= kStartNs + 150'000);
    CHECK_EQUAL(first_clock(machine.read(), machine.read()).line.interval, 0U);
}

CT_CASE(sleepsOverALongPause)
{
    // For an hour no thread read the clock, and the machine slept while its counter ran. No time was shown, so nothing
    // holds time back.
    Machine machine;
    clock_state state = calibrated(machine);
    machine.counter += std::uint64_t{3600} * 2'600'000'000ULL;
    machine.pass(500'000'000);
    state = next_clock(state, machine.read(), machine.counter);
    CHECK_EQUAL(state.bad, 1U);
    CHECK(std::abs(machine.errorOf(state.line)) < 100);
}

CT_CASE(uncertainReadingsAreForgiven)
{
    Machine machine;
    const clock_state state = calibrated(machine);
    machine.pass(1'000'000);
    clock_pair disturbed = machine.read(60'000);
    CHECK_EQUAL(next_clock(state, disturbed, machine.counter).bad, 1U);
    disturbed.uncertainty_ns = 40'000;
    CHECK_EQUAL(next_clock(state, disturbed, machine.counter).bad, 0U);
}

CT_CASE(aSlowCounterIsAccurate)
{
    Machine machine;
    machine.ticksPerNs = 0.024;  // 24 MHz
    clock_state state = calibrated(machine);
    for (int i = 0; i < 12; ++i) {
        machine.pass(intervalNs(state) + 100);
        CHECK(std::abs(machine.errorOf(state.line)) < 2000);
        state = next_clock(state, machine.read(), machine.counter);
        CHECK_EQUAL(state.bad, 0U);
    }
}

CT_CASE(usesTheSystemClockWithoutACounter)
{
    const auto clock = std::make_unique<shared_clock>();
    install(*clock, without_counter(0));
    clock_line line;
    const std::uint64_t before = monotonic_ns();
    const std::uint64_t now = clock_now(*clock, line);
    CHECK(before <= now && now <= monotonic_ns());
    install(*clock, without_counter(now + 1'000'000'000'000));
    CHECK_EQUAL(clock_now(*clock, line), now + 1'000'000'000'000);
}

/// A line through the present that is not due for long, and one below it.
CT_CASE(aThreadsTimeNeverGoesBack)
{
    constexpr std::uint64_t kInterval = std::uint64_t{1} << 38;
    const auto clock = std::make_unique<shared_clock>();
    clock_state state;
    state.rate = std::uint64_t{1} << 31;  // 0.5 ns per tick
    state.line = {read_counter() - 1'000'000, 1'000'000'000'000, state.rate, kInterval};
    install(*clock, state);
    clock_line mine;
    const std::uint64_t first = clock_now(*clock, mine);
    CHECK_EQUAL(mine.base_ns, state.line.base_ns);
    state.line.base_ns -= 30'000'000'000;  // the checker was interrupted for long before it installed this
    install(*clock, state);
    const std::uint64_t second = clock_now(*clock, mine);
    CHECK(second >= first);
    CHECK_EQUAL(to_ns(mine, mine.base_counter), second);
    // The thread's line reaches the new line at the end of the interval, and is due then.
    const std::uint64_t end = state.line.base_counter + kInterval;
    CHECK_EQUAL(mine.base_counter + mine.interval, end);
    const std::uint64_t expected = to_ns(state.line, end);
    CHECK(to_ns(mine, end) <= expected && to_ns(mine, end) + 100 > expected);
    CHECK(mine.mult >= state.rate / 2);
    // A new thread starts on the clock's line at once.
    clock_line fresh;
    const std::uint64_t other = clock_now(*clock, fresh);
    CHECK(other < first);
    CHECK_EQUAL(fresh.base_ns, state.line.base_ns);
}

/// Time does not go back for a thread that reads while another one checks, nor with the system clock.
CT_CASE(timeNeverGoesBackDuringAnotherThreadsCheck)
{
    constexpr std::uint64_t kInterval = std::uint64_t{1} << 32;
    const auto clock = std::make_unique<shared_clock>();
    clock->busy.store(1);
    clock_state state;
    state.rate = std::uint64_t{1} << 31;
    state.line = {read_counter() - 2 * kInterval, monotonic_ns() + 1'000'000'000'000, state.rate, kInterval};
    install(*clock, state);
    clock_line mine;
    const std::uint64_t first = clock_now(*clock, mine);
    CHECK(first >= to_ns(state.line, state.line.base_counter + 2 * kInterval));
    CHECK_EQUAL(mine.interval, 0U);  // due
    state.line.base_ns -= 60'000'000'000;
    install(*clock, state);
    const std::uint64_t second = clock_now(*clock, mine);
    CHECK(second >= first);
    install(*clock, without_counter(0));
    CHECK(clock_now(*clock, mine) >= second);
}

/// Only times that a thread has read count as shown.
CT_CASE(onlyTimesThatWereReadCountAsShown)
{
    const clock_line line{1000, 5000, std::uint64_t{1} << 32, 100};
    CHECK_EQUAL(latest_shown(line, 1050), 5050U);
    CHECK_EQUAL(latest_shown(line, 1'000'000), 5100U);
    CHECK_EQUAL(latest_shown(line, 990), 4990U);
    CHECK_EQUAL(latest_shown({}, kStart), 0U);
    // Too far above the line to meet it at half speed.
    const clock_line slow = bend(line, 1050, 7000);
    CHECK_EQUAL(to_ns(slow, 1050), 7000U);
    CHECK_EQUAL(to_ns(slow, 1100), 7025U);
}

CT_CASE(theRealClockIsMonotoneAndAccurate)
{
    // Under emulation, a thread may be delayed long between reading the clocks and installing the line (see
    // check_clock).
    if (!probetest::kernelHonoursMadvise())
        return;
    const probetest::Region region;
    probetest::inChild([] {
        corotracer::InitTracer();
        // Long enough for several checks, by several threads. The clock itself bounds the loop.
        const auto watch = [] {
            std::uint64_t last = 0;
            const std::uint64_t end = monotonic_ns() + 50'000'000;
            std::uint64_t worst = 0;
            for (std::uint64_t before = 0; (before = monotonic_ns()) < end;) {
                const std::uint64_t now = corotracer::get_ns();
                const std::uint64_t after = monotonic_ns();
                CHECK(now >= last);
                last = now;
                const std::uint64_t off = now < before ? before - now : now > after ? now - after : 0;
                worst = off > worst ? off : worst;
            }
            CHECK(worst < 1'000'000);
        };
        std::thread other(watch);
        watch();
        other.join();
    });
}

}  // namespace
