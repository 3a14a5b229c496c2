// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Resolves addresses of a process to functions, files and lines. The main interface of this room for threads that may
// wait for files. The GUI thread uses a SymbolWorker.
// See docs/decisions/0010-symbols.md.
#pragma once

#include "core/symbols/debugfile.h"
#include "core/symbols/describedaddress.h"
#include "core/symbols/modulemap.h"
#include "core/symbols/modulesymbols.h"

#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace ct {

/// For one thread at a time. Keeps the files of at most 64 modules open, with at most 2 GiB. A single module may use
/// more, up to SymbolMemory::limit(). Results are not kept, see SymbolWorker.
class Symbolizer {
public:
    explicit Symbolizer(DebugSearchPath searchPath = {});
    ~Symbolizer();
    Symbolizer(const Symbolizer &) = delete;
    Symbolizer &operator=(const Symbolizer &) = delete;

    /// Returns one description per address, in the same order. Each address must be that of an instruction: for a
    /// return address, pass the byte before. A call with many addresses is much cheaper than many calls, because each
    /// compile unit is read once.
    std::vector<DescribedAddress> describe(const ModuleMap &modules, std::span<const std::uint64_t> addresses);

    /// The description of an address that lies in no mapping.
    static DescribedAddress outside();

    /// Opens the module on first use. Never null. Valid until the next call of any member.
    ModuleSymbols *symbolsOf(const Module &module);

private:
    struct Opened {
        std::string path;
        std::string buildId;
        std::unique_ptr<ModuleSymbols> symbols;
    };

    DebugSearchPath m_searchPath;
    std::list<Opened> m_opened;  ///< most recently used first
};

}  // namespace ct
