// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A temporary directory for regions, and a sink's bookkeeping: what the stream said, checked against its rules.
#pragma once

#include "core/harvest/region.h"
#include "core/trace/stream.h"
#include "tests/support/writers.h"

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace regions {

class TempDir {
public:
    TempDir()
    {
        std::string pattern = (std::filesystem::temp_directory_path() / "ct-XXXXXX").string();
        m_path = ::mkdtemp(pattern.data());
    }
    ~TempDir()
    {
        std::error_code ignored;
        std::filesystem::remove_all(m_path, ignored);
    }
    TempDir(const TempDir &) = delete;
    TempDir &operator=(const TempDir &) = delete;
    std::string file(const std::string &name) const { return m_path + "/" + name; }
    const std::string &path() const { return m_path; }

private:
    std::string m_path;
};

/// The books of a stream. Keys are probe ids (see writers.h), so that payloads can be judged.
struct Books {
    struct One {
        std::uint64_t key = 0, captured = 0, lost = 0, missed = 0, lastN = 0, deaths = 0;
        std::uint32_t station = 0;
        bool flagged = false;
    };
    std::vector<One> coroutines;  ///< by CoroutineId
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
