// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/paths.h"

namespace ct::test {

const std::string kBinDir = CT_BIN_DIR;
const std::string kSourceDir = CT_SOURCE_DIR;
const std::string kSymbolProgramsDir = CT_SYMBOL_PROGRAMS_DIR;

}  // namespace ct::test
