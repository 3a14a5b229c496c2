// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Lists the sessions of a database.
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
    std::string name;     ///< of the run, or else the path of the exported input, or the name of the SQLite file
    std::string program;  ///< the program that wrote it
    std::string command;  ///< of the target
    std::string machine;
    std::string storedAt;  ///< local time of the server
    std::uint64_t events = 0;
    std::uint64_t coroutines = 0;
    std::uint64_t ns = 0;  ///< from the first event to the last
};

/// `input`: the path of a SQLite file, which has one session, or the address of a PostgreSQL database. The session that
/// was stored last comes first. Any thread. `isCancelled`: ends a wait for the server. Connecting takes at most 20 s.
Result<std::vector<StoredSession>> storedSessions(const std::string &input, const IsCancelled &isCancelled = {});

}  // namespace ct
