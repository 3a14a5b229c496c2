// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Paths of this build's programs and sources, without a slash at the end. One small source file defines them, not every
// command line. So a compiler cache also serves clones at other paths.
#pragma once

#include <string>

namespace ct::test {

/// Directory of the built programs.
extern const std::string kBinDir;
/// Root of the sources.
extern const std::string kSourceDir;
/// Directory of the programs whose addresses the tests in tests/core/symbols resolve.
extern const std::string kSymbolProgramsDir;

}  // namespace ct::test
