// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The socket through which targets wake the harvest thread. Belongs to that thread.
#pragma once

#include "core/base/filekey.h"
#include "core/base/result.h"

#include <QObject>
#include <QTimer>

#include <memory>
#include <optional>
#include <set>
#include <string>

class QSocketNotifier;

namespace ct {

/// Accepts connections and discards the bytes that arrive. Keeps every connection open as long as the server exists: a
/// closed one raises SIGPIPE in targets that do not suppress it. Not a QLocalServer, which closes its socket for good
/// when an accept fails.
class HarvestServer final : public QObject {
    Q_OBJECT
public:
    explicit HarvestServer(QObject *parent = nullptr);
    /// Closes the connections. Removes the socket file unless another one has replaced it.
    ~HarvestServer() override;

    /// Binds the socket. Replaces a stale socket file. A socket in use, or any other file, is an error.
    Result<void> listen(const std::string &path);

Q_SIGNALS:
    void connected(int pid);  ///< 0 = the process has no pid here
    void disconnected(int pid);
    void woken();  ///< bytes arrived
    /// The system has no descriptor for one more connection. Emitted once. Further connections wait in the kernel and
    /// are accepted as soon as possible.
    void acceptFailed(const QString &message);

public:
    std::size_t connectionCount() const { return m_connections.size(); }

private:
    void acceptAll();
    void pauseAccepting(int errnoValue);
    void keep(int fd);
    bool swallow(int fd);

    std::string m_path;
    int m_listener = -1;
    std::optional<FileKey> m_file;  ///< device and inode of the socket file; the listener keeps its inode in use
    QSocketNotifier *m_incoming = nullptr;
    QTimer m_retry;
    std::set<int> m_connections;
    bool m_saidFailure = false;
};

}  // namespace ct
