// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/databases/serverpasswords.h"

#include <atomic>
#include <map>
#include <mutex>
#include <string_view>
#include <tuple>

namespace ct {

namespace {

using Server = std::tuple<ServerAddress::Kind, std::string, std::uint16_t, std::string>;

constexpr std::string_view kPlace = "; the dialogs Export and Open from database have a field for it";

struct Kept {
    std::mutex mutex;
    std::map<Server, std::string> passwords;
    std::atomic<PasswordInput> input{PasswordInput::Terminal};  ///< relaxed: only chooses a text
};

Kept &kept()
{
    static Kept passwords;
    return passwords;
}

Server serverOf(const ServerAddress &address)
{
    return {address.kind, address.hostOrSocket(), address.port, userOf(address)};
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

void setPasswordInput(PasswordInput input)
{
    kept().input.store(input, std::memory_order_relaxed);
}

std::string passwordRemedy(const ServerAddress &address)
{
    const std::string variable = passwordVariable(address.kind);
    if (kept().input.load(std::memory_order_relaxed) == PasswordInput::Window)
        return "enter the password of the user " + userOf(address) + std::string(kPlace);
    // Batch mode asks only if the variable is not set.
    return keptServerPassword(address)
               ? "enter the right password of the user " + userOf(address) + ", or set " + variable +
                     " in the environment"
               : "set " + variable + " in the environment to the password of the user " + userOf(address);
}

std::string messageInDialog(const Error &error)
{
    std::string message = error.message;
    if (message.ends_with(kPlace))
        message.resize(message.size() - kPlace.size());
    return message;
}

}  // namespace ct
