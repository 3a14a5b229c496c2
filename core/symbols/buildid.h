// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The build id of a program or library, which distinguishes builds of one file. Qt-free.
#pragma once

#include <string>

namespace ct {

/// Returns hexadecimal digits. Empty if the file has no build id, cannot be read, or is no 64-bit little-endian ELF
/// file.
std::string buildIdOf(const std::string &path);

}  // namespace ct
