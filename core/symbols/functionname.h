// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Compilers' function names of coroutines made readable.
#pragma once

#include <string>
#include <string_view>

namespace ct {

/// g++ names the ramp inside a coroutine "void f(f(int)::_Z1fi.Frame*)": gives back "f(int)". Other names pass
/// unchanged.
std::string readableFunction(std::string_view compilerName);

}  // namespace ct
