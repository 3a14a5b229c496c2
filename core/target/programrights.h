// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Detects programs that run with more rights than their caller. A probe in such a program ignores the environment.
#pragma once

#include "core/target/targetprocess.h"

#include <string>

namespace ct {

/// Returns true if the kernel would give the program file more rights than ours: by setuid, setgid or file
/// capabilities.
bool gainsRights(const std::string &program);

/// Returns the name of a program in the command that gains rights; empty: none is known. Searches PATH as the launch
/// does.
std::string privilegedProgram(const LaunchSpec &command);

}  // namespace ct
