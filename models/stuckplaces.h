// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Stuck coroutines whose site the target did not say, divided by what their addresses mean.
#pragma once

#include "core/analysis/stuck.h"
#include "core/session/places.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace ct {

/// One thread. Who is stuck is judged before, by all of them together: a place that is only learned now has no usual
/// time of its own.
class StuckPlaces {
public:
    /// Ids from here on stand for such places; sites have lower ones.
    static constexpr SiteId kFirst = SiteId{1} << 31;

    /// `places` may be null: nothing is divided then. Forgets all ids.
    void setPlaces(std::shared_ptr<Places> places);
    /// Those of one function and line are together, those of one function whose line is not known, and those of which
    /// nothing is known. Groups with most coroutines first, as they were; ids stay.
    void divide(const Population &population, std::vector<StuckGroup> &groups);
    /// nullptr: it is no id of a place.
    Places::Answer placeOf(SiteId id) const;

private:
    SiteId idOf(const Population &population, const StuckCoroutine &stuck, bool ask);

    std::shared_ptr<Places> m_places;
    std::vector<Places::Answer> m_answers;  ///< by id
    std::map<std::tuple<std::string, std::string, std::uint32_t>, SiteId> m_ids;
    std::unordered_map<Places::Answer, SiteId> m_idOf;  ///< the same, without comparing long names
};

}  // namespace ct
