// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Texts in CSV files.
#pragma once

#include "core/stream/stream.h"

#include <string>

namespace ct {

/// Escaped: a text that a spreadsheet may run as a formula gets a leading apostrophe.
enum class Formulas { Raw, Escaped };

/// Appends a text as a field, in quotes if it needs them.
void appendCsvField(std::string &row, const std::string &value, Formulas formulas);

/// `,file,line,function`.
std::string csvSiteText(const Site &site, Formulas formulas);
inline constexpr std::string_view kNoCsvSite = ",,,";

}  // namespace ct
