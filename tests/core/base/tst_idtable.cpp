// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/idtable.h"
#include "tests/support/check.h"

#include <set>

using ct::IdTable;

namespace {

struct Row {
    std::uint64_t number = 7;
    std::uint64_t more = 0;
};

std::vector<std::uint32_t> idsOf(const IdTable<Row> &table)
{
    std::vector<std::uint32_t> ids;
    table.forEach([&ids](std::uint32_t id, const Row &) { ids.push_back(id); });
    return ids;
}

}  // namespace

CT_CASE(idsHaveValuesOfTheirOwn)
{
    constexpr std::uint32_t kMany = 300'000;  // more than one chunk of memory has room for
    IdTable<Row> table;
    CHECK(table.empty());
    CHECK(table.find(0) == nullptr);
    for (std::uint32_t id = 0; id < kMany; id += 3)
        table[id].number += id;
    CHECK_EQUAL(table.size(), std::size_t{kMany / 3});
    std::uint64_t wrong = 0;
    for (std::uint32_t id = 0; id < kMany; ++id) {
        const Row *const row = table.find(id);
        wrong += id % 3 == 0 ? !row || row->number != 7 + id : row != nullptr;
    }
    CHECK_EQUAL(wrong, std::uint64_t{0});
    CHECK(table.find(0xFFFF'FFFF) == nullptr);
}

CT_CASE(memoryOfErasedIdsIsUsedAgain)
{
    IdTable<Row> table;
    std::set<const Row *> rows;
    for (std::uint32_t id = 0; id < 1'000'000; ++id) {
        Row &row = table[id];
        CHECK_EQUAL(row.number, std::uint64_t{7});
        row.number = id;
        rows.insert(&row);
        table.erase(id);
        table.erase(id);
    }
    CHECK(table.empty());
    CHECK_EQUAL(rows.size(), std::size_t{1});
}

CT_CASE(visitsAreInTheOrderOfIdsAndMayErase)
{
    IdTable<Row> table;
    const std::vector<std::uint32_t> ids = {2, 5, 1023, 1024, 1025, 5000, 9000};
    for (auto id = ids.rbegin(); id != ids.rend(); ++id)
        (void)table[*id];
    CHECK(idsOf(table) == ids);
    table.forEach([&table](std::uint32_t id, const Row &) {
        if (id < 1024 || id == 5000)
            table.erase(id);
    });
    CHECK(idsOf(table) == (std::vector<std::uint32_t>{1024, 1025, 9000}));
    CHECK_EQUAL(table.size(), std::size_t{3});
}
