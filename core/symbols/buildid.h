// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The build id of a program or library: what tells one build of a file from another. Qt-free.
#pragma once

#include <string>

namespace ct {

/// Hexadecimal digits; empty when the file has none, cannot be read, or is no 64-bit ELF file of this byte order.
std::string buildIdOf(const std::string &path);

}  // namespace ct
