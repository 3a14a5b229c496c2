// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/databases/postgresql/pgattempt.h"

#include "core/databases/serverpasswords.h"

#include <chrono>
#include <libpq-fe.h>
#include <poll.h>
#include <regex>
#include <sys/socket.h>
#include <vector>

namespace ct {

namespace {

constexpr std::chrono::seconds kPatience{10};
constexpr int kSliceMs = 50;

PGconn *start(const ServerAddress &address, const std::string &database)
{
    const std::string port = std::to_string(address.port);
    const std::string password = keptServerPassword(address).value_or("");
    const std::pair<const char *, const std::string &> all[] = {{"host", address.hostOrSocket()},
                                                                {"port", port},
                                                                {"dbname", database},
                                                                {"user", address.user},
                                                                {"password", password},
                                                                {"sslmode", address.sslMode},
                                                                {"sslrootcert", address.certificate}};
    std::vector<const char *> names;
    std::vector<const char *> values;
    for (const auto &[name, value] : all) {
        // Without a value, libpq uses the environment and its own files.
        if (value.empty())
            continue;
        names.push_back(name);
        values.push_back(value.c_str());
    }
    names.push_back(nullptr);
    values.push_back(nullptr);
    return PQconnectStartParams(names.data(), values.data(), 0);
}

/// Waits until libpq can continue. Returns false if stopped, or after the deadline.
bool await(PGconn *handle, PostgresPollingStatusType wanted, const std::function<bool()> &stops,
           std::chrono::steady_clock::time_point deadline)
{
    pollfd socket{PQsocket(handle), static_cast<short>(wanted == PGRES_POLLING_READING ? POLLIN : POLLOUT), 0};
    while (::poll(&socket, 1, kSliceMs) <= 0) {
        if ((stops && stops()) || std::chrono::steady_clock::now() > deadline)
            return false;
    }
    return true;
}

/// True if something else than PostgreSQL answers the request for TLS: PostgreSQL sends one byte and then waits, or an
/// error. "SSH-2.0" begins like PostgreSQL's consent.
bool isForeignAnswer(PGconn *handle)
{
    char answer[2] = {};
    const ssize_t size = ::recv(PQsocket(handle), answer, sizeof answer, MSG_PEEK | MSG_DONTWAIT);
    return size > 0 && answer[0] != 'E' && !(size == 1 && (answer[0] == 'S' || answer[0] == 'N'));
}

/// "connection to ... failed: FATAL:  28P01: password authentication failed\nLOCATION: ...": takes the state out of
/// the text. The word before it depends on the language of the server.
void readRefusal(PgAttempt &attempt)
{
    std::string text = PQerrorMessage(attempt.handle.get());
    std::smatch match;
    if (static const std::regex pattern(":  ([0-9A-Z]{5}): "); std::regex_search(text, match, pattern)) {
        attempt.state = match[1];
        text.replace(static_cast<std::size_t>(match.position(1)), attempt.state.size() + 2, "");
    }
    text.resize(std::min(text.size(), text.find('\n')));
    attempt.text = text;
    attempt.wantsPassword = attempt.state == "28P01" || PQconnectionNeedsPassword(attempt.handle.get()) == 1;
}

}  // namespace

void PgAttempt::Finish::operator()(pg_conn *handle) const
{
    PQfinish(handle);
}

PgAttempt attemptPgConnection(const ServerAddress &address, const std::string &database,
                              const std::function<bool()> &stops)
{
    PgAttempt attempt;
    attempt.handle.reset(start(address, database));
    PGconn *const handle = attempt.handle.get();
    PQsetErrorVerbosity(handle, PQERRORS_VERBOSE);
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    PostgresPollingStatusType status = PGRES_POLLING_WRITING;
    bool startsTls = false;
    if (PQstatus(handle) == CONNECTION_BAD)
        status = PGRES_POLLING_FAILED;
    while (status != PGRES_POLLING_OK && status != PGRES_POLLING_FAILED) {
        if (!await(handle, status, stops, deadline)) {
            attempt.text = "the server does not answer";
            return attempt;
        }
        const bool startedTls = startsTls;
        startsTls = PQstatus(handle) == CONNECTION_SSL_STARTUP;
        if (startsTls && !startedTls && isForeignAnswer(handle)) {
            attempt.isForeign = true;
            attempt.text = "no PostgreSQL server answers there";
            return attempt;
        }
        status = PQconnectPoll(handle);
    }
    attempt.isConnected = status == PGRES_POLLING_OK;
    if (!attempt.isConnected)
        readRefusal(attempt);
    attempt.lacksTls = !attempt.isConnected && startsTls && attempt.state.empty();
    return attempt;
}

Error refusalOf(const ServerAddress &address, const PgAttempt &attempt)
{
    Error error{attempt.wantsPassword ? ErrorCode::PermissionDenied : ErrorCode::NotFound,
                address.name() + ": " + attempt.text};
    addRemedy(error, attempt.isForeign       ? "check the host and the port"
                     : attempt.wantsPassword ? passwordRemedy(address)
                     : attempt.lacksTls      ? tlsRemedy(address)
                                             : "check the address and the user");
    return error;
}

}  // namespace ct
