// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Tests whether an export to a server, or opening one of its sessions, can succeed. Changes nothing on the server.
#pragma once

#include "core/base/result.h"
#include "core/databases/serveraddress.h"

#include <functional>
#include <string>

namespace ct {

struct ServerStatus {
    std::string version;  ///< "PostgreSQL 15.5", "MariaDB 10.11.6"; no number if the server reports none
    bool hasDatabase = false;
    bool usesTls = false;
};

/// Takes up to 20 seconds if the server does not answer. `stops`: called repeatedly; returning true ends the wait with
/// ErrorCode::Cancelled. PermissionDenied: the password is missing or wrong. Any thread.
Result<ServerStatus> checkServer(const ServerAddress &address, const std::function<bool()> &stops = {});

}  // namespace ct
