// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/symbols/modulemap.h"
#include "tests/support/check.h"

using ct::Module;
using ct::ModuleMap;

namespace {

std::string pathAt(const ModuleMap &map, std::uint64_t address)
{
    const Module *module = map.moduleAt(address);
    return module ? module->path : "none";
}

}  // namespace

CT_CASE(findsTheMappingOfAnAddress)
{
    const ModuleMap map({{"/b", 300, 400, 0, ""}, {"/a", 100, 200, 0, ""}, {"/a", 200, 250, 4096, ""}});
    CHECK_EQUAL(pathAt(map, 99), "none");
    CHECK_EQUAL(pathAt(map, 100), "/a");
    CHECK_EQUAL(pathAt(map, 199), "/a");
    REQUIRE(map.moduleAt(200));
    CHECK_EQUAL(map.moduleAt(200)->offset, 4096U);
    CHECK_EQUAL(pathAt(map, 250), "none");
    CHECK_EQUAL(pathAt(map, 300), "/b");
    CHECK_EQUAL(pathAt(map, 400), "none");
    CHECK_EQUAL(pathAt(map, ~std::uint64_t{0}), "none");
    CHECK_EQUAL(pathAt(ModuleMap(), 0), "none");
}

CT_CASE(ignoresImpossibleModules)
{
    const ModuleMap map({{"/empty", 100, 100, 0, ""},
                         {"/backwards", 200, 150, 0, ""},
                         {"/first", 300, 500, 0, ""},
                         {"/overlaps", 400, 600, 0, ""},
                         {"/all", 0, ~std::uint64_t{0}, 0, ""}});
    CHECK_EQUAL(map.modules().size(), 1U);
    CHECK_EQUAL(pathAt(map, 450), "/all");
}
