// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Two shared objects with hidden visibility, loaded at run time, trace into one mapping. This program itself uses the
// probe's header only to read the region.
#include "tests/probe/lanetest.h"
#include "tests/support/harvestloop.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include <dlfcn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

namespace {

using namespace probetest;

struct Module {
    explicit Module(const char *path, int flags = RTLD_LOCAL) : library(::dlopen(path, RTLD_NOW | flags))
    {
        if (!library)
            check::fail(__FILE__, __LINE__, ::dlerror());
        REQUIRE(library != nullptr);
        init = reinterpret_cast<void (*)()>(::dlsym(library, "module_init"));
        run = reinterpret_cast<int (*)()>(::dlsym(library, "module_run"));
        events = reinterpret_cast<int (*)(int)>(::dlsym(library, "module_events"));
        state = reinterpret_cast<const void *(*)()>(::dlsym(library, "module_state"));
        REQUIRE(init && run && events && state);
    }
    void unload() const { REQUIRE(::dlclose(library) == 0); }

    void *library;
    void (*init)() = nullptr;
    int (*run)() = nullptr;
    int (*events)(int) = nullptr;
    const void *(*state)() = nullptr;
};

CT_CASE(twoModulesShareOneState)
{
    const Region region;
    inChild([&] {
        const Module first(PROBE_MODULE_A);
        const Module second(PROBE_MODULE_B);
        CHECK(first.run != second.run);
        CHECK(first.state() == second.state());
        CHECK_EQUAL(first.run(), 0);
        first.init();
        CHECK_EQUAL(first.run(), 1);
        CHECK_EQUAL(second.run(), 1);  // never initialised itself
        second.init();
        CHECK_EQUAL(second.run(), 1);
        CHECK_EQUAL(region.allocated(), 3U);
        CHECK_EQUAL(region.header().extension.born_before_init.load(), 1U);
        for (std::size_t i = 0; i < 3; ++i) {
            CHECK_EQUAL(region.pattern(i), "SR");
            CHECK_EQUAL(region.station(i).header.is_dead.load(), 1);
        }
        // One source line, compiled into both objects, is one site.
        CHECK_EQUAL(region.sites(), 1U);
        CHECK_EQUAL(region.events(0)[0].site, region.events(2)[0].site);
    });
}

CT_CASE(forkedModulesAreOff)
{
    const Region region;
    inChild([&] {
        const Module first(PROBE_MODULE_A);
        const Module second(PROBE_MODULE_B);
        first.init();
        inChild([&] {
            CHECK_EQUAL(first.run(), 0);
            CHECK_EQUAL(second.run(), 0);
            second.init();
            CHECK_EQUAL(first.run(), 1);
        });
        CHECK_EQUAL(region.allocated(), 1U);
    });
}

/// Objects with separate states are like two processes: neither ends the other's entry.
CT_CASE(twoStatesInOneProcessCoexist)
{
    const lanetest::Region region;
    inChild([&] {
        const Module first(PROBE_MODULE_PRIVATE_A);
        const Module second(PROBE_MODULE_PRIVATE_B);
        CHECK(first.state() != second.state());
        first.init();
        CHECK_EQUAL(first.events(100), 1);
        second.init();
        CHECK_EQUAL(second.events(200), 1);
        CHECK_EQUAL(first.events(300), 1);
        for (std::size_t i = 0; i < 2; ++i) {
            CHECK_EQUAL(region.process(i).state.load(), corotracer::kProcessActive);
            CHECK_EQUAL(region.process(i).pid.load(), static_cast<std::uint32_t>(::getpid()));
            CHECK(region.process(i).image.load() != 0);
            CHECK_EQUAL(region.process(i).image.load(), region.process(0).image.load());
        }
        CHECK_EQUAL(region.lanes(), 2U);
        lanetest::Ledger ledger;
        ledger.add(lanetest::drainAll(region));
        ledger.checkComplete();
        CHECK_EQUAL(ledger.transitions, 600U);
        CHECK_EQUAL(ledger.dead(), 3U);
    });
}

std::ptrdiff_t openFiles()
{
    using Files = std::filesystem::directory_iterator;
    return std::distance(Files("/proc/self/fd"), Files());
}

/// Returns how often a file is mapped.
int mappingsOf(const std::string &path)
{
    std::ifstream maps("/proc/self/maps");
    int count = 0;
    for (std::string line; std::getline(maps, line);)
        count += line.find(path) != std::string::npos ? 1 : 0;
    return count;
}

/// When a module is unloaded, its probe closes its descriptor, its mapping and the lanes of all threads, even of
/// threads that continue. The next module takes over the entry in the process table.
CT_CASE(anUnloadedStateLeavesOnlyItsEntry)
{
    const lanetest::Region region;
    const int engine = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    region.socketPath().copy(address.sun_path, sizeof address.sun_path - 1);
    REQUIRE(::bind(engine, reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0 &&
            ::listen(engine, 8) == 0);
    inChild([&] {
        const std::ptrdiff_t files = openFiles();
        const int mappings = mappingsOf(region.path());
        lanetest::Ledger ledger;
        std::atomic<int> turn{0};
        for (int round = 0; round < 3; ++round) {
            const Module module(PROBE_MODULE_PRIVATE_A);
            module.init();
            CHECK_EQUAL(module.events(100), 1);
            turn.store(0);
            std::thread outlives([&] {
                CHECK_EQUAL(module.events(50), 1);
                turn.store(1);
                while (turn.load() == 1)
                    std::this_thread::yield();
            });
            while (turn.load() == 0)
                std::this_thread::yield();
            CHECK_EQUAL(region.process(0).abandoned.load(), 0U);
            CHECK(mappingsOf(region.path()) > mappings);
            CHECK_EQUAL(openFiles(), files + 1);
            module.unload();
            CHECK_EQUAL(region.process(0).state.load(), corotracer::kProcessActive);
            CHECK_EQUAL(region.process(0).abandoned.load(), region.process(0).init_ns.load());
            CHECK_EQUAL(region.process(1).state.load(), corotracer::kProcessFree);
            for (std::uint32_t i = 0; i < region.lanes(); ++i)
                CHECK_EQUAL(region.lane(i).state.load(), corotracer::kLaneClosed);
            CHECK_EQUAL(openFiles(), files);
            CHECK_EQUAL(mappingsOf(region.path()), mappings);
            ledger.add(lanetest::drainAll(region));  // frees the lanes
            turn.store(2);
            outlives.join();
        }
        ledger.checkComplete();
        CHECK_EQUAL(ledger.transitions, 3U * 150);
        CHECK_EQUAL(region.lanes(), 2U);
    });
    ::close(engine);
}

/// A probe that does not know the mark leaves the one of the entry's earlier owner.
CT_CASE(theMarkOfAnEarlierOwnerAbandonsNothing)
{
    const lanetest::Region region;
    inChild([&] {
        const Module first(PROBE_MODULE_PRIVATE_A);
        const Module second(PROBE_MODULE_PRIVATE_B);
        first.init();
        region.process(0).abandoned.store(region.process(0).init_ns.load() - 1);
        second.init();
        CHECK_EQUAL(region.process(1).state.load(), corotracer::kProcessActive);
    });
}

/// While the program exits, threads still publish.
CT_CASE(anExitAbandonsNothing)
{
    const lanetest::Region region;
    inChild([&] {
        inChild([] {
            static const Module module(PROBE_MODULE_PRIVATE_A);
            // Runs after the function that the module registers in init().
            REQUIRE(::atexit([] { (void)module.events(10); }) == 0);
            module.init();
            (void)module.events(10);
            std::exit(0);
        });
        CHECK_EQUAL(region.process(0).abandoned.load(), 0U);
        lanetest::Ledger ledger;
        ledger.add(lanetest::drainAll(region));
        ledger.checkComplete();
        CHECK_EQUAL(ledger.transitions, 20U);
    });
}

/// A forked child that unloads the parent's module changes nothing of the parent.
CT_CASE(aForkedChildAbandonsNothing)
{
    const lanetest::Region region;
    inChild([&] {
        const Module module(PROBE_MODULE_PRIVATE_A);
        module.init();
        CHECK_EQUAL(module.events(10), 1);
        inChild([&] {
            const std::ptrdiff_t files = openFiles();
            module.unload();
            CHECK(openFiles() <= files);
        });
        CHECK_EQUAL(region.process(0).abandoned.load(), 0U);
        CHECK_EQUAL(region.lane(0).state.load(), corotracer::kLaneActive);
        CHECK_EQUAL(module.events(10), 1);
        CHECK_EQUAL(lanetest::drainAll(region).size(), 2U * 12);
    });
}

/// exec ends all entries that the process had before, whichever state they belong to, and no others.
CT_CASE(execEndsAllStatesOfBefore)
{
    if (!probetest::kernelHonoursMadvise())
        return;  // it cannot start a program of the emulated machine either
    const lanetest::Region region;
    inChild([] {
        const Module first(PROBE_MODULE_PRIVATE_A);
        const Module second(PROBE_MODULE_PRIVATE_B);
        first.init();
        second.init();
        ::execl(PROBE_PRIVILEGED, PROBE_PRIVILEGED, nullptr);
        CHECK(false);
    });
    CHECK_EQUAL(region.process(0).state.load(), corotracer::kProcessEnded);
    CHECK_EQUAL(region.process(1).state.load(), corotracer::kProcessEnded);
    CHECK_EQUAL(region.process(2).state.load(), corotracer::kProcessActive);
    CHECK_EQUAL(region.process(2).pid.load(), region.process(0).pid.load());
    CHECK(region.process(2).image.load() != region.process(0).image.load());
}

/// Leaves the process only one more descriptor: too few to read /proc/self/stat while the region is open.
void leaveOneDescriptor()
{
    const int next = ::dup(0);
    ::close(next);
    const rlimit limit{static_cast<rlim_t>(next) + 1, static_cast<rlim_t>(next) + 1};
    REQUIRE(next > 0 && ::setrlimit(RLIMIT_NOFILE, &limit) == 0);
}

/// An engine counts the events of both states, and one process that starts and ends once. `knowsStart`: the second
/// state can find out when the process started.
void checkOneProcess(bool knowsStart)
{
    const ct::test::TempDir directory;
    ct::RegionSpec spec;
    spec.path = directory.file("region.shm");
    spec.stations = 1000;
    spec.lanePoolBytes = 4 << 20;
    auto region = ct::Region::create(spec);
    REQUIRE(region);
    HarvestLoop loop(*region);
    ct::Batch batch, all;
    const auto collect = [&] {
        all.notes.processes.insert(all.notes.processes.end(), batch.notes.processes.begin(),
                                   batch.notes.processes.end());
        all.notes.processEnds.insert(all.notes.processEnds.end(), batch.notes.processEnds.begin(),
                                     batch.notes.processEnds.end());
        batch.clear();
    };
    int ready[2], go[2];
    REQUIRE(::pipe(ready) == 0 && ::pipe(go) == 0);
    const pid_t child = ::fork();
    if (child == 0) {
        ::setenv("CTP_SHM_PATH", spec.path.c_str(), 1);
        ::setenv("CTP_SOCK_PATH", directory.file("none.sock").c_str(), 1);
        ::setenv("CTP_MAX_STATIONS", "1000", 1);
        const Module first(PROBE_MODULE_PRIVATE_A);
        const Module second(PROBE_MODULE_PRIVATE_B);
        first.init();
        if (!knowsStart)
            leaveOneDescriptor();
        second.init();
        first.events(1000);
        second.events(700);
        char byte = 0;
        (void)!::write(ready[1], &byte, 1);
        (void)!::read(go[0], &byte, 1);
        first.events(300);
        ::_exit(0);
    }
    char byte = 0;
    REQUIRE(::read(ready[0], &byte, 1) == 1);
    while (loop.accounting().captured < 1700) {
        loop.safetyPass(batch);
        collect();
    }
    CHECK_EQUAL(loop.accounting().processes, 1U);
    REQUIRE(::write(go[1], &byte, 1) == 1);
    REQUIRE(::waitpid(child, nullptr, 0) == child);
    while (all.notes.processEnds.empty()) {
        loop.safetyPass(batch);
        collect();
    }
    while (!loop.finalDrain(batch))
        collect();
    collect();
    CHECK_EQUAL(loop.accounting().captured, 2000U);
    CHECK_EQUAL(loop.accounting().lost, 0U);
    CHECK_EQUAL(loop.accounting().coroutines, 3U);
    CHECK_EQUAL(all.notes.processes.size(), 1U);
    CHECK_EQUAL(all.notes.processEnds.size(), 1U);
    for (const int fd : {ready[0], ready[1], go[0], go[1]})
        ::close(fd);
}

CT_CASE(anEngineReportsTwoStatesAsOneProcess)
{
    checkOneProcess(true);
}

CT_CASE(anEngineReportsTwoStatesAsOneProcessOfUnknownStart)
{
    checkOneProcess(false);
}

}  // namespace
