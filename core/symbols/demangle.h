// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Linkers' names of functions made readable.
#pragma once

#include <string>
#include <string_view>

namespace ct {

/// C++ names (Itanium ABI), rustc's legacy names without their hash, coroutines' bodies by their function's name; what
/// is no such name, or longer than 16 KiB, passes unchanged.
std::string readableSymbol(std::string_view symbol);

/// The last part of a readable name, without parameters and template arguments: "await_resume" of
/// "A<int>::await_resume() const".
std::string_view lastPart(std::string_view readable);

}  // namespace ct
