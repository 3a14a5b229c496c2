// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which compile unit an address belongs to.
#pragma once

#include "core/symbols/symbolmemory.h"

#include <cstdint>
#include <elfutils/libdw.h>
#include <functional>
#include <span>
#include <vector>

namespace ct {

/// Made from the units' own ranges: .debug_aranges is missing with clang and rustc, and with mixed compilers it names
/// only some of the units, which nobody can tell from the outside.
class UnitIndex {
public:
    struct Unit {
        Dwarf_Die head;             ///< has the line table
        Dwarf_Die tree;             ///< has the functions: another one with split DWARF (.dwo)
        bool split = false;         ///< moved to a .dwo file
        bool splitMissing = false;  ///< which is not there
    };
    /// Group of addresses of one unit: [begin, end) of those handed in.
    struct Group {
        const Unit *unit = nullptr;
        std::vector<std::uint32_t> addresses;  ///< indexes, ascending
    };

    /// Code outside of `isExecutable` was removed by the linker, which leaves its ranges behind, moved to 0 or so.
    /// Units beyond what `memory` allows are left out.
    UnitIndex(Dwarf *dwarf, const std::function<bool(Dwarf_Addr)> &isExecutable, SymbolMemory &memory);

    /// `addresses`: ascending, as linked. What belongs to no unit is in no group.
    std::vector<Group> groups(std::span<const Dwarf_Addr> addresses) const;
    std::size_t unitCount() const { return m_units.size(); }

private:
    struct Range {
        Dwarf_Addr begin;
        Dwarf_Addr end;
        std::uint32_t unit;
    };
    void findSplit(Dwarf_CU *cu, Unit &unit);
    bool add(Unit unit, const std::function<bool(Dwarf_Addr)> &isExecutable);
    /// -1: none.
    std::int64_t unitAt(Dwarf_Addr address) const;

    SymbolMemory &m_memory;
    std::vector<Unit> m_units;
    std::vector<Range> m_ranges;         ///< by begin
    std::vector<Dwarf_Addr> m_furthest;  ///< largest end up to and with the range of the same index
};

}  // namespace ct
