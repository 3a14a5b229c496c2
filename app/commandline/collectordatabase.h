// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Turns the existing collector's options for a database into a server address. Pure.
#pragma once

#include "core/base/result.h"

#include <functional>
#include <string>
#include <string_view>

namespace ct {

/// `kind`: postgresql or mysql. `value`: returns the value of an option such as -db-host; empty = not given. The
/// address never contains the password.
Result<std::string> collectorDatabase(const std::string &kind,
                                      const std::function<std::string(std::string_view option)> &value);

}  // namespace ct
