// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/rules/binomial.h"

#include <cmath>

namespace ct::rules {

namespace {

constexpr std::uint64_t kMostExact = 2000;

/// ln of the probability of exactly `count`.
double logProbability(double count, double all, double share)
{
    return std::lgamma(all + 1) - std::lgamma(count + 1) - std::lgamma(all - count + 1) + count * std::log(share) +
           (all - count) * std::log1p(-share);
}

}  // namespace

bool isShareBelow(std::uint64_t count, std::uint64_t all, double share, double doubt)
{
    const auto k = static_cast<double>(count);
    const auto n = static_cast<double>(all);
    if (all == 0 || k >= n * share)
        return false;
    if (all > kMostExact) {
        const double p = k / n;
        const double divergence =
            (p > 0 ? p * std::log(p / share) : 0) + (1 - p) * (std::log1p(-p) - std::log1p(-share));
        return -n * divergence <= std::log(doubt);
    }
    double probability = 0;
    for (std::uint64_t i = 0; i <= count; ++i)
        probability += std::exp(logProbability(static_cast<double>(i), n, share));
    return probability <= doubt;
}

}  // namespace ct::rules
