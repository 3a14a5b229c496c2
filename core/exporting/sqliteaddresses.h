// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The table `addresses`: what addresses mean, of suspensions whose site the target did not say.
#pragma once

#include "core/exporting/addresslookup.h"
#include "core/exporting/sqliteconnection.h"

#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace ct {

class SqliteAddresses {
public:
    /// `lookup` may be null: the table stays empty then.
    explicit SqliteAddresses(std::shared_ptr<AddressLookup> lookup) : m_lookup(std::move(lookup)) {}

    /// Of every transition. `pid`: of its coroutine; 0 = not known.
    void note(const Transition &transition, std::uint32_t pid)
    {
        if (m_lookup && transition.site == kUnknownSite && !transition.active && transition.addr != 0)
            add(transition, pid);
    }
    /// Within a transaction. Waits for the lookup.
    Result<void> write(SqliteConnection &connection);

private:
    void add(const Transition &transition, std::uint32_t pid);

    std::shared_ptr<AddressLookup> m_lookup;
    std::vector<std::uint64_t> m_latest;  ///< by coroutine: mostly it is the same one again
    std::set<std::pair<CoroutineId, std::uint64_t>> m_noted;
    std::vector<EventAddress> m_addresses;
};

}  // namespace ct
