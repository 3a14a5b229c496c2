// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commandline/optionvalues.h"

#include "core/base/utf8.h"
#include "core/region/region.h"
#include "core/target/printabletext.h"

#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

namespace ct {

namespace {

constexpr double kLongestSec = 1e9;

struct Unit {
    std::string_view name;
    std::uint64_t factor;
};
constexpr std::array<Unit, 9> kSizes{{{"", 1},
                                      {"K", 1 << 10},
                                      {"KiB", 1 << 10},
                                      {"M", 1 << 20},
                                      {"MiB", 1 << 20},
                                      {"G", 1 << 30},
                                      {"GiB", 1 << 30},
                                      {"T", 1ULL << 40},
                                      {"TiB", 1ULL << 40}}};
constexpr std::array<Unit, 3> kTimes{{{"ms", 1}, {"s", 1000}, {"min", 60'000}}};  // in ms

template <std::size_t N>
std::optional<std::uint64_t> factorOf(const std::array<Unit, N> &units, std::string_view name)
{
    for (const Unit &unit : units) {
        if (unit.name == name)
            return unit.factor;
    }
    return std::nullopt;
}

/// Splits off the number at the beginning; nullopt if there is none that a double can represent.
std::optional<std::pair<double, std::string_view>> splitNumber(std::string_view value)
{
    double number = 0;
    const char *end = value.data() + value.size();
    const auto [last, error] = std::from_chars(value.data(), end, number, std::chars_format::fixed);
    if (error != std::errc() || !(number >= 0))
        return std::nullopt;
    return std::pair(number, std::string_view(last, static_cast<std::size_t>(end - last)));
}

std::string sizeText(std::uint64_t bytes)
{
    constexpr std::array<Unit, 4> kLargestFirst{
        {{"TiB", 1ULL << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}}};
    for (const Unit &unit : kLargestFirst) {
        if (bytes % unit.factor == 0)
            return std::to_string(bytes / unit.factor) + std::string(unit.name);
    }
    return std::to_string(bytes);
}

}  // namespace

Error usageError(std::string message)
{
    return {ErrorCode::InvalidArgument, std::move(message) + " (see --help)"};
}

Result<void> checkCopyable(const std::string &option, const std::string &path)
{
    if (validUtf8(path) != path)
        return usageError(option + " " + path +
                          ": the path is not valid UTF-8; rename the folder or choose another one");
    if (printable(path).toStdString() != path)
        return usageError(option + " " + path +
                          ": the path has a control character, or one that changes the direction of "
                          "text; choose another one");
    return {};
}

Result<double> parseSeconds(const std::string &option, const std::string &value)
{
    const auto number = splitNumber(value);
    if (!number || !number->second.empty() || !(number->first > 0) || !(number->first <= kLongestSec))
        return usageError(option + " " + value + ": expected a positive number of seconds");
    return number->first;
}

Result<double> parseSecondsOrZero(const std::string &option, const std::string &value)
{
    const auto number = splitNumber(value);
    if (number && number->second.empty() && number->first == 0)
        return 0.0;
    return parseSeconds(option, value);
}

Result<double> parseShare(const std::string &option, const std::string &value)
{
    const auto number = splitNumber(value);
    if (!number || (!number->second.empty() && number->second != "%") || !(number->first > 0) ||
        !(number->first <= 100))
        return usageError(option + " " + value + ": expected a share above 0 and at most 100%, such as 2%");
    return number->first / 100;
}

Result<double> parseConfidence(const std::string &option, const std::string &value)
{
    const auto number = splitNumber(value);
    if (!number || !number->second.empty() || !(number->first >= 0) || !(number->first <= 1))
        return usageError(option + " " + value + ": expected a number from 0 to 1, such as 0.9");
    return number->first;
}

Result<std::uint32_t> parseStations(const std::string &option, const std::string &value)
{
    std::uint32_t stations = 0;
    const char *end = value.data() + value.size();
    const auto [last, error] = std::from_chars(value.data(), end, stations);
    if (error != std::errc() || last != end || stations < 1 || stations > corotracer::kMostStations)
        return usageError(option + " " + value + ": expected a number of stations from 1 to " +
                          std::to_string(corotracer::kMostStations) +
                          "; programs with an existing C++ SDK cannot map more");
    return stations;
}

Result<std::uint64_t> parseSize(const std::string &option, const std::string &value, const SizeLimits &limits)
{
    const auto number = splitNumber(value);
    const auto factor = number ? factorOf(kSizes, number->second) : std::nullopt;
    const double bytes = factor ? number->first * static_cast<double>(*factor) : -1;
    if (!(bytes >= static_cast<double>(limits.smallest)) || !(bytes <= static_cast<double>(limits.largest)))
        return usageError(option + " " + value + ": expected a size from " + sizeText(limits.smallest) + " to " +
                          sizeText(limits.largest));
    return static_cast<std::uint64_t>(bytes);
}

Result<std::variant<KeepTime, KeepBytes>> parseKeep(const std::string &option, const std::string &value,
                                                    const SizeLimits &limits)
{
    using Keep = std::variant<KeepTime, KeepBytes>;
    const auto number = splitNumber(value);
    if (const auto factor = number ? factorOf(kTimes, number->second) : std::nullopt) {
        const double seconds = number->first * static_cast<double>(*factor) / 1e3;
        if (seconds > 0 && seconds <= kLongestSec)
            return Keep(KeepTime{seconds});
        return usageError(option + " " + value + ": expected a time above 0");
    }
    if (!number || !factorOf(kSizes, number->second))
        return usageError(option + " " + value + ": expected a time (30s, 2min) or a size (64MiB)");
    const Result<std::uint64_t> bytes = parseSize(option, value, limits);
    if (!bytes)
        return bytes.error();
    return Keep(KeepBytes{*bytes});
}

}  // namespace ct
