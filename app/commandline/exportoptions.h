// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The options --export and --output: kinds of exports, their outputs, and names derived from the input. Pure.
#pragma once

#include "app/commandline/commandline.h"

#include <string>
#include <string_view>
#include <vector>

namespace ct {

/// Adds an --export. `value`: a kind, or the existing collector's name for it.
Result<void> addExport(std::vector<CommandLine::Export> &exports, const std::string &value);
/// Sets the output of the latest --export.
Result<void> setOutputOfExport(CommandLine::Export &requested, const std::string &name, const std::string &value);
/// Names the output of each --export without one: like the recording, with another extension. `source`: the argument
/// that selected what to convert or to capture. A recording of a region that is read with --input becomes the output of
/// -o.
Result<void> completeExports(CommandLine &line, const std::string &source);

/// "dir/run.ctr" -> "dir/run"; also removes the extension of a compressed file.
std::string withoutEnding(std::string path);

/// True if the output is the address of a server.
bool isOfServer(const CommandLine::Export &requested);

}  // namespace ct
