// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/symbols/modulemap.h"

#include <algorithm>
#include <utility>

namespace ct {

ModuleMap::ModuleMap(std::vector<Module> modules)
{
    std::stable_sort(modules.begin(), modules.end(),
                     [](const Module &a, const Module &b) { return a.begin < b.begin; });
    for (Module &module : modules) {
        const std::uint64_t free = m_modules.empty() ? 0 : m_modules.back().end;
        if (module.begin < module.end && module.begin >= free)
            m_modules.push_back(std::move(module));
    }
}

const Module *ModuleMap::moduleAt(std::uint64_t address) const
{
    const auto behind =
        std::upper_bound(m_modules.begin(), m_modules.end(), address,
                         [](std::uint64_t value, const Module &module) { return value < module.begin; });
    return behind != m_modules.begin() && address < std::prev(behind)->end ? &*std::prev(behind) : nullptr;
}

}  // namespace ct
