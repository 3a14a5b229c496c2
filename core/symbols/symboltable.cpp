// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/symbols/symboltable.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <gelf.h>

namespace ct {

namespace {

/// Limit of steps back from an address, to a function that extends over later, shorter ones.
constexpr int kMostSteps = 16;

Elf_Scn *sectionOfType(Elf *elf, std::uint32_t type, GElf_Shdr &head)
{
    for (Elf_Scn *section = ::elf_nextscn(elf, nullptr); section; section = ::elf_nextscn(elf, section)) {
        if (::gelf_getshdr(section, &head) && head.sh_type == type && head.sh_entsize == sizeof(Elf64_Sym))
            return section;
    }
    return nullptr;
}

std::string_view nameAt(std::string_view names, std::uint32_t offset)
{
    if (offset >= names.size())
        return {};
    const std::string_view rest = names.substr(offset);
    const std::size_t end = rest.find('\0');
    return end == std::string_view::npos ? std::string_view{} : rest.substr(0, end);
}

}  // namespace

SymbolTable::SymbolTable(Elf *elf)
{
    read(elf, SHT_SYMTAB);
    if (m_symbols.empty())
        read(elf, SHT_DYNSYM);
    std::stable_sort(m_symbols.begin(), m_symbols.end(),
                     [](const Symbol &a, const Symbol &b) { return a.begin < b.begin; });
    // Hand-written code often has no size. Then a function extends to the next one.
    for (std::size_t i = 0; i + 1 < m_symbols.size(); ++i) {
        if (m_symbols[i].end == m_symbols[i].begin)
            m_symbols[i].end = m_symbols[i + 1].begin;
    }
}

void SymbolTable::read(Elf *elf, std::uint32_t type)
{
    GElf_Shdr head;
    Elf_Scn *section = sectionOfType(elf, type, head);
    const Elf_Data *data = section ? ::elf_getdata(section, nullptr) : nullptr;
    Elf_Scn *nameSection = section ? ::elf_getscn(elf, head.sh_link) : nullptr;
    const Elf_Data *nameData = nameSection ? ::elf_getdata(nameSection, nullptr) : nullptr;
    if (!data || !data->d_buf || !nameData || !nameData->d_buf)
        return;
    const std::string_view names(static_cast<const char *>(nameData->d_buf), nameData->d_size);
    const std::size_t count = data->d_size / sizeof(Elf64_Sym);
    for (std::size_t i = 0; i < count; ++i) {
        Elf64_Sym symbol;
        std::memcpy(&symbol, static_cast<const char *>(data->d_buf) + i * sizeof(symbol), sizeof(symbol));
        const unsigned char kind = ELF64_ST_TYPE(symbol.st_info);
        const std::string_view name = nameAt(names, symbol.st_name);
        const std::uint64_t end = symbol.st_value + symbol.st_size;
        if ((kind == STT_FUNC || kind == STT_GNU_IFUNC) && symbol.st_shndx != SHN_UNDEF && !name.empty() &&
            end >= symbol.st_value)
            m_symbols.push_back({symbol.st_value, end, name});
    }
}

const SymbolTable::Symbol *SymbolTable::functionAt(std::uint64_t address) const
{
    auto at = std::upper_bound(m_symbols.begin(), m_symbols.end(), address,
                               [](std::uint64_t value, const Symbol &symbol) { return value < symbol.begin; });
    for (int step = 0; step < kMostSteps && at != m_symbols.begin(); ++step) {
        --at;
        if (address < at->end)
            return &*at;
    }
    return nullptr;
}

std::vector<std::string_view> SymbolTable::namesAt(std::uint64_t address) const
{
    std::vector<std::string_view> names;
    auto at = std::lower_bound(m_symbols.begin(), m_symbols.end(), address,
                               [](const Symbol &symbol, std::uint64_t value) { return symbol.begin < value; });
    for (; at != m_symbols.end() && at->begin == address; ++at)
        names.push_back(at->name);
    return names;
}

}  // namespace ct
