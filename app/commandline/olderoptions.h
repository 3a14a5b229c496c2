// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The options with which an early version of the existing collector analysed its recordings: -deepdive and -html.
// There, -out named the file to read, trace_output.jsonl by default, and the results had fixed names.
#pragma once

#include "core/base/result.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace ct {

inline constexpr std::array<std::string_view, 3> kOlderOptions{"-deepdive", "-html", "-out"};

/// Replaces the older options before "--" by today's options. Returns other arguments unchanged.
Result<std::vector<std::string>> withoutOlderOptions(const std::vector<std::string> &arguments);

}  // namespace ct
