// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Lists the sessions of a database, for a choice.
#pragma once

#include "core/base/result.h"
#include "core/recording/read/streamfile.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ct {

/// Unknown members are empty or 0.
struct StoredSession {
    std::string input;    ///< for openStream()
    std::string name;     ///< of the run, or else the path of what was exported, or the name of the SQLite file
    std::string program;  ///< that wrote it
    std::string command;  ///< of the target
    std::string machine;
    std::string storedAt;  ///< local time of the server
    std::uint64_t events = 0;
    std::uint64_t coroutines = 0;
    std::uint64_t ns = 0;  ///< from the first event to the last
};

/// `input`: the path of a SQLite file, which has one session, or an address of PostgreSQL. The latest session comes
/// first. Any thread. `isCancelled`: ends a wait for the server; connecting takes twenty seconds at most.
Result<std::vector<StoredSession>> storedSessions(const std::string &input, const IsCancelled &isCancelled = {});

}  // namespace ct
