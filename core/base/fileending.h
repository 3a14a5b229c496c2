// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Compares the endings of file names, which select the file format. Ignores case, because other systems write RUN.CTR.
#pragma once

#include <algorithm>
#include <string_view>

namespace ct {

/// `ending` must be in lower case and include the dot: ".ctr". Only ASCII letters compare without case.
[[nodiscard]] inline bool hasEnding(std::string_view path, std::string_view ending)
{
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return path.size() >= ending.size() &&
           std::equal(ending.begin(), ending.end(), path.end() - static_cast<std::ptrdiff_t>(ending.size()),
                      [&](char wanted, char c) { return wanted == lower(c); });
}

}  // namespace ct
