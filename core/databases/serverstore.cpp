// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/databases/serverstore.h"

#include <QCryptographicHash>

namespace ct {

namespace {

/// An entry of a B-tree in PostgreSQL has at most 2704 bytes.
constexpr std::size_t kMostKeyBytes = 2000;

/// The remedy for a statement that a server refused.
const char *remedyOf(ErrorCode code)
{
    switch (code) {
    case ErrorCode::PermissionDenied:
        return "ask the owner of the database for the right to create tables and views, or choose another database";
    case ErrorCode::Busy: return "end the programs that use these tables, and export again";
    case ErrorCode::Unsupported:  // the transaction is read-only
        return "choose a server that is no standby, and let default_transaction_read_only be off";
    default: return spaceRemedy(code);
    }
}

}  // namespace

Error nothingStored(Error error)
{
    error.message += "; nothing of this session was stored, and what the database had before is unchanged";
    addRemedy(error, remedyOf(error.code));
    return error;
}

Error perhapsStored(Error error)
{
    error.message += "; it is not known whether this session was stored";
    addRemedy(error, "look for it in the view `sessions` of the database, and export the run again if it is missing");
    return error;
}

Result<void> orNothingStored(Result<void> done)
{
    return done ? done : nothingStored(done.error());
}

std::string storedKey(const std::string &sessionKey)
{
    if (sessionKey.size() <= kMostKeyBytes)
        return sessionKey;
    std::size_t kept = kMostKeyBytes;
    while (kept > 0 && (static_cast<unsigned char>(sessionKey[kept]) & 0xC0U) == 0x80U)  // inside a UTF-8 character
        --kept;
    const QByteArray hash =
        QCryptographicHash::hash(QByteArray::fromStdString(sessionKey), QCryptographicHash::Sha256).toHex();
    return sessionKey.substr(0, kept) + "... " + hash.toStdString();
}

std::string keyPrefix(const std::string &ownView)
{
    return ownView + ": ";
}

std::string storedKeyAt(const ServerAddress &address, const std::string &sessionKey, std::uint64_t number)
{
    const std::string key = sessionKey.empty() ? "session " + std::to_string(number) : sessionKey;
    return storedKey(address.hasOwnView() ? keyPrefix(address.table) + key : key);
}

}  // namespace ct
