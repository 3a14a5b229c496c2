// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// What a recording is about, without reading its events: when they were, how many, and who was recorded. Told by the
// heads of its blocks, so that it takes milliseconds where the events take seconds.
//
// The file is untrusted: this is what it says of itself. What its events are, only reading them tells.
#pragma once

#include "core/recording/blockreader.h"
#include "core/recording/recordinginfo.h"
#include "core/trace/stream.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ct {

/// A plain value.
struct RecordingOverview {
    /// Of payloads of kind Info that are looked at: enough for a hundred thousand modules.
    static constexpr std::uint64_t kMostInfoBytes = 64U << 20;

    struct Block {
        ctr::BlockPlace place;
        std::uint32_t file = 0;  ///< index in `files`
    };
    std::vector<std::string> files;  ///< of the recording, as far as they are there, in their order
    std::vector<Block> blocks;       ///< in the order of the stream
    std::uint64_t bytes = 0;         ///< of all files
    std::uint64_t transitions = 0;
    std::uint64_t firstTs = 0;         ///< ns, CLOCK_MONOTONIC: the earliest time in the stream; 0 = there is none
    std::uint64_t lastTs = 0;          ///< the latest; never before firstTs
    RecordingInfo info;                ///< what was said of the run
    std::optional<Accounting> sums;    ///< of the session, the latest that were written
    std::vector<ctr::Damage> damages;  ///< as far as they show without reading everything
    std::string trouble;               ///< empty, or why files at the end could not be looked at
    bool hasEnded = false;             ///< the recording was ended in order

    /// How many transitions there were in each of `columns` equal parts of [from, to), by the blocks alone: those of a
    /// block are taken as spread evenly over its time. At most kMostColumns. Takes blocks + columns steps.
    std::vector<double> transitionsOverTime(std::uint64_t from, std::uint64_t to, std::size_t columns) const;
    static constexpr std::size_t kMostColumns = 1U << 20;
};

/// Of all files of the recording that `path` is one of. An error when the first of them is no recording, or cannot be
/// read. Any thread.
Result<RecordingOverview> overviewOf(const std::string &path);

}  // namespace ct
