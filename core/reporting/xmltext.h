// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace ct {

/// Returns a text of a target for XML 1.0, in an element or in a quoted attribute: escapes markup, and characters that
/// XML forbids or that are not safe to print.
std::string xmlText(std::string_view text);

}  // namespace ct
