// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/symbols/modulesymbols.h"

#include "core/symbols/demangle.h"

#include <elf.h>

namespace ct {

ModuleSymbols::ModuleSymbols(const Module &module, const DebugSearchPath &searchPath)
    : m_path(module.path), m_files(findModuleFiles(module, searchPath))
{
    const ElfImage *withDwarf = m_files.debug ? &*m_files.debug : any();
    if (!withDwarf)
        return;
    m_symbols = SymbolTable(withDwarf->elf());
    if (m_symbols.isEmpty() && m_files.binary)
        m_symbols = SymbolTable(m_files.binary->elf());
    if (withDwarf->hasDwarf())
        m_dwarf = DwarfReader::open(*withDwarf, searchPath.debugFolders);
    if (withDwarf->hasDwarf() && !m_dwarf) {
        m_files.reason = Unresolved::Unreadable;
        m_files.remedy = "the debug information in " + withDwarf->path() + " is damaged; build it again";
    }
}

const ElfImage *ModuleSymbols::any() const
{
    return m_files.binary ? &*m_files.binary : m_files.debug ? &*m_files.debug : nullptr;
}

std::uint16_t ModuleSymbols::machine() const
{
    return any() ? any()->machine() : std::uint16_t{EM_NONE};
}

std::uint64_t ModuleSymbols::bytes() const
{
    return (m_files.binary ? m_files.binary->memory().bytes() : 0) +
           (m_files.debug ? m_files.debug->memory().bytes() : 0);
}

std::optional<std::uint64_t> ModuleSymbols::linkedAddress(const Module &mapping, std::uint64_t address) const
{
    if (!any() || address < mapping.begin)
        return std::nullopt;
    return any()->linkedAddress(address - mapping.begin + mapping.offset, mapping.offset);
}

std::vector<DescribedAddress> ModuleSymbols::describe(std::span<const std::uint64_t> addresses)
{
    std::vector<DescribedAddress> described(addresses.size());
    std::vector<DwarfReader::SourceLocation> locations(addresses.size());
    if (m_dwarf)
        locations = m_dwarf->locations(addresses);
    for (std::size_t i = 0; i < addresses.size(); ++i) {
        described[i].module = m_path;
        described[i].frames = std::move(locations[i].frames);
        const bool named = locations[i].outerNamed;
        const SymbolTable::Symbol *symbol = named ? nullptr : m_symbols.functionAt(addresses[i]);
        if (described[i].frames.empty() && symbol)
            described[i].frames.emplace_back();
        if (symbol)
            described[i].frames.back().function = readableSymbol(symbol->name);
        explain(described[i]);
    }
    return described;
}

DescribedAddress ModuleSymbols::nothing() const
{
    DescribedAddress described;
    described.module = m_path;
    explain(described);
    return described;
}

void ModuleSymbols::explain(DescribedAddress &described) const
{
    if (!described.frames.empty() && described.frames.front().line > 0)
        return;
    if (m_files.reason != Unresolved::None) {
        described.reason = m_files.reason;
        described.remedy = m_files.remedy;
        return;
    }
    described.reason = described.frames.empty() ? Unresolved::NoSymbols : Unresolved::NoLines;
    if (!m_dwarf)
        described.remedy = m_path +
                           " has no debug information; build it with -g, or install its debug package, or name "
                           "a folder that contains its debug file";
    else if (described.frames.empty())
        described.remedy = "no function of " + m_path + " contains this address: it may be a jump between libraries";
    else
        described.remedy = "the debug information has no line for this address in " + m_path +
                           "; if it has no lines at all, build it with -g";
}

}  // namespace ct
