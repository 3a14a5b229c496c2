// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The functions of an ELF file's symbol table, by address.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

struct Elf;

namespace ct {

/// Names point into the file's image: it must live as long.
class SymbolTable {
public:
    struct Symbol {
        std::uint64_t begin = 0;  ///< as linked
        std::uint64_t end = 0;
        std::string_view name;  ///< as the linker knows it
    };

    SymbolTable() = default;
    /// .symtab, or .dynsym where there is none. What is damaged is skipped.
    explicit SymbolTable(Elf *elf);

    bool isEmpty() const { return m_symbols.empty(); }
    /// The function that holds the address; of several the one that begins last. nullptr: none.
    const Symbol *find(std::uint64_t address) const;
    /// All that begin exactly there: functions that the linker found to be equal share an address.
    std::vector<std::string_view> namesAt(std::uint64_t address) const;
    const std::vector<Symbol> &symbols() const { return m_symbols; }

private:
    void read(Elf *elf, std::uint32_t type);

    std::vector<Symbol> m_symbols;  ///< by begin
};

}  // namespace ct
