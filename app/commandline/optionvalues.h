// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Parses the values of options. Pure. An error names the option, the value, and what was expected.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <variant>

namespace ct {

/// Error for wrong usage: `message`, and a pointer to --help.
Error usageError(std::string message);

/// Fails for a path that cannot be copied from a terminal, because it is not UTF-8 or has invisible characters. Paths
/// of regions and sockets are part of the commands that start a target.
Result<void> checkCopyable(const std::string &option, const std::string &path);

/// Parses a positive number of seconds, such as "1.5".
Result<double> parseSeconds(const std::string &option, const std::string &value);
Result<double> parseSecondsOrZero(const std::string &option, const std::string &value);
/// Parses a share above 0 and at most 100 percent, such as "2%" or "0.5%"; the percent sign is optional. Returns 0 to
/// 1.
Result<double> parseShare(const std::string &option, const std::string &value);
/// Parses a number from 0 to 1, such as "0.9".
Result<double> parseConfidence(const std::string &option, const std::string &value);
Result<std::uint32_t> parseStations(const std::string &option, const std::string &value);

struct SizeLimits {
    std::uint64_t smallest = 0;
    std::uint64_t largest = 0;
};
/// Parses bytes, with or without a unit: "65536", "64KiB" or "64K", "16MiB", "1GiB".
Result<std::uint64_t> parseSize(const std::string &option, const std::string &value, const SizeLimits &limits);

/// An amount of history: a time, or a number of bytes.
struct KeepTime {
    double seconds = 0;
};
struct KeepBytes {
    std::uint64_t bytes = 0;
};
/// Parses "30s", "500ms", "2min", or a size.
Result<std::variant<KeepTime, KeepBytes>> parseKeep(const std::string &option, const std::string &value,
                                                    const SizeLimits &limits);

}  // namespace ct
