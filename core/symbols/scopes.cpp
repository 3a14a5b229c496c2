// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/symbols/scopes.h"

#include <algorithm>
#include <cstdint>
#include <dwarf.h>

namespace ct {

namespace {

// Limit of nesting. Compilers stay far below it, but a damaged file may nest as deep as it is long.
constexpr int kDeepest = 200;

class ScopeWalk {
public:
    explicit ScopeWalk(std::span<const Dwarf_Addr> addresses)
        : m_addresses(addresses), m_chains(addresses.size()), m_found(addresses.size(), false)
    {
    }

    void walk(const Dwarf_Die &unit, bool thorough)
    {
        m_thorough = thorough;
        Subset wanted;
        for (std::uint32_t i = 0; i < m_addresses.size(); ++i) {
            if (m_chains[i].empty())
                wanted.push_back(i);
        }
        if (!wanted.empty())
            visitChildren(unit, wanted, 0, 0);
    }
    bool isComplete() const
    {
        return std::none_of(m_chains.begin(), m_chains.end(), [](const ScopeChain &chain) { return chain.empty(); });
    }
    std::vector<ScopeChain> takeChains() { return std::move(m_chains); }

private:
    using Subset = std::vector<std::uint32_t>;  ///< indexes of addresses, ascending

    void visitChildren(Dwarf_Die parent, const Subset &wanted, std::size_t level, int depth)
    {
        Dwarf_Die child;
        if (depth >= kDeepest || ::dwarf_child(&parent, &child) != 0)
            return;
        do
            visit(child, wanted, level, depth);
        while (::dwarf_siblingof(&child, &child) == 0);
    }

    void visit(Dwarf_Die &die, const Subset &wanted, std::size_t level, int depth)
    {
        switch (::dwarf_tag(&die)) {
        case DW_TAG_subprogram:
        case DW_TAG_inlined_subroutine: visitFunction(die, wanted, level, depth); break;
        case DW_TAG_lexical_block:
        case DW_TAG_try_block:
        case DW_TAG_catch_block: {
            const Subset inside = containing(die, wanted, level);
            if (!inside.empty())
                visitChildren(die, inside, level, depth + 1);
            break;
        }
        case DW_TAG_namespace:
        case DW_TAG_module: visitChildren(die, wanted, level, depth + 1); break;
        case DW_TAG_class_type:
        case DW_TAG_structure_type:
        case DW_TAG_union_type:
        case DW_TAG_enumeration_type:
            if (m_thorough)
                visitChildren(die, wanted, level, depth + 1);
            break;
        default: break;
        }
    }

    void visitFunction(Dwarf_Die &die, const Subset &wanted, std::size_t level, int depth)
    {
        const Subset inside = containing(die, wanted, level);
        for (const std::uint32_t i : inside)
            m_chains[i].push_back(die);
        if (!inside.empty())
            visitChildren(die, inside, level + 1, depth + 1);
        else if (m_thorough && ::dwarf_tag(&die) == DW_TAG_subprogram)
            visitChildren(die, wanted, level, depth + 1);
    }

    /// Returns the wanted addresses in the DIE's code, except for addresses in the chain of a neighbour. The linker
    /// may have merged equal functions, which then share their code.
    Subset containing(Dwarf_Die &die, const Subset &wanted, std::size_t level)
    {
        Subset inside;
        forEachRange(die, [&](Dwarf_Addr begin, Dwarf_Addr end) {
            auto at = std::lower_bound(wanted.begin(), wanted.end(), begin, [&](std::uint32_t index, Dwarf_Addr value) {
                return m_addresses[index] < value;
            });
            for (; at != wanted.end() && m_addresses[*at] < end; ++at) {
                if (m_chains[*at].size() == level && !m_found[*at]) {
                    m_found[*at] = true;
                    inside.push_back(*at);
                }
            }
        });
        for (const std::uint32_t i : inside)
            m_found[i] = false;
        std::sort(inside.begin(), inside.end());
        return inside;
    }

    std::span<const Dwarf_Addr> m_addresses;
    std::vector<ScopeChain> m_chains;
    std::vector<bool> m_found;  ///< found in this DIE already: its ranges may overlap
    bool m_thorough = false;
};

}  // namespace

std::vector<ScopeChain> scopesOf(const Dwarf_Die &unit, std::span<const Dwarf_Addr> addresses)
{
    ScopeWalk walk(addresses);
    walk.walk(unit, false);
    if (!walk.isComplete())
        walk.walk(unit, true);
    return walk.takeChains();
}

}  // namespace ct
