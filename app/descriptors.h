// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The file descriptors that we were started with. Qt-free.
#pragma once

#include <vector>

namespace ct {

/// First of all in main(). A standard descriptor that is closed becomes /dev/null, so that no file of ours takes its
/// number; opened the wrong way round, so that using it remains an error, here and in a target. Returns the
/// numbers of the others that were inherited (a shell's <(...), a job server), to be passed on to a target.
std::vector<int> settleDescriptors();

}  // namespace ct
