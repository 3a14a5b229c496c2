// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/databasepassword.h"

#include "app/batch/passwordprompt.h"
#include "core/databases/servercheck.h"
#include "core/databases/serverpasswords.h"

#include <cstdlib>
#include <vector>

namespace ct {

namespace {

/// The servers of the outputs and of the input. Other code reports bad addresses.
std::vector<ServerAddress> serversOf(const CommandLine &line)
{
    std::vector<std::string> addresses{line.start.inputPath()};
    for (const CommandLine::Export &requested : line.exports)
        addresses.push_back(requested.output);
    std::vector<ServerAddress> servers;
    for (const std::string &address : addresses) {
        if (!isServerAddress(address))
            continue;
        if (const Result<ServerAddress> server = parseServerAddress(address))
            servers.push_back(*server);
    }
    return servers;
}

void askFor(const ServerAddress &server)
{
    const bool isGiven = keptServerPassword(server) || std::getenv(passwordVariable(server.kind)) != nullptr;
    if (isGiven || !canAskForPassword())
        return;
    // Other errors appear when the export begins.
    if (const Result<ServerStatus> status = checkServer(server);
        status || status.error().code != ErrorCode::PermissionDenied)
        return;
    if (const auto password = askForPassword("Password of user " + userOf(server) + " for " + server.name() + ": "))
        keepServerPassword(server, *password);
}

}  // namespace

void provideDatabasePasswords(const CommandLine &line)
{
    for (const ServerAddress &server : serversOf(line)) {
        if (!line.databasePassword.empty())
            keepServerPassword(server, line.databasePassword);
        askFor(server);
    }
}

}  // namespace ct
