// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Tests of the test programs. Each program runs untraced and ends as documented. Its reported counts equal the counts
// in the region, which this test reads without the engine.
#include "tests/support/check.h"

#include "programrun.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>

namespace {

using targets::Run;
using targets::runProgram;

std::uint64_t figure(const Run &run, const char *name)
{
    const auto found = run.truth.find(name);
    return found == run.truth.end() ? UINT64_MAX : found->second;
}

/// Runs a program that writes the seqlock dialect, and compares its counts with the region.
Run checkedRun(const std::vector<std::string> &arguments, std::uint32_t stations)
{
    const Run run = runProgram(arguments, {.stations = stations});
    CHECK_EQUAL(run.exitStatus, 0);
    CHECK_EQUAL(run.errors, "");
    CHECK_EQUAL(figure(run, "emitted"), run.eventsSeqlock);
    CHECK_EQUAL(figure(run, "traced_coroutines"), run.born);
    CHECK_EQUAL(figure(run, "unfinished"), run.alive);
    CHECK_EQUAL(figure(run, "traced_coroutines") + figure(run, "untraced"), run.allocated);
    return run;
}

}  // namespace

CT_CASE(untracedProgramsEndWell)
{
    const std::vector<std::vector<std::string>> programs = {
        {"ct_server_healthy", "--seconds", "1"},
        {"ct_server_lossy", "--seconds", "1"},
        {"ct_storm"},
        {"ct_shortlived", "--count", "1000"},
        {"ct_slow", "--seconds", "0"},
        {"ct_fork", "--children", "2"},
        {"ct_monotonicseq"},
        {"ct_oldsdk"},
        {"ct_many", "--seconds", "1"},
        {"ct_hostile", "--seconds", "0"},
        {"ct_untraced", "--seconds", "0"},
        {"ct_processes"},
        {"ct_kill", "--seconds", "1"},
        {"ct_causality"},
        {"ct_ucontext", "--lose"},
        {"ct_images"},
        {"ct_storm", "--order", "random", "--threads", "3"},
        {"ct_storm", "--order", "round", "--rate", "1000000", "--transitions", "100000"},
    };
    for (const auto &arguments : programs) {
        const Run run = runProgram(arguments);
        CHECK_EQUAL(arguments.front() + " " + std::to_string(run.exitStatus), arguments.front() + " 0");
        CHECK_EQUAL(arguments.front() + run.errors, arguments.front());
        CHECK(!run.output.empty());
        CHECK_EQUAL(figure(run, "emitted"), 0U);
        CHECK_EQUAL(figure(run, "traced_coroutines"), 0U);
    }
}

CT_CASE(badArgumentsAreNamed)
{
    const std::vector<std::vector<std::string>> wrong = {{"ct_storm", "--threads", "0"},
                                                         {"ct_storm", "--threads", "-1"},
                                                         {"ct_storm", "--threads"},
                                                         {"ct_many", "--coroutines", "many"},
                                                         {"ct_monotonicseq", "--no-socket=1"},
                                                         {"ct_hostile", "--mode", "polite"},
                                                         {"ct_slow", "--seconds", "99999999999999999999999"},
                                                         {"ct_ucontext", "--rounds", "-1"},
                                                         {"ct_ucontext", "--round"},
                                                         {"ct_server_lossy", "--sconds", "3"}};
    for (const auto &arguments : wrong) {
        const Run run = runProgram(arguments);
        CHECK_EQUAL(run.exitStatus, 2);
        CHECK(run.errors.find(arguments[1].substr(0, arguments[1].find('='))) != std::string::npos);
        CHECK_EQUAL(run.output, "");
    }
}

