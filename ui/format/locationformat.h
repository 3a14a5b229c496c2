// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Texts for the location where a coroutine is suspended: its site, else the location resolved from its address.
#pragma once

#include "core/addresses/addressresolver.h"
#include "core/trace/population.h"

#include <QString>

#include <optional>

namespace ct {

/// A location, and its origin.
struct ShownLocation {
    std::optional<Site> site;  ///< innermost function; nullopt: only the address is known
    std::uint64_t addr = 0;
    AddressResolver::Answer answer;  ///< nullptr: the target named the site, or the address is not resolved yet
};

/// `resolver` may be null. If it is not null, unknown addresses are requested from it.
ShownLocation shownLocation(const Population &population, AddressResolver *resolver, SiteId site,
                            const AddressResolver::Query &query);
/// Returns the location of the latest suspension.
ShownLocation shownLocation(const Population &population, AddressResolver *resolver,
                            const CoroutineSnapshot &coroutine);

namespace format {

/// Converts a frame to a site.
Site siteOf(const SourceFrame &frame);
/// "async_read server.cpp:88", "async_read", or the address.
QString location(const ShownLocation &location);
/// All details, one per line: functions with parameters (an inlined function before its caller), paths and lines,
/// module, address, and the remedy if something is missing.
QString locationDetails(const ShownLocation &location);
/// "server.cpp:88  in /home/me/src"; empty if the file is not known.
QString fileAndFolder(const Site &site);

}  // namespace format
}  // namespace ct
