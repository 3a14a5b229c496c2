// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Where a coroutine waits, for people: by what the target said, else by what its address was found to mean.
#pragma once

#include "core/session/places.h"
#include "core/trace/population.h"

#include <QString>

#include <optional>

namespace ct {

/// A place, and how it is known.
struct ShownPlace {
    std::optional<Site> site;  ///< of the innermost function; nullopt: nothing is known but the address
    std::uint64_t addr = 0;
    Places::Answer answer;  ///< nullptr: the target said the site, or nothing is known yet
};

/// `places` may be null; with it, what is not known yet is asked for.
ShownPlace shownPlace(const Population &population, Places *places, SiteId site, const Places::Spot &spot);
/// Of the latest suspension.
ShownPlace shownPlace(const Population &population, Places *places, const CoroutineSnapshot &coroutine);

namespace format {

/// As if the target had said it.
Site siteOf(const SourceFrame &frame);
/// "async_read server.cpp:88", "async_read", or the address.
QString place(const ShownPlace &place);
/// All that is known, a line each: functions with parameters (inlined ones before those they are in), paths and lines,
/// module, address, and if something is missing, what to do about it.
QString placeDetails(const ShownPlace &place);
/// "server.cpp:88  in /home/me/src"; empty when no file is known.
QString fileAndFolder(const Site &site);

}  // namespace format
}  // namespace ct
