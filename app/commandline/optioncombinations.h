// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which options go together. Pure. An error names the option, and what it needs or excludes.
#pragma once

#include "app/commandline/commandline.h"

#include <string>
#include <string_view>
#include <vector>

namespace ct {

/// What the parser has read.
struct ParsedOptions {
    const CommandLine &line;
    const std::string &source;             ///< the argument that selected what to capture or to show
    const std::vector<std::string> &used;  ///< the options that were given, in their order
};
Result<void> checkCombinations(const ParsedOptions &parsed);

/// Qt's own options that have a value.
bool isQtOption(std::string_view argument);

}  // namespace ct
