// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The opened files of one module, with their symbols and debug information.
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

/// For one thread, not the GUI thread: opening reads files.
class ModuleSymbols {
public:
    ModuleSymbols(const Module &module, const DebugSearchPath &searchPath);
    ModuleSymbols(const ModuleSymbols &) = delete;
    ModuleSymbols &operator=(const ModuleSymbols &) = delete;

    /// Converts an address of a process to the address as linked. The address must lie in this mapping of the module's
    /// file.
    std::optional<std::uint64_t> linkedAddress(const Module &mapping, std::uint64_t address) const;
    /// Returns one description per address. `addresses` are ascending, as linked.
    std::vector<DescribedAddress> describe(std::span<const std::uint64_t> addresses);
    /// A description without frames, with the reason why no address of the module can be resolved.
    DescribedAddress nothing() const;

    const SymbolTable &symbols() const { return m_symbols; }
    DwarfReader *dwarf() { return m_dwarf.get(); }
    SuspensionLines &suspensionLines() { return m_suspensionLines; }
    std::uint16_t machine() const;
    std::uint64_t bytes() const;  ///< memory that the files use
    bool lacksMemory() const { return m_files.lacksMemory; }

private:
    const ElfImage *any() const;
    void explain(DescribedAddress &described) const;

    std::string m_path;
    ModuleFiles m_files;
    SymbolTable m_symbols;
    std::unique_ptr<DwarfReader> m_dwarf;
    SuspensionLines m_suspensionLines;  ///< uses the members above
};

}  // namespace ct
