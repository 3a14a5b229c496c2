// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Runs a test program without an engine, in a region file of its own. Reads the region after the program has ended.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace targets {

struct Run {
    int exitStatus = -1;  ///< -1 if a signal ended the program
    int signal = 0;
    std::string output;                          ///< stdout
    std::string errors;                          ///< stderr, without a warning of address sanitizer
    std::map<std::string, std::uint64_t> truth;  ///< the file named by CT_EMITTED_FILE; empty if it was not written
    std::uint64_t allocated = 0;                 ///< allocated_count of the header
    bool touchedReserved = false;                ///< version 1 only: the program wrote into reserved bytes
    std::uint64_t born = 0;
    std::uint64_t alive = 0;
    std::uint64_t eventsSeqlock = 0;             ///< sum of seq / 2 over all slots
    std::uint64_t eventsMonotonic = 0;           ///< sum of the largest seq of each station
    std::map<std::string, std::uint64_t> sites;  ///< coroutines alive and suspended, by function of the last event's
                                                 ///< site
};

struct Surroundings {
    std::uint32_t stations = 0;  ///< 0 leaves the three variables unset: the program runs untraced
    bool versionOne = false;     ///< the region has a header and stations only, as from a version-1 engine
    std::function<void(int pid)> afterFirstOutput = {};  ///< called at the program's first output
};

/// Runs bin/<arguments[0]> until it and its children have closed their output.
[[nodiscard]] Run runProgram(const std::vector<std::string> &arguments, const Surroundings &surroundings = {});

}  // namespace targets
