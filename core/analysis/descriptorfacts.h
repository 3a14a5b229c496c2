// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the samples say about the descriptors of one process at one instant: which of them have something for a waiting
// coroutine, or can have nothing for it any more.
#pragma once

#include "core/trace/population.h"

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

namespace ct {

/// A wait for a descriptor that is over.
struct OverDescriptor {
    std::uint64_t since = 0;  ///< ns: when a sample first saw it
    std::string what;         ///< with a time behind it: "descriptor 7 was closed"
    bool isReady = false;     ///< it has something to fetch; else no epoll watches it any more
};

class DescriptorFacts {
public:
    /// Without samples of the process, or after its end, it knows nothing.
    DescriptorFacts() = default;
    DescriptorFacts(const Population &population, std::uint32_t pid, std::uint64_t now);

    /// nullopt: coroutines may wait for the descriptor, or it is not known.
    std::optional<OverDescriptor> over(std::uint64_t descriptor) const;
    /// True if it is known what became of the descriptors until `ts` (ns), or shortly before now. A process with many
    /// of them is sampled rarely.
    bool areKnownUntil(std::uint64_t ts) const;
    /// True if an epoll watches the descriptor, and it is not ready: a wait for it has nothing to wait longer than.
    bool isIdle(std::uint64_t descriptor) const;

    /// True if `count` coroutines that have waited since `since` or later may have a source of their own, which is just
    /// quiet: epolls watch as many sockets, pipes and so on, and none of them became ready after `since` and has stayed
    /// so for `longNs`.
    bool mayHaveQuietSources(std::uint64_t count, std::uint64_t since, std::uint64_t longNs) const;

private:
    /// A descriptor, in all epolls in which it is registered, or was.
    struct Known {
        bool canCome = false;  ///< an epoll watches it, and it was not ready there
        bool isWatched = false;
        WatchedDescriptor latest;
    };
    std::unordered_map<std::uint64_t, Known> m_known;
    std::uint64_t m_now = 0;
    std::uint64_t m_knownUntil = 0;  ///< ns; 0 = not sampled
};

}  // namespace ct