CT_CASE(stormWritesExactlyTheRequestedEvents)
{
    const Run run = checkedRun({"ct_storm", "--coroutines", "300", "--threads", "4", "--transitions", "100001"}, 1000);
    CHECK_EQUAL(run.eventsSeqlock, 100'000U);
    CHECK_EQUAL(run.born, 300U);
    CHECK_EQUAL(run.alive, 0U);
}

CT_CASE(stormCountsCoroutinesWithoutStations)
{
    const Run run = checkedRun({"ct_storm", "--coroutines", "100", "--transitions", "20000"}, 40);
    CHECK_EQUAL(run.born, 40U);
    CHECK_EQUAL(figure(run, "untraced"), 60U);
    CHECK_EQUAL(run.eventsSeqlock, 8'000U);
}

CT_CASE(otherWritersWriteExactlyTheRequestedEvents)
{
    const Run old = checkedRun({"ct_oldsdk", "--coroutines", "30", "--transitions", "50000"}, 20);
    CHECK_EQUAL(old.born, 20U);
    const Run mono = runProgram({"ct_monotonicseq", "--coroutines", "30", "--transitions", "60000"}, {.stations = 20});
    CHECK_EQUAL(mono.exitStatus, 0);
    CHECK_EQUAL(mono.born, 20U);
    CHECK_EQUAL(mono.eventsMonotonic, 40'000U);
    CHECK_EQUAL(figure(mono, "emitted"), 40'000U);
}

CT_CASE(shortlivedAndSlowAndForkHaveExactSums)
{
    const Run brief = checkedRun({"ct_shortlived", "--count", "5000", "--alive", "10"}, 8000);
    CHECK_EQUAL(brief.eventsSeqlock, 20'000U);
    const Run slow = checkedRun({"ct_slow", "--seconds", "1"}, 10);
    CHECK_EQUAL(slow.born, 5U);
    const Run forked = checkedRun({"ct_fork", "--children", "5"}, 100);
    CHECK_EQUAL(forked.born, 3U + 5U);
    CHECK_EQUAL(figure(forked, "failed_children"), 0U);
}

CT_CASE(stormsOfAnyOrderHaveExactSums)
{
    for (const char *order : {"wander", "round", "random"}) {
        const Run run = checkedRun({"ct_storm", "--order", order, "--coroutines", "300", "--threads", "3", "--rate",
                                    "10000000", "--transitions", "100000"},
                                   1000);
        CHECK_EQUAL(run.eventsSeqlock, 100'000U);
    }
}

/// In the region of a version-1 engine, this project's probe writes as a version-1 probe does.
CT_CASE(targetsWriteVersion1ForAVersion1Engine)
{
    const std::vector<std::vector<std::string>> programs = {
        {"ct_storm", "--order", "random", "--transitions", "50000", "--coroutines", "100"},
        {"ct_causality"},
        {"ct_kill", "--seconds", "1", "--coroutines", "50", "--visits-per-ms", "5"},
    };
    for (const auto &arguments : programs) {
        const Run run = runProgram(arguments, {.stations = 20'000, .versionOne = true});
        CHECK_EQUAL(run.exitStatus, 0);
        CHECK_EQUAL(run.errors, "");
        CHECK_EQUAL(figure(run, "emitted"), run.eventsSeqlock);
        CHECK_EQUAL(figure(run, "traced_coroutines"), run.born);
        CHECK_EQUAL(run.alive, 0U);
        CHECK(!run.touchedReserved);
    }
}

CT_CASE(processesAndCausalityHaveExactSums)
{
    const Run processes = checkedRun({"ct_processes", "--processes", "3", "--coroutines", "20", "--turns", "50"}, 100);
    CHECK_EQUAL(processes.eventsSeqlock, 3 * 20 * 50 * 2U);
    CHECK_EQUAL(figure(processes, "failed_children"), 0U);
    const Run causality = checkedRun({"ct_causality", "--workers", "7", "--rounds", "4"}, 100);
    CHECK_EQUAL(figure(causality, "names"), 8U);
    CHECK_EQUAL(figure(causality, "wakes"), 7U * 6 * 4);
}

/// Each pair has 4 * rounds + 4 events: both tasks begin and end, and both suspend once per round. The pair that loses
/// its wake-up has 8. So count the suspensions of the source.
CT_CASE(ucontextTasksHaveExactSums)
{
    const Run healthy = checkedRun({"ct_ucontext", "--pairs", "7", "--rounds", "20"}, 100);
    CHECK_EQUAL(healthy.eventsSeqlock, 7U * (4 * 20 + 4));
    CHECK_EQUAL(healthy.output, "sum 1470, 0 tasks wait for ever\n");
    CHECK_EQUAL(figure(healthy, "wakes"), 7U * 20);
    const Run lossy = runProgram({"ct_ucontext", "--pairs", "1", "--rounds", "1", "--lose"}, {.stations = 100});
    CHECK_EQUAL(lossy.exitStatus, 0);
    CHECK_EQUAL(lossy.eventsSeqlock, 8U + 8);
    CHECK_EQUAL(lossy.output, "sum 1, 1 tasks wait for ever\n");
}

/// Without lanes, too, several probes in one process trace everything.
CT_CASE(imagesHaveExactSums)
{
    const Run run = checkedRun({"ct_images", "--events", "500", "--rounds", "2", "--fork"}, 500);
    CHECK(figure(run, "probes") >= 5);
    CHECK_EQUAL(run.eventsSeqlock % 500, 0U);
    CHECK_EQUAL(figure(run, "untraced"), 0U);
}

CT_CASE(manyWaitForTheSignal)
{
    const Run run = runProgram({"ct_many", "--coroutines", "2000"},
                               {.stations = 2000, .afterFirstOutput = [](int pid) { ::kill(pid, SIGTERM); }});
    CHECK_EQUAL(run.exitStatus, 0);
    CHECK_EQUAL(run.eventsSeqlock, 4'000U);
    CHECK_EQUAL(figure(run, "emitted"), 4'000U);
}

CT_CASE(crashLeavesItsEventsInTheRegion)
{
    const Run inTheMidst = runProgram({"ct_crash", "--after", "100"}, {.stations = 100});
    CHECK_EQUAL(inTheMidst.signal, SIGSEGV);
    CHECK(inTheMidst.truth.empty());
    CHECK_EQUAL(inTheMidst.alive, 51U);
    const Run exact = runProgram({"ct_crash", "--exact", "--after", "100"}, {.stations = 100});
    CHECK_EQUAL(exact.signal, SIGSEGV);
    CHECK_EQUAL(figure(exact, "emitted"), exact.eventsSeqlock);
    CHECK_EQUAL(figure(exact, "unfinished"), 50U);
}

CT_CASE(untracedWritesNothingIntoTheRegion)
{
    const Run run = runProgram({"ct_untraced", "--seconds", "0"}, {.stations = 100});
    CHECK_EQUAL(run.exitStatus, 0);
    CHECK_EQUAL(run.allocated, 0U);
    CHECK_EQUAL(figure(run, "untraced"), 10U);
}

CT_CASE(hostileExitsNormallyInEveryMode)
{
    for (const char *mode : {"scribble", "header", "allocated", "seqs", "dead", "sites"}) {
        const Run run = runProgram({"ct_hostile", "--mode", mode, "--seconds", "1"}, {.stations = 300});
        CHECK_EQUAL(run.exitStatus, 0);
        CHECK_EQUAL(run.output, std::string("damage done: ") + mode + "\n");
    }
}

/// The value 1 means the default path and is not a file name, as for InitTracer.
CT_CASE(flightRecorder1IsTheDefaultPath)
{
    ::setenv("CTP_FLIGHT_RECORDER", "1", 1);
    const Run run = runProgram({"ct_flight", "--turns", "1"});
    ::unsetenv("CTP_FLIGHT_RECORDER");
    CHECK_EQUAL(run.exitStatus, 0);
    const std::string path = run.output.substr(0, run.output.find('\n'));
    CHECK(path.rfind("/", 0) == 0 && path.find("-flight-") != std::string::npos);
    CHECK(std::filesystem::remove(path));
    CHECK(!std::filesystem::exists("1"));
}

CT_CASE(healthyServerLeavesNoCoroutineAlive)
{
    const Run run = checkedRun({"ct_server_healthy", "--seconds", "2"}, 5000);
    CHECK_EQUAL(run.alive, 0U);
    CHECK_EQUAL(figure(run, "wrong_answers"), 0U);
    CHECK(figure(run, "requests") > 100);
}

CT_CASE(lossyServerLosesOnlyWakeUpsOfHandlers)
{
    // About one hang-up in 32 loses a wake-up, and a slow machine has fewer hang-ups per run.
    Run run;
    for (int runs = 0; run.alive == 0 && runs < 20; ++runs)
        run = checkedRun({"ct_server_lossy", "--seconds", "6"}, 5000);
    CHECK(run.alive > 0);
    CHECK_EQUAL(figure(run, "wrong_answers"), 0U);
    REQUIRE(run.sites.size() == 1);
    CHECK(run.sites.begin()->first.find("handleConnection") != std::string::npos);
    CHECK_EQUAL(run.sites.begin()->second, run.alive);
}
