// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commandline/collectordatabase.h"

#include "app/commandline/optionvalues.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>

namespace ct {

namespace {

struct Option {
    std::string_view option;  ///< of the collector
    std::string_view name;    ///< of the option in an address
    std::string_view kind;    ///< empty: both
};
constexpr std::array<Option, 3> kOptions{{{"-db-table", "table", ""},
                                          {"-pg-sslmode", "sslmode", "postgresql"},
                                          {"-pg-maintenance-db", "maintenance", "postgresql"}}};

/// Percent-encodes everything but unreserved characters.
std::string encoded(const std::string &text)
{
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    std::string result;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (std::isalnum(byte) != 0 || std::string_view("-._~").find(c) != std::string_view::npos)
            result += c;
        else
            result += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
    return result;
}

/// ":5432"; empty for 0, the usual port.
Result<std::string> portText(const std::string &value)
{
    std::uint16_t port = 0;
    const char *const end = value.data() + value.size();
    if (const auto parsed = std::from_chars(value.data(), end, port);
        !value.empty() && (parsed.ec != std::errc() || parsed.ptr != end))
        return usageError("-db-port " + value + ": expected a number from 0 to 65535; 0 is the usual port");
    return port == 0 ? std::string() : ":" + std::to_string(port);
}

}  // namespace

Result<std::string> collectorDatabase(const std::string &kind,
                                      const std::function<std::string(std::string_view option)> &value)
{
    const auto orElse = [&value](std::string_view option, const char *otherwise) {
        const std::string given = value(option);
        return given.empty() ? otherwise : given;
    };
    std::string host = orElse("-db-host", "127.0.0.1");
    // As in psql, a host that is a path is the folder of a Unix socket.
    std::string socket = kind == "mysql" ? value("-mysql-socket") : host.starts_with('/') ? host : std::string();
    if (!socket.empty())
        host = "localhost";
    const Result<std::string> port = portText(value("-db-port"));
    if (!port)
        return port.error();
    std::string address = kind + "://";
    if (const std::string user = value("-db-user"); !user.empty())
        address += encoded(user) + "@";
    address += host.find(':') != std::string::npos ? "[" + host + "]" : encoded(host);
    if (kind != "mysql" || socket.empty())
        address += *port;
    address += "/" + encoded(orElse("-db-name", "coro_tracer"));
    char separator = '?';
    const auto add = [&](std::string_view name, const std::string &text) {
        if (text.empty())
            return;
        address += separator + std::string(name) + "=" + encoded(text);
        separator = '&';
    };
    add("socket", socket);
    for (const Option &option : kOptions) {
        const std::string given = value(option.option);
        if (option.kind.empty() || option.kind == kind)
            add(option.name, option.name == "sslmode" && given == "allow" ? "prefer" : given);
    }
    return address;
}

}  // namespace ct
