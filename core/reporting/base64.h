// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace ct {

/// Base 64 of RFC 4648, with padding.
std::string base64(std::string_view bytes);

}  // namespace ct
