// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
#include "core/base/quantitytext.h"

#include <array>
#include <charconv>
#include <cstdio>

namespace ct {

std::string durationText(std::uint64_t ns)
{
    struct Unit {
        double ns;
        const char *name;
    };
    constexpr std::array<Unit, 4> kUnits{{{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}}};
    std::array<char, 32> buffer{};
    const double value = static_cast<double>(ns);
    for (const Unit &unit : kUnits) {
        if (value >= unit.ns || unit.ns == 1) {
            const double scaled = value / unit.ns;
            const int decimals = unit.ns == 1 ? 0 : scaled < 10 ? 2 : scaled < 100 ? 1 : 0;
            std::snprintf(buffer.data(), buffer.size(), "%.*f %s", decimals, scaled, unit.name);
            break;
        }
    }
    return buffer.data();
}

std::string percentText(double share)
{
    const double percent = share * 100;
    if (percent < 0.0001)
        return "less than 0.0001 %";
    const bool isLarge = percent >= 99.5;
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), percent,
                                   isLarge ? std::chars_format::fixed : std::chars_format::general, isLarge ? 0 : 2)
                         .ptr;
    return std::string(text.data(), end) + " %";
}

}  // namespace ct
