// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The counts that a test program reports at its end. Tests compare them with the engine's figures.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace targets {

struct Truth {
    std::uint64_t emitted = 0;                                     ///< publishing stores, of coroutines with a station
    std::uint64_t traced = 0;                                      ///< coroutines with a station
    std::uint64_t untraced = 0;                                    ///< coroutines without a station
    std::uint64_t unfinished = 0;                                  ///< frames still alive, with or without a station
    std::vector<std::pair<std::string, std::uint64_t>> more = {};  ///< further counts of the program
};

/// Returns one line of JSON: {"emitted":N,"traced_coroutines":N,"untraced":N,"unfinished":N,...}.
[[nodiscard]] std::string toJson(const Truth &truth);

/// Writes the line to the file named by the environment variable CT_EMITTED_FILE, if it is set. Returns false, with a
/// message on stderr, if the file cannot be written.
[[nodiscard]] bool writeReport(const Truth &truth);

}  // namespace targets
