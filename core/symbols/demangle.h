// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Makes the linker's names of functions readable.
#pragma once

#include <string>
#include <string_view>

namespace ct {

/// Demangles C++ names (Itanium ABI) and rustc's legacy names, the latter without their hash. The body of a coroutine
/// gets the name of its function. Other names, and names longer than 16 KiB, are returned unchanged.
std::string readableSymbol(std::string_view symbol);

/// Returns the last part of a readable name without parameters and template arguments, for example "await_resume" for
/// "A<int>::await_resume() const".
std::string_view lastPart(std::string_view readable);

}  // namespace ct
