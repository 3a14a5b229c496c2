// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// An overview of a recording: times, number of events, and the description of the run. It comes from the heads of the
// blocks, which takes milliseconds. Reading the events takes seconds.
//
// The file is untrusted, and an overview repeats what the file claims. Only reading the events checks the claims.
#pragma once

#include "core/recording/format/recordinginfo.h"
#include "core/recording/read/blockreader.h"
#include "core/stream/stream.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ct {

/// A plain value.
struct RecordingOverview {
    /// Limit for the Info payloads that are read, in bytes: enough for a hundred thousand modules.
    static constexpr std::uint64_t kMostInfoBytes = 64U << 20;

    struct Block {
        ctr::BlockLocation location;
        std::uint32_t file = 0;  ///< index in `files`
    };
    std::vector<std::string> files;  ///< present files of the recording, in order
    std::vector<Block> blocks;       ///< in the order of the stream
    std::uint64_t bytes = 0;         ///< size of all files
    std::uint64_t transitions = 0;
    std::uint64_t firstTs = 0;         ///< ns, CLOCK_MONOTONIC: the earliest time in the stream; 0 = unknown
    std::uint64_t lastTs = 0;          ///< ns, CLOCK_MONOTONIC: the latest time; never before firstTs
    RecordingInfo info;                ///< description of the run
    std::optional<Accounting> sums;    ///< sums of the run, the latest that were written
    std::vector<ctr::Damage> damages;  ///< found without reading all payloads
    std::string trouble;               ///< why the remaining files could not be read; empty = no error
    bool hasEnded = false;             ///< the recording was ended in order

    /// Estimates how many transitions are in each of `columns` equal parts of [from, to), in ns. Spreads the
    /// transitions of each block evenly over its time. Reduces `columns` to kMostColumns. Takes blocks + columns steps.
    std::vector<double> transitionsOverTime(std::uint64_t from, std::uint64_t to, std::size_t columns) const;
    static constexpr std::size_t kMostColumns = 1U << 20;
};

/// Reads the overview of all files of the recording that `path` belongs to. Returns an error when the first file is no
/// recording, or cannot be read. Any thread.
Result<RecordingOverview> overviewOf(const std::string &path);

}  // namespace ct
