// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Finds the compile unit of an address.
#pragma once

#include "core/symbols/symbolmemory.h"

#include <cstdint>
#include <elfutils/libdw.h>
#include <functional>
#include <span>
#include <vector>

namespace ct {

/// Uses the ranges of the units. .debug_aranges is not reliable: clang and rustc do not write it. With mixed compilers
/// it lacks some units, which is not detectable.
class UnitIndex {
public:
    struct Unit {
        Dwarf_Die head;             ///< has the line table
        Dwarf_Die tree;             ///< has the functions: a different DIE with split DWARF (.dwo)
        bool split = false;         ///< moved to a .dwo file
        bool splitMissing = false;  ///< the .dwo file is missing, not usable or too large
    };
    /// The addresses that belong to one unit.
    struct Group {
        const Unit *unit = nullptr;
        std::vector<std::uint32_t> addresses;  ///< indexes, ascending
    };

    /// Leaves out ranges outside of `isExecutable`: the linker removed their code, but left the ranges behind, moved to
    /// 0 or a similar address. Also leaves out units for which `memory` has no room.
    UnitIndex(Dwarf *dwarf, const std::function<bool(Dwarf_Addr)> &isExecutable, SymbolMemory &memory);

    /// Groups addresses by unit. `addresses` are ascending, as linked. Addresses without a unit are in no group.
    std::vector<Group> groups(std::span<const Dwarf_Addr> addresses) const;

private:
    struct Range {
        Dwarf_Addr begin;
        Dwarf_Addr end;
        std::uint32_t unit;
    };
    void findSplit(Dwarf_CU *cu, Unit &unit);
    bool addUnit(Unit unit, const std::function<bool(Dwarf_Addr)> &isExecutable);
    /// Returns an index in m_units, or -1.
    std::int64_t unitAt(Dwarf_Addr address) const;

    SymbolMemory &m_memory;
    std::vector<Unit> m_units;
    std::vector<Range> m_ranges;         ///< sorted by begin
    std::vector<Dwarf_Addr> m_furthest;  ///< largest end of this range and all ranges before it
};

}  // namespace ct
