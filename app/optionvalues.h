// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Values of options, from text. Pure; an error names the option, what it got and what would be right.
#pragma once

#include "core/result.h"

#include <cstdint>
#include <string>
#include <variant>

namespace ct {

/// The error of a wrong usage: `message`, and where to look.
Error usageError(std::string message);

/// Refuses a path that cannot be copied from a terminal: one that is not UTF-8, or has characters that do not show.
/// Paths of regions and sockets stand in the lines that start a target.
Result<void> checkCopyable(const std::string &option, const std::string &path);

/// A positive number of seconds, "1.5".
Result<double> parseSeconds(const std::string &option, const std::string &value);
Result<double> parseSecondsOrZero(const std::string &option, const std::string &value);
Result<std::uint32_t> parseStations(const std::string &option, const std::string &value);

struct SizeLimits {
    std::uint64_t smallest = 0;
    std::uint64_t largest = 0;
};
/// Bytes, with or without a unit: "65536", "64KiB" or "64K", "16MiB", "1GiB".
Result<std::uint64_t> parseSize(const std::string &option, const std::string &value, const SizeLimits &limits);

/// How much history: so long, or so many bytes.
struct KeepTime {
    double seconds = 0;
};
struct KeepBytes {
    std::uint64_t bytes = 0;
};
/// "30s", "500ms", "2min", or a size.
Result<std::variant<KeepTime, KeepBytes>> parseKeep(const std::string &option, const std::string &value,
                                                    const SizeLimits &limits);

}  // namespace ct
