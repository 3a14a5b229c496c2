// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The interface to a trace viewer's format: turns tracks and slices into bytes.
#pragma once

#include "core/exporting/viewers/slice.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace ct::viewers {

/// begin(), end() and instant() write at most room() bytes at `at`, and return the end. They may use only texts,
/// locations and tracks that were introduced before. The other functions return whole units of the file, perhaps none.
class TrackEncoder {
public:
    virtual ~TrackEncoder() = default;

    /// `ts`: ns, CLOCK_MONOTONIC, near the first event.
    virtual std::string header(std::uint64_t ts) = 0;
    virtual std::string text(TextId id, const std::string &text) = 0;
    virtual std::string location(LocationId id, const Location &location) = 0;
    /// May be repeated for a track when its name has become known.
    virtual std::string track(const TrackDescription &description) = 0;
    virtual std::string footer() = 0;

    virtual std::size_t room() const = 0;
    virtual char *begin(char *at, const Slice &slice) = 0;
    /// Ends the innermost slice of the track. `slice`: as it was begun. `more`: arguments that begin() did not get.
    virtual char *end(char *at, const Slice &slice, std::uint64_t ts, const Args &more) = 0;
    virtual char *instant(char *at, const Slice &slice) = 0;
};

}  // namespace ct::viewers
