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

/// Names point into the file's image, which must outlive the table.
class SymbolTable {
public:
    struct Symbol {
        std::uint64_t begin = 0;  ///< as linked
        std::uint64_t end = 0;
        std::string_view name;  ///< the linker's name
    };

    SymbolTable() = default;
    /// Reads .symtab, or .dynsym if .symtab has no functions. Skips damaged entries.
    explicit SymbolTable(Elf *elf);

    bool isEmpty() const { return m_symbols.empty(); }
    /// Returns the function that contains the address, or null. If there are several, the one that begins last.
    const Symbol *functionAt(std::uint64_t address) const;
    /// Returns the names of all functions that begin at `address`. Equal functions that the linker merged share one.
    std::vector<std::string_view> namesAt(std::uint64_t address) const;
    const std::vector<Symbol> &symbols() const { return m_symbols; }

private:
    void read(Elf *elf, std::uint32_t type);

    std::vector<Symbol> m_symbols;  ///< sorted by begin
};

}  // namespace ct
