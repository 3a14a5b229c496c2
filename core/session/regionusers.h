// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Who may use a region: its process table against the processes of this machine.
#pragma once

#include "core/session/mappings.h"
#include "core/session/pidnamespaces.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ct {

enum class UserState : std::uint8_t {
    Alive,    ///< maps the region
    Ended,    ///< or maps the region no longer
    Unknown,  ///< of another user, whose mappings we may not read, or in a container that we cannot look into
};

struct RegionUser {
    std::uint32_t pid = 0;  ///< in the pid namespace of that process
    std::string name;       ///< of its program; untrusted text
    UserState state = UserState::Unknown;
};

/// The active entries of the process table. Read with pread, because a mapped hole would take memory. Empty for a file
/// without such a table.
std::vector<RegionUser> regionUsers(const FileIdentity &file);
/// With states from `stateOf`, which is asked once for each process: a hostile table repeats one in all its entries.
using StateOf = std::function<UserState(const NamespacedPid &untrusted)>;
std::vector<RegionUser> regionUsers(const FileIdentity &file, const StateOf &stateOf);
/// Those in state Unknown. While there is one, the region must be kept.
std::vector<RegionUser> unknownUsers(const FileIdentity &file);
/// "may be in use by server (process 123 of another user or container)"
std::string mayBeInUse(const RegionUser &user);
/// "If you know that it has ended, remove the file: rm FILE"
std::string onceItHasEnded(const FileIdentity &file);

}  // namespace ct
