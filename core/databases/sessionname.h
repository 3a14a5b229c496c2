// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Names and keys of sessions that have less than their run. So they do not replace the session of the whole run.
#pragma once

#include <string>
#include <string_view>

namespace ct {

/// For what was read of the run `name`.
inline std::string nameOfPart(std::string name)
{
    name += " (part)";
    return name;
}

/// For a selection of the run `name`, or of another selection of it.
inline std::string nameOfSelection(std::string name)
{
    constexpr std::string_view kSuffix = " (selection)";
    if (!name.ends_with(kSuffix))
        name += kSuffix;
    return name;
}

}  // namespace ct
