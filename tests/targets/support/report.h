// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a test program says about itself at its end, so that a test can hold the engine's figures against the truth.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace targets {

struct Truth {
    std::uint64_t emitted = 0;     ///< publishing stores, over coroutines that have a station
    std::uint64_t traced = 0;      ///< coroutines that have a station
    std::uint64_t untraced = 0;    ///< coroutines that have none
    std::uint64_t unfinished = 0;  ///< frames still alive, with or without a station
    std::vector<std::pair<std::string, std::uint64_t>> more = {};  ///< further figures of the program's own
};

/// One line of JSON: {"emitted":N,"traced_coroutines":N,"untraced":N,"unfinished":N,...}.
[[nodiscard]] std::string toJson(const Truth &truth);

/// Writes the line to the file named by the environment variable CT_EMITTED_FILE; without it, does nothing.
/// False, with a message on stderr, when the file cannot be written.
[[nodiscard]] bool writeReport(const Truth &truth);

}  // namespace targets
