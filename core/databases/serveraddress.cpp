// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/databases/serveraddress.h"

#include "core/databases/schema.h"
#include "core/databases/serverpasswords.h"
#include "core/databases/traceviews.h"

#include <QUrl>
#include <QUrlQuery>

#include <algorithm>
#include <array>
#include <filesystem>
#include <pwd.h>
#include <ranges>
#include <string>
#include <string_view>
#include <unistd.h>

namespace ct {

namespace {

constexpr std::array<std::string_view, 5> kSslModes{"disable", "prefer", "require", "verify-ca", "verify-full"};

/// In the names of the tables that an export fills, before the number of the session.
constexpr std::string_view kOfSession = "_of_session_";

Error wrong(const std::string &text, const std::string &what)
{
    return {ErrorCode::InvalidArgument, text + ": " + what};
}

/// For messages: leaves out whatever may be a password, including options that do not exist.
std::string withoutSecrets(QUrl url)
{
    url.setPassword(QString());
    url.setQuery(QString());
    return url.toString().toStdString();
}

Result<void> setOption(ServerAddress &address, const std::string &name, const std::string &value,
                       const std::string &text)
{
    const std::pair<std::string_view, std::string *> fields[] = {
        {"table", &address.table},     {"session", &address.session},         {"socket", &address.socket},
        {"sslmode", &address.sslMode}, {"sslrootcert", &address.certificate}, {"maintenance", &address.maintenance},
    };
    const auto field = std::find_if(std::begin(fields), std::end(fields),
                                    [&name](const auto &candidate) { return candidate.first == name; });
    if (field == std::end(fields))
        return wrong(text, "unknown option " + name +
                               "; expected table, session, socket, sslmode, sslrootcert or maintenance");
    if (value.empty())
        return wrong(text, "the option " + name + " has no value; give one, or leave it out");
    // It would end the option in the text that Qt's driver takes.
    if (name == "socket" && address.kind == ServerAddress::Kind::MySql && value.find(';') != std::string::npos)
        return wrong(text, "the path of the socket must not contain a semicolon; choose another path");
    *field->second = value;
    if (name == "sslmode" && std::find(kSslModes.begin(), kSslModes.end(), value) == kSslModes.end())
        return wrong(text,
                     "unknown sslmode " + value + "; expected disable, prefer, require, verify-ca or verify-full");
    return {};
}

Result<void> checkTable(const ServerAddress &address, const std::string &text)
{
    if (address.table.size() > kMostTableBytes)
        return wrong(text, "the name of the table has more than 63 bytes; choose a shorter one with table=NAME");
    if (isMadeByExports(address.table))
        return wrong(text, "every export makes a table or view " + address.table +
                               "; choose another name with table=NAME, or leave it out");
    return {};
}

}  // namespace

std::string ServerAddress::name() const
{
    const std::string scheme = kind == Kind::PostgreSql ? "postgresql://" : "mysql://";
    // The port is a part of the name of PostgreSQL's socket, which `socket` lacks.
    const bool hasPort = socket.empty() || (kind == Kind::PostgreSql && port != 0 && port != 5432);
    const std::string at = hostOrSocket() + (hasPort ? ":" + std::to_string(port) : "");
    return scheme + (user.empty() ? "" : user + "@") + at + "/" + database;
}

Error withoutTls(const ServerAddress &address)
{
    return {ErrorCode::Unsupported, address.name() +
                                        ": the connection does not use TLS, which sslmode=" + address.sslMode +
                                        " requires; switch TLS on at the server, or connect over TCP"};
}

std::string tlsRemedy(const ServerAddress &address)
{
    std::string remedy = "switch TLS on at the server";
    if (address.sslMode.starts_with("verify-"))
        remedy += ", and name the certificate of its authority with sslrootcert=FILE";
    if (address.sslMode == "verify-full")
        remedy += "; the server's certificate must name the host";
    return remedy;
}

bool isServerAddress(std::string_view text)
{
    return text.starts_with("postgresql://") || text.starts_with("postgres://") || text.starts_with("mysql://") ||
           text.starts_with("mariadb://");
}

Result<ServerAddress> parseServerAddress(const std::string &text)
{
    const QUrl url(QString::fromStdString(text), QUrl::StrictMode);
    // The message does not quote the text: the wrong part may be a password.
    if (!isServerAddress(text) || !url.isValid())
        return wrong("invalid server address",
                     "expected postgresql://USER@HOST:PORT/DATABASE or mysql://USER@HOST:PORT/DATABASE; write "
                     "special characters as in a URL, such as %20 for a space");
    ServerAddress address;
    address.kind = text.starts_with("postgres") ? ServerAddress::Kind::PostgreSql : ServerAddress::Kind::MySql;
    const std::string shown = withoutSecrets(url);
    if (!url.password().isEmpty())
        return wrong(shown, std::string("an address must not contain a password, because other users can see it in the "
                                        "list of processes; set ") +
                                passwordVariable(address.kind) + " in the environment");
    address.port = address.kind == ServerAddress::Kind::PostgreSql ? 5432 : 3306;
    if (url.port() > 0)
        address.port = static_cast<std::uint16_t>(url.port());
    // Libraries would take only what is before it.
    if (text.find("%00") != std::string::npos)
        return wrong(shown, "an address must not contain the byte 0 (%00); leave it out");
    if (!url.host().isEmpty())
        address.host = url.host().toStdString();
    address.user = url.userName(QUrl::FullyDecoded).toStdString();
    if (const QString path = url.path(QUrl::FullyDecoded); path.size() > 1)
        address.database = path.mid(1).toStdString();
    const QUrlQuery options(url);
    for (const auto &[name, value] : options.queryItems(QUrl::FullyDecoded)) {
        if (options.allQueryItemValues(name).size() > 1)
            return wrong(shown, "the option " + name.toStdString() + " is given twice; give it once");
        if (Result<void> set = setOption(address, name.toStdString(), value.toStdString(), shown); !set)
            return set.error();
    }
    if (const std::string problem = databaseProblem(address); !problem.empty())
        return wrong(shown, problem);
    if (Result<void> checked = checkTable(address, shown); !checked)
        return checked.error();
    return address;
}

Result<ServerAddress> parseTargetAddress(const std::string &text)
{
    Result<ServerAddress> address = parseServerAddress(text);
    if (address && !address->session.empty())
        return wrong(address->name(), "session=" + address->session +
                                          " chooses a session to read, and an export adds one or replaces that of the "
                                          "same run; leave the option out");
    return address;
}

bool isMadeByExports(const std::string &table)
{
    // MariaDB may ignore the case of letters.
    const std::string name = QString::fromStdString(table).toLower().toStdString();
    const auto isTable = [&name](std::size_t index) {
        const std::string_view own = serverNameOf(static_cast<Table>(index));
        return name == own || name == "all_" + std::string(own);
    };
    const auto isView = [&name](const TraceView &view) { return name == view.name; };
    if (const std::size_t at = name.rfind(kOfSession); at != std::string::npos)
        return name.find_first_not_of("0123456789", at + kOfSession.size()) == std::string::npos;
    const auto tables = std::views::iota(std::size_t{0}, kTables);
    return name == "stored_sessions" || std::ranges::any_of(tables, isTable) ||
           std::ranges::any_of(kTraceViews, isView);
}

std::string databaseProblem(const ServerAddress &address)
{
    // PostgreSQL cuts off the rest of a longer name, so two names could mean one database.
    constexpr std::size_t kMostBytes = 63;
    constexpr qsizetype kMostCharacters = 64;
    if (address.kind == ServerAddress::Kind::PostgreSql && address.database.size() > kMostBytes)
        return "the name of the database has " + std::to_string(address.database.size()) +
               " bytes, and PostgreSQL allows 63; choose a shorter one";
    if (const qsizetype length = QString::fromStdString(address.database).toUcs4().size();
        address.kind == ServerAddress::Kind::MySql && length > kMostCharacters)
        return "the name of the database has " + std::to_string(length) +
               " characters, and MariaDB allows 64; choose a shorter one";
    return {};
}

std::string addressText(const ServerAddress &address)
{
    QUrl url;
    url.setScheme(address.kind == ServerAddress::Kind::PostgreSql ? QStringLiteral("postgresql")
                                                                  : QStringLiteral("mysql"));
    url.setHost(QString::fromStdString(address.host));
    url.setPort(address.port);
    url.setUserName(QString::fromStdString(address.user), QUrl::DecodedMode);
    url.setPath(u'/' + QString::fromStdString(address.database), QUrl::DecodedMode);
    const ServerAddress usual;
    QUrlQuery options;
    const auto add = [&options](const char *name, const std::string &value, const std::string &usualValue) {
        if (value != usualValue)
            options.addQueryItem(QLatin1String(name),
                                 QString::fromLatin1(QUrl::toPercentEncoding(QString::fromStdString(value))));
    };
    add("table", address.table, usual.table);
    add("session", address.session, usual.session);
    add("socket", address.socket, usual.socket);
    add("sslmode", address.sslMode, usual.sslMode);
    add("sslrootcert", address.certificate, usual.certificate);
    add("maintenance", address.maintenance, usual.maintenance);
    url.setQuery(options);
    return url.toString(QUrl::FullyEncoded).toStdString();
}

bool areSameDatabase(const ServerAddress &one, const ServerAddress &other)
{
    // The port is in the name of a socket of PostgreSQL, and not of MySQL.
    const bool needsPort = one.socket.empty() || one.kind == ServerAddress::Kind::PostgreSql;
    return one.kind == other.kind && one.socket == other.socket && one.database == other.database &&
           (!one.socket.empty() || one.host == other.host) && (!needsPort || one.port == other.port);
}

std::string sourceOfInput(const std::string &input)
{
    return input.empty() || isServerAddress(input) ? input
                                                   : std::filesystem::absolute(input).lexically_normal().string();
}

std::string userOf(const ServerAddress &address)
{
    if (!address.user.empty())
        return address.user;
    char buffer[4096];
    passwd entry{};
    passwd *found = nullptr;
    const bool isKnown = ::getpwuid_r(::geteuid(), &entry, buffer, sizeof buffer, &found) == 0 && found;
    return isKnown ? entry.pw_name : std::to_string(::geteuid());
}

}  // namespace ct
