// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The socket that targets wake us through. Lives on the harvest thread.
#pragma once

#include "core/filekey.h"
#include "core/result.h"

#include <QObject>
#include <QTimer>

#include <memory>
#include <optional>
#include <set>
#include <string>

class QSocketNotifier;

namespace ct {

/// Keeps every connection open as long as it lives (a closed one raises SIGPIPE in targets that do not ask for better)
/// and swallows what arrives. Not a QLocalServer: that one closes its socket for good when an accept fails.
class HarvestServer final : public QObject {
    Q_OBJECT
public:
    explicit HarvestServer(QObject *parent = nullptr);
    ~HarvestServer() override;  ///< closes the connections and removes the socket file, unless it is another one by now

    /// A socket file that nobody listens on any more is replaced; one in use, or any other file, is an error.
    Result<void> listen(const std::string &path);

Q_SIGNALS:
    void connected(int pid);  ///< 0: of a process that has no pid here
    void disconnected(int pid);
    void woken();  ///< bytes came
    /// The system has no descriptor for one more connection; said once. Those who connect wait in the kernel, and are
    /// accepted as soon as that is possible.
    void acceptFailed(const QString &message);

private:
    void acceptAll();
    void pauseAccepting(int errnoValue);
    void keep(int fd);
    bool swallow(int fd);

    std::string m_path;
    int m_listener = -1;
    std::optional<FileKey> m_file;  ///< of the socket file; the listener keeps its inode
    QSocketNotifier *m_incoming = nullptr;
    QTimer m_retry;
    std::set<int> m_connections;
    bool m_saidFailure = false;
};

}  // namespace ct
