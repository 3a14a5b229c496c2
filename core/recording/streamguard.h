// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Stands between what a file says and the sinks: they get a stream that keeps its rules (core/trace/stream.h), or
// nothing. What was lost with a damaged block is made up: a birth of which nothing is known, no site.
#pragma once

#include "core/recording/frameplace.h"
#include "core/trace/stream.h"

#include <cstddef>
#include <cstdint>
#include <unordered_set>
#include <vector>

namespace ct::ctr {

class StreamGuard {
public:
    /// Limit for the texts of all frames in a stream, each counted once, and for all that wait to be given out. A
    /// million coroutines with 250 bytes each reach it.
    static constexpr std::uint64_t kMostFrameBytes = std::uint64_t{256} << 20;

    /// So many blocks were lost so far: as many births and sites as they can have held may be missing.
    void setLostBlocks(std::uint64_t count) { m_lostBlocks = count; }
    /// Makes the batch whole. False: no writer can have written it, and it is not to be used. The guard then forgets
    /// everything that the batch said.
    bool admit(Batch &batch);
    /// False: with these there are more texts than a program can have. The guard then forgets them.
    bool admit(const std::vector<FramePlace> &frames);
    const Accounting &sums() const { return m_sums; }  ///< of what was admitted

private:
    bool admitSites(const Batch &batch, std::vector<SiteId> &added);
    bool admitBirths(Batch &batch);
    bool makeUp(CoroutineId until, std::vector<Birth> &births);
    void count(const Batch &batch);

    CoroutineId m_coroutines = 0;
    std::uint64_t m_madeUp = 0;
    std::uint64_t m_lostBlocks = 0;
    std::vector<bool> m_sites;  ///< known, by id
    std::uint64_t m_siteCount = 0;
    std::uint64_t m_siteBytes = 0;                 ///< of their texts
    std::unordered_set<std::size_t> m_frameTexts;  ///< known, by hash
    std::uint64_t m_frameBytes = 0;                ///< of these
    Accounting m_sums;
};

}  // namespace ct::ctr
