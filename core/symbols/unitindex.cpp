// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/symbols/unitindex.h"

#include "core/symbols/scopes.h"

#include <algorithm>
#include <dwarf.h>
#include <map>
#include <utility>

namespace ct {

UnitIndex::UnitIndex(Dwarf *dwarf, const std::function<bool(Dwarf_Addr)> &isExecutable)
{
    Dwarf_CU *cursor = nullptr;
    Dwarf_Half version = 0;
    std::uint8_t type = 0;
    Unit unit{};
    // A damaged unit ends the walk: where the next one begins is not known.
    while (::dwarf_get_units(dwarf, cursor, &cursor, &version, &type, &unit.head, &unit.tree) == 0) {
        unit.split = type == DW_UT_skeleton;
        unit.splitMissing = unit.split && ::dwarf_tag(&unit.tree) == DW_TAG_invalid;
        if (!unit.split || unit.splitMissing)
            unit.tree = unit.head;
        if (type == DW_UT_compile || type == DW_UT_skeleton)
            add(unit, isExecutable);
    }
    std::sort(m_ranges.begin(), m_ranges.end(), [](const Range &a, const Range &b) { return a.begin < b.begin; });
    m_furthest.reserve(m_ranges.size());
    for (const Range &range : m_ranges)
        m_furthest.push_back(m_furthest.empty() ? range.end : std::max(m_furthest.back(), range.end));
}

void UnitIndex::add(Unit unit, const std::function<bool(Dwarf_Addr)> &isExecutable)
{
    const auto index = static_cast<std::uint32_t>(m_units.size());
    const auto keep = [&](Dwarf_Addr begin, Dwarf_Addr end) {
        if (begin < end && isExecutable(begin))
            m_ranges.push_back({begin, end, index});
    };
    m_units.push_back(unit);
    if (forEachRange(unit.head, keep))
        return;
    // A unit that does not say where its code is: its functions do.
    Dwarf_Die child;
    if (::dwarf_child(&unit.tree, &child) != 0)
        return;
    do {
        if (::dwarf_tag(&child) == DW_TAG_subprogram)
            forEachRange(child, keep);
    } while (::dwarf_siblingof(&child, &child) == 0);
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
    // A unit's code may lie in many places; it is read once all the same.
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
