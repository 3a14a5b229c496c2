// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Collects the addresses of suspensions without a site in an exported stream, and resolves them together at its end.
#pragma once

#include "core/addresses/exportresolver.h"

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ct {

/// Used on the thread of the export. Needs about 100 bytes per address. Leaves out addresses after the first 2,000,000.
class ExportedAddresses {
public:
    /// `resolver` may be null; then no address is resolved.
    explicit ExportedAddresses(std::shared_ptr<ExportResolver> resolver) : m_resolver(std::move(resolver)) {}

    /// Call for every transition. `pid`: of its coroutine; 0 = unknown.
    void note(const Transition &transition, std::uint32_t pid)
    {
        if (m_resolver && transition.site == kUnknownSite && !transition.active && transition.addr != 0)
            addAddress(transition, pid);
    }
    using Visitor = std::function<Result<void>(const EventAddress &, const DescribedAddress &)>;
    /// Waits for the resolver and visits the addresses that it knows, until there is an error. `since` of an address is
    /// that of its line (ExportResolver::lineSince()).
    Result<void> resolve(const Visitor &visit);
    /// For the user: how many addresses were left out; empty: none.
    std::string remark() const;

private:
    void addAddress(const Transition &transition, std::uint32_t pid);

    std::shared_ptr<ExportResolver> m_resolver;
    std::vector<std::uint64_t> m_latest;  ///< by coroutine; most addresses repeat the latest one
    std::set<std::pair<CoroutineId, std::uint64_t>> m_noted;
    std::vector<EventAddress> m_addresses;
    std::uint64_t m_leftOut = 0;  ///< suspensions
};

}  // namespace ct
