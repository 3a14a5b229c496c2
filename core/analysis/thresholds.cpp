// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/thresholds.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace ct {

namespace {

using Unit = NamedThreshold::Unit;

constexpr std::array kNames = std::to_array<NamedThreshold>({
    {"shortest", Unit::Time, &Thresholds::shortestNs},
    {"satisfied", Unit::Time, &Thresholds::satisfiedNs},
    {"woken", Unit::Time, &Thresholds::wokenNs},
    {"overtaken", Unit::Count, &Thresholds::overtaken},
    {"deadlock", Unit::Time, &Thresholds::deadlockNs},
    {"start", Unit::Time, &Thresholds::startNs},
    {"after-death", Unit::Time, &Thresholds::afterDeathNs},
    {"leak", Unit::Time, &Thresholds::leakNs},
    {"leak-factor", Unit::Factor, &Thresholds::leakFactor},
    {"leak-ended", Unit::Count, &Thresholds::endedCoroutines},
    {"leak-count", Unit::Count, &Thresholds::leakedCoroutines},
    {"leak-window", Unit::Time, &Thresholds::leakWindowNs},
    {"owner-gone", Unit::Time, &Thresholds::ownerGoneNs},
    {"stall", Unit::Time, &Thresholds::stallNs},
    {"long-run", Unit::Time, &Thresholds::longRunNs},
    {"starvation", Unit::Time, &Thresholds::starvationNs},
    {"parked", Unit::Time, &Thresholds::parkedNs},
    {"busy-share", Unit::Share, &Thresholds::busyShare},
    {"idle-share", Unit::Share, &Thresholds::idleShare},
    {"late", Unit::Time, &Thresholds::lateNs},
    {"late-factor", Unit::Factor, &Thresholds::lateFactor},
    {"late-share", Unit::Share, &Thresholds::lateShare},
    {"late-completed", Unit::Count, &Thresholds::completedWaits},
    {"later-waits", Unit::Count, &Thresholds::laterWaits},
    {"later-siblings", Unit::Count, &Thresholds::laterSiblings},
    {"undelivered", Unit::Time, &Thresholds::undeliveredNs},
    {"overload-share", Unit::Share, &Thresholds::overloadShare},
});

constexpr double kLargest = 1e18;

/// ns, or the number itself; nullopt if the unit does not fit.
std::optional<double> parseNumber(std::string_view value, Unit unit)
{
    double number = 0;
    const char *const end = value.data() + value.size();
    const auto [last, error] = std::from_chars(value.data(), end, number, std::chars_format::fixed);
    if (error != std::errc())
        return std::nullopt;
    const std::string_view suffix(last, static_cast<std::size_t>(end - last));
    if (unit != Unit::Time)
        return suffix.empty() ? std::optional(number) : std::nullopt;
    struct Time {
        std::string_view name;
        double ns;
    };
    constexpr std::array kTimes = std::to_array<Time>({{"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"min", 60e9}});
    const auto found =
        std::find_if(kTimes.begin(), kTimes.end(), [suffix](const Time &time) { return time.name == suffix; });
    return found != kTimes.end() ? std::optional(number * found->ns) : std::nullopt;
}

bool isInRange(double number, Unit unit)
{
    switch (unit) {
    case Unit::Share: return number >= 0 && number <= 1;
    case Unit::Count:
        return number >= 1 && number < kLargest && number == static_cast<double>(static_cast<std::uint64_t>(number));
    default: return number >= 1 && number < kLargest;
    }
}

const char *expectation(Unit unit)
{
    switch (unit) {
    case Unit::Time: return "a time, such as 500ms, 2s or 1min";
    case Unit::Count: return "a whole number of at least 1";
    case Unit::Factor: return "a number of at least 1";
    default: return "a number of 0 to 1";
    }
}

}  // namespace

std::span<const NamedThreshold> namedThresholds()
{
    return kNames;
}

Result<void> setThreshold(Thresholds &thresholds, const std::string &assignment)
{
    const std::size_t equals = std::min(assignment.find('='), assignment.size());
    const std::string name = assignment.substr(0, equals);
    const auto found =
        std::find_if(kNames.begin(), kNames.end(), [&name](const NamedThreshold &one) { return one.name == name; });
    if (found == kNames.end() || equals == assignment.size()) {
        std::string names;
        for (const NamedThreshold &one : kNames)
            names += (names.empty() ? "" : ", ") + std::string(one.name);
        return Error{ErrorCode::InvalidArgument,
                     (found == kNames.end() ? "\"" + name + "\" is no threshold" : "its value is missing") +
                         "; expected NAME=VALUE, with one of " + names};
    }
    const std::optional<double> number = parseNumber(std::string_view(assignment).substr(equals + 1), found->unit);
    if (!number || !isInRange(*number, found->unit))
        return Error{ErrorCode::InvalidArgument, name + ": expected " + expectation(found->unit)};
    if (const auto *const whole = std::get_if<std::uint64_t Thresholds::*>(&found->member))
        thresholds.**whole = static_cast<std::uint64_t>(*number);
    else
        thresholds.*std::get<double Thresholds::*>(found->member) = *number;
    return {};
}

}  // namespace ct
