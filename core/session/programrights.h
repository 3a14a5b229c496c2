// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Programs that run with more rights than their caller. A probe in one ignores the environment.
#pragma once

#include "core/session/targetprocess.h"

#include <string>

namespace ct {

/// Whether the kernel would give the program file more rights than we have: by setuid, setgid or file capabilities.
bool gainsRights(const std::string &program);

/// The name of a program of the command that gains rights; empty: none is known. Looks programs up as the start does.
std::string privilegedProgram(const LaunchSpec &command);

}  // namespace ct
