// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Two shared objects with hidden visibility, loaded at run time, trace into one mapping. This program itself uses the
// probe's header only to read the region.
#include "tests/probe/lanetest.h"
#include "tests/support/harvestloop.h"

#include <dlfcn.h>

namespace {

using namespace probetest;

struct Module {
    explicit Module(const char *path, int flags = RTLD_LOCAL)
    {
        void *const library = ::dlopen(path, RTLD_NOW | flags);
        if (!library)
            check::fail(__FILE__, __LINE__, ::dlerror());
        REQUIRE(library != nullptr);
        init = reinterpret_cast<void (*)()>(::dlsym(library, "module_init"));
        run = reinterpret_cast<int (*)()>(::dlsym(library, "module_run"));
        events = reinterpret_cast<int (*)(int)>(::dlsym(library, "module_events"));
        state = reinterpret_cast<const void *(*)()>(::dlsym(library, "module_state"));
        REQUIRE(init && run && events && state);
    }
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

/// An engine counts the events of both states, and one process that starts and ends once.
CT_CASE(anEngineReportsTwoStatesAsOneProcess)
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

}  // namespace
