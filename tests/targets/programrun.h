// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Runs a test program the way an engine would, but without one: a region in a file of its own, read when all is over.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace targets {

struct Run {
    int exitStatus = -1;  ///< -1 when a signal ended it
    int signal = 0;
    std::string output;                          ///< stdout
    std::string errors;                          ///< stderr
    std::map<std::string, std::uint64_t> truth;  ///< CT_EMITTED_FILE; empty when it was not written
    std::uint64_t allocated = 0;                 ///< from the header; the rest from the stations
    bool touchedReserved = false;                ///< version 1: something stands where nothing may
    std::uint64_t born = 0;
    std::uint64_t alive = 0;
    std::uint64_t eventsSeqlock = 0;             ///< sum of seq / 2 over all slots
    std::uint64_t eventsMonotonic = 0;           ///< sum of the largest seq of each station
    std::map<std::string, std::uint64_t> sites;  ///< suspended and alive, by "function" of the last event's site
};

struct Surroundings {
    std::uint32_t stations = 0;  ///< 0 = the three variables are not set: untraced
    bool versionOne = false;     ///< the region is as a version-1 engine makes it: header and stations, nothing else
    std::function<void(int pid)> afterFirstOutput = {};  ///< called once the program has printed something
};

/// Runs bin/<arguments[0]> to its end.
[[nodiscard]] Run runProgram(const std::vector<std::string> &arguments, const Surroundings &surroundings = {});

}  // namespace targets
