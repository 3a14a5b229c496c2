// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// The endings of file names, which select the file format. Ignores case, because other systems write RUN.CTR.
#pragma once

#include <algorithm>
#include <string>
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

/// Returns the part of a name before .gz or .zst, the ending of a compressed file; all of another name.
[[nodiscard]] inline std::string_view withoutPacking(std::string_view path)
{
    for (const std::string_view ending : {std::string_view(".gz"), std::string_view(".zst")}) {
        if (hasEnding(path, ending))
            return path.substr(0, path.size() - ending.size());
    }
    return path;
}

/// Adds `text` in front of the ending: "run.csv.gz", ".causes" -> "run.causes.csv.gz".
[[nodiscard]] inline std::string addBeforeEnding(std::string_view path, std::string_view text)
{
    const std::string_view unpacked = withoutPacking(path);
    const std::size_t name = unpacked.rfind('/') + 1;  // npos + 1 == 0
    const std::size_t dot = unpacked.rfind('.');
    // A name that only begins with a dot has no ending.
    const std::size_t at = dot != std::string_view::npos && dot > name ? dot : unpacked.size();
    return std::string(path.substr(0, at)).append(text).append(path.substr(at));
}

}  // namespace ct
