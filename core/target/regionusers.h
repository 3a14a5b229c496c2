// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Finds the processes that may use a region: compares its process table with the processes of this machine.
#pragma once

#include "core/target/mappingprocesses.h"
#include "core/target/pidnamespaces.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ct {

enum class UserState : std::uint8_t {
    Alive,    ///< maps the region
    Ended,    ///< has ended, or maps the region no longer
    Unknown,  ///< may use it: a process of another user or a container, whose mappings we may not read or identify
};

struct RegionUser {
    std::uint32_t pid = 0;  ///< in its own pid namespace
    std::string name;       ///< name of its program; untrusted text
    UserState state = UserState::Unknown;
};

/// Returns the active entries of the process table. Reads with pread, because mapping a hole would allocate memory.
/// Empty for a file without a process table.
std::vector<RegionUser> regionUsers(const FileIdentity &file);
/// Returns the state of a process.
using StateOf = std::function<UserState(const NamespacedPid &untrusted)>;
/// Gets the states from `stateOf`. Calls it once per process: a hostile table may repeat one process in all entries.
std::vector<RegionUser> regionUsers(const FileIdentity &file, const StateOf &stateOf);
/// Returns the users in state Unknown. While there are any, the region must be kept.
std::vector<RegionUser> unknownUsers(const FileIdentity &file);
/// Part of a message: "may be in use by server (process 123 of another user or container)".
std::string mayBeInUse(const RegionUser &user);
/// Part of a message: "If you know that it has ended, remove the file: rm FILE".
std::string onceItHasEnded(const FileIdentity &file);

}  // namespace ct
