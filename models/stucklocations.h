// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Splits the group of stuck coroutines without a site by the locations of their addresses.
#pragma once

#include "core/addresses/addressresolver.h"
#include "core/analysis/stuck.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace ct {

/// One thread. findStuck() has judged all coroutines without a site as one group. So a location found here has no usual
/// time of its own.
class StuckLocations {
public:
    /// Ids from here on stand for locations. Ids of sites are lower.
    static constexpr SiteId kFirst = SiteId{1} << 31;

    /// Sets the resolver and discards all ids. If `resolver` is null, divide() does nothing.
    void setResolver(std::shared_ptr<AddressResolver> resolver);
    /// Replaces the group without a site by one group for each function, file and line. Coroutines whose location is
    /// not resolved stay in one group. Sorts the groups by size, largest first. Ids stay valid until setResolver().
    void divide(const Population &population, std::vector<StuckGroup> &groups);
    /// Returns nullptr if `id` is not the id of a location.
    AddressResolver::Answer locationOf(SiteId id) const;

private:
    SiteId idOf(const Population &population, const StuckCoroutine &stuck, bool ask);

    std::shared_ptr<AddressResolver> m_resolver;
    std::vector<AddressResolver::Answer> m_answers;  ///< by id - kFirst
    std::map<std::tuple<std::string, std::string, std::uint32_t>, SiteId> m_ids;
    std::unordered_map<AddressResolver::Answer, SiteId> m_idOf;  ///< speeds up m_ids: avoids comparing long names
};

}  // namespace ct
