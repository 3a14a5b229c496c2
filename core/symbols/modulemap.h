// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The executable mappings of one process, by address. From a live process, or from a recording's info block, which
// gives addresses a meaning after the process has ended.
#pragma once

#include "core/stream/module.h"

#include <cstdint>
#include <span>
#include <vector>

namespace ct {

/// Immutable, so any thread may read it.
class ModuleMap {
public:
    ModuleMap() = default;
    /// Accepts modules in any order. Drops modules that are empty or overlap an earlier one, because a file may contain
    /// anything.
    explicit ModuleMap(std::vector<Module> modules);

    /// Returns the mapping that contains the address, or null. The map owns it.
    const Module *moduleAt(std::uint64_t address) const;
    std::span<const Module> modules() const { return m_modules; }

private:
    std::vector<Module> m_modules;  ///< by address
};

}  // namespace ct
