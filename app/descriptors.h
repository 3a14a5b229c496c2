// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The file descriptors that the program was started with. Qt-free.
#pragma once

#include <vector>

namespace ct {

/// Call it first of all in main(). Opens /dev/null for each closed standard descriptor, so no file of ours gets its
/// number. Opens it in the wrong direction, so using it remains an error, here and in a target. Returns the other
/// inherited descriptors (a shell's <(...), a job server), which a target inherits, too.
std::vector<int> fillStandardDescriptors();

}  // namespace ct
