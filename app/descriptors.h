// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The file descriptors that we were started with. Qt-free.
#pragma once

#include <vector>

namespace ct {

/// First of all in main(): closed standard descriptors become /dev/null, so that no file of ours takes their number;
/// what else was inherited (a shell's <(...), a job server) is named, to be passed on to a target.
std::vector<int> settleDescriptors();

}  // namespace ct
