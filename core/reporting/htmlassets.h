// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The files in html/, as the build embeds them (htmlassets.cpp.in).
#pragma once

#include <string_view>

namespace ct::htmlassets {

extern const std::string_view kPage;  ///< with {{names}} in place of what htmlreport.cpp writes
extern const std::string_view kStyle;
extern const std::string_view kStyleHash;  ///< SHA-256, hexadecimal
extern const std::string_view kScript;
extern const std::string_view kScriptHash;  ///< SHA-256, hexadecimal

}  // namespace ct::htmlassets
