// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/databases/serverpasswords.h"

#include <map>
#include <mutex>
#include <tuple>

namespace ct {

namespace {

using Server = std::tuple<ServerAddress::Kind, std::string, std::uint16_t, std::string>;

struct Kept {
    std::mutex mutex;
    std::map<Server, std::string> passwords;
};

Kept &kept()
{
    static Kept passwords;
    return passwords;
}

Server serverOf(const ServerAddress &address)
{
    const std::string &endpoint = address.socket.empty() ? address.host : address.socket;
    return {address.kind, endpoint, address.port, userOf(address)};
}

}  // namespace

void keepServerPassword(const ServerAddress &address, const std::string &password)
{
    Kept &all = kept();
    const std::lock_guard lock(all.mutex);
    if (password.empty())
        all.passwords.erase(serverOf(address));
    else
        all.passwords[serverOf(address)] = password;
}

std::optional<std::string> keptServerPassword(const ServerAddress &address)
{
    Kept &all = kept();
    const std::lock_guard lock(all.mutex);
    const auto found = all.passwords.find(serverOf(address));
    return found == all.passwords.end() ? std::nullopt : std::optional(found->second);
}

const char *passwordVariable(ServerAddress::Kind kind)
{
    return kind == ServerAddress::Kind::PostgreSql ? "PGPASSWORD" : "MYSQL_PWD";
}

std::string passwordRemedy(const ServerAddress &address)
{
    return "give the password of the user " + userOf(address) + " when you are asked for it, or set " +
           passwordVariable(address.kind) + " in the environment";
}

}  // namespace ct
