// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/databasepassword.h"

#include "app/batch/passwordprompt.h"
#include "core/databases/servercheck.h"
#include "core/databases/serverpasswords.h"

#include <cstdlib>
#include <optional>

namespace ct {

namespace {

/// nullopt for a path, and for an invalid address, which other code reports.
std::optional<ServerAddress> serverOf(const std::string &address)
{
    if (!isServerAddress(address))
        return std::nullopt;
    const Result<ServerAddress> server = parseServerAddress(address);
    return server ? std::optional(*server) : std::nullopt;
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
    if (const std::optional<ServerAddress> input = serverOf(line.start.inputPath()))
        askFor(*input);
    for (const CommandLine::Export &requested : line.exports) {
        const std::optional<ServerAddress> server = serverOf(requested.output);
        if (server && !line.databasePassword.empty())
            keepServerPassword(*server, line.databasePassword);
        if (server)
            askFor(*server);
    }
}

}  // namespace ct
