// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Where the programs and the sources of this build are, without a slash at the end. Defined in one small source and not
// on every command line, so that a compiler cache serves clones at other paths, too.
#pragma once

#include <string>

namespace ct::test {

/// The directory of the built programs.
extern const std::string kBinDir;
/// The root of the sources.
extern const std::string kSourceDir;
/// The programs of tests/symbols whose symbols are looked up.
extern const std::string kSymbolProgramsDir;

}  // namespace ct::test
