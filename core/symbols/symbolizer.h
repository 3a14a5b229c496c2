// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Addresses of a process to functions, files and lines. The one entrance to this room for those who may wait; the GUI
// asks a SymbolWorker instead.
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

/// One thread at a time. Keeps the files of a few modules open, at most some 2 GiB of them (one module alone may take
/// more, up to SymbolMemory::limit()); answers are not kept, see SymbolWorker.
class Symbolizer {
public:
    explicit Symbolizer(SymbolPlaces places = {});
    ~Symbolizer();
    Symbolizer(const Symbolizer &) = delete;
    Symbolizer &operator=(const Symbolizer &) = delete;

    /// One per address, in the order asked for. Each is taken as the address of an instruction: of a return address,
    /// ask for the byte before. Many at once cost much less than one by one: each compile unit is read once.
    std::vector<DescribedAddress> describe(const ModuleMap &modules, std::span<const std::uint64_t> addresses);

    /// Of an address that no mapping holds.
    static DescribedAddress outside();

    /// Opened on first use; never null. Valid until the next call of a member.
    ModuleSymbols *symbolsOf(const Module &module);

private:
    struct Opened {
        std::string path;
        std::string buildId;
        std::unique_ptr<ModuleSymbols> symbols;
    };

    SymbolPlaces m_places;
    std::list<Opened> m_opened;  ///< used last first
};

}  // namespace ct
