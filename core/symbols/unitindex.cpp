// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/symbols/unitindex.h"

#include "core/symbols/elfimage.h"
#include "core/symbols/scopes.h"

#include <algorithm>
#include <dwarf.h>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>

namespace ct {

namespace {

/// Bytes that libdw and this index need for each unit, with room for growth.
constexpr std::uint64_t kUnitBytes = 512;
constexpr std::uint64_t kRangeBytes = 96;

std::string textOf(Dwarf_Die &die, std::initializer_list<unsigned> names)
{
    for (const unsigned name : names) {
        Dwarf_Attribute attribute;
        const char *text = ::dwarf_attr(&die, name, &attribute) ? ::dwarf_formstring(&attribute) : nullptr;
        if (text)
            return text;
    }
    return {};
}

}  // namespace

UnitIndex::UnitIndex(Dwarf *dwarf, const std::function<bool(Dwarf_Addr)> &isExecutable, SymbolMemory &memory)
    : m_memory(memory)
{
    Dwarf_CU *cursor = nullptr;
    Dwarf_Half version = 0;
    std::uint8_t type = 0;
    Unit unit{};
    // A damaged unit ends the walk, because the begin of the next one is unknown.
    while (::dwarf_get_units(dwarf, cursor, &cursor, &version, &type, &unit.head, nullptr) == 0 &&
           m_memory.reserveDerived(kUnitBytes)) {
        unit.split = type == DW_UT_skeleton;
        unit.tree = unit.head;
        unit.splitMissing = false;
        if (unit.split)
            findSplit(cursor, unit);
        if ((type == DW_UT_compile || type == DW_UT_skeleton) && !addUnit(unit, isExecutable))
            break;
    }
    std::sort(m_ranges.begin(), m_ranges.end(), [](const Range &a, const Range &b) { return a.begin < b.begin; });
    m_furthest.reserve(m_ranges.size());
    for (const Range &range : m_ranges)
        m_furthest.push_back(m_furthest.empty() ? range.end : std::max(m_furthest.back(), range.end));
}

/// Finds the unit's .dwo file. libdw opens and unpacks the file by itself, so its memory is reserved first.
void UnitIndex::findSplit(Dwarf_CU *cu, Unit &unit)
{
    const std::string name = textOf(unit.head, {DW_AT_dwo_name, DW_AT_GNU_dwo_name});
    const std::string folder = textOf(unit.head, {DW_AT_comp_dir});
    for (const std::string &path : {name, folder + '/' + name})
        unit.splitMissing = unit.splitMissing || !ElfImage::allowUnpacking(path, m_memory);
    Dwarf_Die tree{};
    if (!unit.splitMissing)
        ::dwarf_cu_info(cu, nullptr, nullptr, nullptr, &tree, nullptr, nullptr, nullptr);
    unit.splitMissing = ::dwarf_tag(&tree) == DW_TAG_invalid;
    if (!unit.splitMissing)
        unit.tree = tree;
}

/// Adds a unit and its ranges. Returns false if there is no memory for more.
bool UnitIndex::addUnit(Unit unit, const std::function<bool(Dwarf_Addr)> &isExecutable)
{
    const auto index = static_cast<std::uint32_t>(m_units.size());
    bool fits = true;
    const auto keep = [&](Dwarf_Addr begin, Dwarf_Addr end) {
        if (begin < end && isExecutable(begin) && (fits = fits && m_memory.reserveDerived(kRangeBytes)))
            m_ranges.push_back({begin, end, index});
    };
    m_units.push_back(unit);
    if (forEachRange(unit.head, keep))
        return fits;
    // The unit has no ranges of its own, but its functions have.
    Dwarf_Die child;
    if (::dwarf_child(&unit.tree, &child) != 0)
        return fits;
    do {
        if (::dwarf_tag(&child) == DW_TAG_subprogram)
            forEachRange(child, keep);
    } while (fits && ::dwarf_siblingof(&child, &child) == 0);
    return fits;
}

std::int64_t UnitIndex::unitAt(Dwarf_Addr address) const
{
    auto at = std::upper_bound(m_ranges.begin(), m_ranges.end(), address,
                               [](Dwarf_Addr value, const Range &range) { return value < range.begin; });
    while (at != m_ranges.begin()) {
        --at;
        if (address < at->end)
            return at->unit;
        if (m_furthest[static_cast<std::size_t>(at - m_ranges.begin())] <= address)
            break;
    }
    return -1;
}

std::vector<UnitIndex::Group> UnitIndex::groups(std::span<const Dwarf_Addr> addresses) const
{
    // A unit can have many ranges of code, but is read only once.
    std::map<std::int64_t, std::vector<std::uint32_t>> byUnit;
    for (std::uint32_t i = 0; i < addresses.size(); ++i)
        byUnit[unitAt(addresses[i])].push_back(i);
    byUnit.erase(-1);
    std::vector<Group> groups;
    for (auto &[unit, indexes] : byUnit)
        groups.push_back({&m_units[static_cast<std::size_t>(unit)], std::move(indexes)});
    return groups;
}

}  // namespace ct
