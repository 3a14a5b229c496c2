// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The keychain of the user's desktop, for passwords of servers. Asynchronous. Without a keychain service, every request
// fails with the reason. GUI thread.
#pragma once

#include "core/databases/serveraddress.h"

#include <QObject>
#include <QString>

#include <functional>
#include <optional>

namespace ct {

class Keychain final : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    /// `problem`: why the request failed; empty: it succeeded.
    using Done = std::function<void(const QString &problem)>;
    /// nullopt without a problem: the keychain has no password for the server.
    using Found = std::function<void(const std::optional<QString> &password, const QString &problem)>;

    // The callbacks run later, on the GUI thread, but not after the destruction of this object.
    void read(const ServerAddress &address, Found found);
    void write(const ServerAddress &address, const QString &password, Done done);
    void remove(const ServerAddress &address, Done done);
};

}  // namespace ct
