// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Region specifications, and the sums of a stream of full stations, checked against the rules of streams.
#pragma once

#include "core/region/region.h"
#include "core/stream/stream.h"
#include "tests/support/tempdir.h"
#include "tests/support/writers.h"

#include <map>
#include <string>
#include <vector>

namespace regions {

using ct::test::TempDir;

inline ct::RegionSpec specOf(const std::string &path, std::uint32_t stations = corotracer::kMostStations)
{
    ct::RegionSpec spec;
    spec.path = path;
    spec.stations = stations;
    return spec;
}

/// Number of stations that version-1 probes may use.
inline std::uint32_t offered(const ct::Region &region)
{
    return region.header().max_stations.load();
}

/// Sums of a stream. The keys are probe ids (see writers.h), so payloads can be checked.
struct StreamSums {
    struct One {
        std::uint64_t key = 0, captured = 0, lost = 0, missed = 0, lastN = 0, deaths = 0;
        std::uint32_t station = 0;
        bool flagged = false;
    };
    std::vector<One> coroutines;  ///< indexed by CoroutineId
    std::uint64_t captured = 0, lost = 0, missed = 0, inversions = 0, torn = 0, broken = 0, flags = 0, deaths = 0;
    std::map<ct::SiteId, ct::Site> sites;
    std::uint64_t now = 0;

    void add(const ct::Batch &batch)
    {
        broken += batch.now < now;
        now = batch.now;
        for (const ct::Site &site : batch.sites)
            broken += !sites.emplace(site.id, site).second;
        for (const ct::Birth &birth : batch.births) {
            broken += birth.coroutine != coroutines.size();
            One one;
            one.key = birth.probeId;
            one.station = birth.station;
            coroutines.push_back(one);
        }
        for (const ct::Loss &loss : batch.losses)
            addLoss(loss);
        for (const ct::Transition &transition : batch.transitions)
            addTransition(transition);
        for (const ct::Flag &flag : batch.flags) {
            ++flags;
            coroutines.at(flag.coroutine).flagged = true;
        }
        for (const ct::Death &death : batch.deaths) {
            ++deaths;
            broken += ++coroutines.at(death.coroutine).deaths != 1;
        }
    }
    std::uint64_t sum() const { return captured + lost + missed; }

private:
    void addLoss(const ct::Loss &loss)
    {
        One &one = coroutines.at(loss.coroutine);
        (loss.beforeAttach ? one.missed : one.lost) += loss.count;
        (loss.beforeAttach ? missed : lost) += loss.count;
        broken += loss.count == 0;
    }
    void addTransition(const ct::Transition &transition)
    {
        One &one = coroutines.at(transition.coroutine);
        inversions += one.captured != 0 && transition.n <= one.lastN;
        broken += one.deaths != 0 && !one.flagged;
        broken += transition.site != ct::kUnknownSite && !sites.count(transition.site);
        torn += !writers::isGenuine(transition, one.key);
        one.lastN = transition.n;
        ++one.captured;
        ++captured;
    }
};

}  // namespace regions
