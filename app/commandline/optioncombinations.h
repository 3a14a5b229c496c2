// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Checks that options fit together. Pure. An error names the option, and what it needs or excludes.
#pragma once

#include "app/commandline/commandline.h"

#include <string>
#include <string_view>
#include <vector>

namespace ct {

/// The result of the parser.
struct ParsedOptions {
    const CommandLine &line;
    const std::string &source;             ///< the argument that selects what to capture or to show
    const std::vector<std::string> &used;  ///< the options that were given, in order
};
Result<void> checkCombinations(const ParsedOptions &parsed);

/// Qt's own options that have a value.
bool isQtOption(std::string_view argument);

}  // namespace ct
