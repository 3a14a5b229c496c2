// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The table `addresses`: resolved addresses of suspensions without a site.
#pragma once

#include "core/addresses/exportresolver.h"
#include "core/databases/rowstore.h"

#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace ct {

class AddressRows {
public:
    /// `exportResolver` may be null; then the table stays empty.
    explicit AddressRows(std::shared_ptr<ExportResolver> exportResolver) : m_exportResolver(std::move(exportResolver))
    {
    }

    /// Call for every transition. `pid`: of its coroutine; 0 = unknown.
    void note(const Transition &transition, std::uint32_t pid)
    {
        if (m_exportResolver && transition.site == kUnknownSite && !transition.active && transition.addr != 0)
            addAddress(transition, pid);
    }
    /// Adds all rows. Waits for the resolver.
    Result<void> write(RowStore &store);

private:
    void addAddress(const Transition &transition, std::uint32_t pid);

    std::shared_ptr<ExportResolver> m_exportResolver;
    std::vector<std::uint64_t> m_latest;  ///< by coroutine; most addresses repeat the latest one
    std::set<std::pair<CoroutineId, std::uint64_t>> m_noted;
    std::vector<EventAddress> m_addresses;
};

}  // namespace ct
