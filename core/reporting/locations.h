// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Where a coroutine is suspended, for texts that are not translated.
#pragma once

#include "core/addresses/addressresolver.h"
#include "core/trace/population.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace ct {

struct NamedLocation {
    std::string function;  ///< empty if not known, as the file
    std::string file;
    std::uint32_t line = 0;  ///< 1-based; 0 = unknown
    std::uint64_t addr = 0;  ///< as the target gave it; 0 = unknown
};

/// The location of a suspension that began at `since` (ns, CLOCK_MONOTONIC): that of the site, else that of `addr` as
/// far as `resolver` knows it. `resolver` may be null.
NamedLocation locationOf(const Population &population, const AddressResolver *resolver, CoroutineId coroutine,
                         SiteId site, std::uint64_t addr, std::uint64_t since);

/// "async_read (net.cpp:88)", or an address, or "an unknown location". Safe to print.
std::string locationText(const NamedLocation &location);

/// Names from the target, changed so that they are safe to print.
std::string printableText(std::string_view text);

}  // namespace ct
