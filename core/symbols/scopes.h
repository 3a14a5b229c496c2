// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Finds the functions of a compile unit that contain given addresses, inlined functions included.
#pragma once

#include <elfutils/libdw.h>
#include <span>
#include <vector>

namespace ct {

/// The DIEs around an address, outermost first: DW_TAG_subprogram, then DW_TAG_inlined_subroutine.
using ScopeChain = std::vector<Dwarf_Die>;

/// Returns one chain per address, empty if no function was found. `addresses` are ascending, as linked. The DIEs are
/// valid as long as the Dwarf.
/// Walks the unit's tree once for all addresses, without the parts that contain none. A second walk visits types and
/// other functions, for the addresses that were not found.
std::vector<ScopeChain> scopesOf(const Dwarf_Die &unit, std::span<const Dwarf_Addr> addresses);

/// Calls visit(begin, end) for every code range of a DIE. Returns false if it has no readable range.
template <class Visit>
bool forEachRange(Dwarf_Die &die, Visit &&visit)
{
    Dwarf_Addr base = 0;
    Dwarf_Addr begin = 0;
    Dwarf_Addr end = 0;
    bool any = false;
    for (std::ptrdiff_t at = 0; (at = ::dwarf_ranges(&die, at, &base, &begin, &end)) > 0; any = true)
        visit(begin, end);
    return any;
}

}  // namespace ct
