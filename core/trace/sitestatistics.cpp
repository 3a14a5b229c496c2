// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/population.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ct {

std::uint64_t SiteStatistics::upperBoundOf(int bucket)
{
    if (bucket < 4)
        return bucket < 0 ? 0 : static_cast<std::uint64_t>(bucket);
    const int power = bucket / 4 + 1;
    if (power > 63)
        return std::numeric_limits<std::uint64_t>::max();
    const std::uint64_t quarter = std::uint64_t{1} << (power - 2);
    return (std::uint64_t{1} << power) - 1 + quarter * static_cast<std::uint64_t>(bucket % 4 + 1);
}

std::uint64_t SiteStatistics::quantile(double fraction) const
{
    if (completed == 0)
        return 0;
    // The buckets are a copy made during writes. Only their own sum matches them.
    std::uint64_t sum = 0;
    for (const std::uint64_t count : buckets)
        sum += count;
    const double wanted = std::ceil(std::clamp(fraction, 0.0, 1.0) * static_cast<double>(sum));
    const std::uint64_t rank = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(wanted));
    std::uint64_t below = 0;
    for (int bucket = 0; bucket < kBuckets; ++bucket) {
        below += buckets[static_cast<std::size_t>(bucket)];
        if (below >= rank)
            return std::min(upperBoundOf(bucket), maxNs);
    }
    return maxNs;
}

}  // namespace ct
