// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Makes the function names that compilers give to coroutines readable.
#pragma once

#include <string>
#include <string_view>

namespace ct {

/// g++ gives the code inside a coroutine names such as "void f(f(int)::_Z1fi.Frame*)". Returns "f(int)" for it. Also
/// removes the return type and the call operator of a lambda. Returns names that it cannot parse unchanged.
std::string readableFunction(std::string_view compilerName);

}  // namespace ct
