// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// All that is known of one module: its files, opened, with their symbols and debug information.
#pragma once

#include "core/symbols/debugfile.h"
#include "core/symbols/describedaddress.h"
#include "core/symbols/dwarfreader.h"
#include "core/symbols/suspensionline.h"
#include "core/symbols/symboltable.h"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace ct {

/// One thread, not the GUI's: opening reads files.
class ModuleSymbols {
public:
    ModuleSymbols(const Module &module, const SymbolPlaces &places);
    ModuleSymbols(const ModuleSymbols &) = delete;
    ModuleSymbols &operator=(const ModuleSymbols &) = delete;

    /// The address as linked, of an address of a process that lies in this mapping of the module's file.
    std::optional<std::uint64_t> linkedAddress(const Module &mapping, std::uint64_t address) const;
    /// One per address; ascending, as linked.
    std::vector<DescribedAddress> describe(std::span<const std::uint64_t> addresses);
    /// Why nothing is known, where no address could be told.
    DescribedAddress nothing() const;

    const SymbolTable &symbols() const { return m_symbols; }
    DwarfReader *dwarf() { return m_dwarf.get(); }
    SuspensionLines &suspensionLines() { return m_suspensionLines; }
    std::uint16_t machine() const;
    std::uint64_t bytes() const;  ///< of memory that the files take
    bool lacksMemory() const { return m_files.lacksMemory; }

private:
    const ElfImage *any() const;
    void explain(DescribedAddress &described) const;

    std::string m_path;
    ModuleFiles m_files;
    SymbolTable m_symbols;
    std::unique_ptr<DwarfReader> m_dwarf;
    SuspensionLines m_suspensionLines;  ///< uses the others
};

}  // namespace ct
