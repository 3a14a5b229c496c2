// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The socket that targets wake us through. Lives on the harvest thread.
#pragma once

#include "core/result.h"

#include <QLocalServer>
#include <QObject>

#include <string>

namespace ct {

/// Keeps every connection open as long as it lives (a closed one raises SIGPIPE in targets that do not ask for better)
/// and swallows what arrives.
class HarvestServer final : public QObject {
    Q_OBJECT
public:
    explicit HarvestServer(QObject *parent = nullptr);
    ~HarvestServer() override;  ///< closes the connections and removes the socket file

    /// A socket file that nobody listens on any more is replaced; one in use, or any other file, is an error.
    Result<void> listen(const std::string &path);

Q_SIGNALS:
    void connected(int pid);  ///< 0: of a process that has no pid here
    void disconnected(int pid);
    void woken();  ///< bytes came

private:
    void takeConnections();

    QLocalServer m_server;
    std::string m_path;
};

}  // namespace ct
