// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Two shared objects with hidden visibility, loaded at run time, trace into one mapping. This program itself uses the
// probe only to read the region.
#include "probetest.h"

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
        state = reinterpret_cast<const void *(*)()>(::dlsym(library, "module_state"));
        REQUIRE(init && run && state);
    }
    void (*init)() = nullptr;
    int (*run)() = nullptr;
    const void *(*state)() = nullptr;
};

CT_CASE(oneSwitchForTwoModules)
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
        CHECK_EQUAL(second.run(), 1);  // never initialised by itself
        second.init();
        CHECK_EQUAL(second.run(), 1);
        CHECK_EQUAL(region.allocated(), 3U);
        CHECK_EQUAL(region.header().extension.born_before_init.load(), 1U);
        for (std::size_t i = 0; i < 3; ++i) {
            CHECK_EQUAL(region.pattern(i), "SR");
            CHECK_EQUAL(region.station(i).header.is_dead.load(), 1);
        }
        // The same line of the same source, compiled into both: one site.
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

}  // namespace
