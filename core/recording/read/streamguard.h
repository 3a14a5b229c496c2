// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Checks the stream of a file, so that sinks only get batches that keep the rules of core/stream/stream.h. The guard
// makes up births that were lost with damaged blocks, and removes references to lost sites.
#pragma once

#include "core/stream/framelocation.h"
#include "core/stream/stream.h"

#include <cstddef>
#include <cstdint>
#include <unordered_set>
#include <vector>

namespace ct::ctr {

class StreamGuard {
public:
    /// Limit for the texts of all frame locations in a stream, each different one counted once, in bytes. It also
    /// limits the texts that wait for takeFacts(). A million coroutines with 250 bytes each reach it.
    static constexpr std::uint64_t kMostFrameBytes = std::uint64_t{256} << 20;

    /// Sets how many blocks were lost so far. This limits how many births and sites may be missing.
    void setLostBlocks(std::uint64_t count) { m_lostBlocks = count; }
    /// Completes the batch. Returns false when no writer can have written it. The caller must discard it then, and the
    /// guard keeps nothing of it.
    bool admit(Batch &batch);
    /// Returns false when the texts exceed kMostFrameBytes. The guard then keeps nothing of `frames`.
    bool admit(const std::vector<FrameLocation> &frames);
    const RunSums &sums() const { return m_sums; }  ///< sums of all admitted batches

private:
    bool admitSites(const Batch &batch, std::vector<SiteId> &added);
    bool admitBirths(Batch &batch);
    bool makeUp(CoroutineId until, std::vector<Birth> &births);
    void count(const Batch &batch);

    CoroutineId m_coroutines = 0;  ///< born so far, including made-up births
    std::uint64_t m_madeUp = 0;
    std::uint64_t m_lostBlocks = 0;
    std::vector<bool> m_sites;  ///< known, by id
    std::uint64_t m_siteCount = 0;
    std::uint64_t m_siteBytes = 0;                 ///< size of the sites' texts
    std::unordered_set<std::size_t> m_frameTexts;  ///< hashes of the known texts
    std::uint64_t m_frameBytes = 0;                ///< size of the known texts, with their overhead
    RunSums m_sums;
};

}  // namespace ct::ctr
