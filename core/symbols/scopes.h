// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which functions, inlined ones included, of a compile unit hold given addresses.
#pragma once

#include <elfutils/libdw.h>
#include <span>
#include <vector>

namespace ct {

/// DIEs (DW_TAG_subprogram, then DW_TAG_inlined_subroutine) around an address, outermost first.
using ScopeChain = std::vector<Dwarf_Die>;

/// One chain per address, empty where no function is found. Walks the unit's tree once, whatever the number of
/// addresses, and leaves out what holds none of them; a second walk looks into types and other functions for the rest.
/// `addresses`: ascending, as linked. The DIEs are as long-lived as the Dwarf.
std::vector<ScopeChain> scopesOf(const Dwarf_Die &unit, std::span<const Dwarf_Addr> addresses);

/// Calls visit(begin, end) for every range of code of a DIE. False: it has none that can be read.
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
