// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The executable mappings of one process, by address. From a live process or from a recording's info block, so that
// addresses keep their meaning after the process is gone.
#pragma once

#include "core/symbols/module.h"

#include <cstdint>
#include <span>
#include <vector>

namespace ct {

/// Immutable once made: any thread may read it.
class ModuleMap {
public:
    ModuleMap() = default;
    /// In any order; those that are empty, or overlap one that begins earlier, are dropped (a file may say anything).
    explicit ModuleMap(std::vector<Module> modules);

    /// The mapping that holds the address; nullptr: none does. Owned by the map.
    const Module *find(std::uint64_t address) const;
    std::span<const Module> modules() const { return m_modules; }

private:
    std::vector<Module> m_modules;  ///< by address
};

}  // namespace ct
