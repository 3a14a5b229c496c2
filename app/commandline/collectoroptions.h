// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The options of the existing collector, with its spellings and defaults: -cmd collects JSONL, -export converts it.
// docs/interchange.md has the table.
#pragma once

#include "core/base/result.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace ct {

inline constexpr std::array<std::string_view, 18> kCollectorOptions{
    "-cmd",        "-shm",      "-sock",        "-out",          "-export",     "-in",
    "-sqlite-out", "-csv-out",  "-db-cli",      "-db-host",      "-db-port",    "-db-user",
    "-db-name",    "-db-table", "-db-password", "-mysql-socket", "-pg-sslmode", "-pg-maintenance-db"};

/// Today's arguments, and what cannot or must not be an argument.
struct CurrentArguments {
    std::vector<std::string> arguments;
    std::vector<std::string> warnings;      ///< one sentence each
    std::string databasePassword;           ///< empty: none
    bool replacesUnusedRegion = false;      ///< see CaptureSpec::replacesUnused
    std::string appended;                   ///< the output of an --export that appends to its file; empty: none
    std::vector<std::string> inNewFolders;  ///< outputs whose missing folders are created
};

/// Replaces the existing collector's options before "--", with one dash or two. Returns other arguments unchanged. Any
/// spelling that only the collector has selects --batch.
Result<CurrentArguments> withoutCollectorOptions(const std::vector<std::string> &arguments);

}  // namespace ct
