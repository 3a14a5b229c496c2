// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/harvest/harvestserver.h"

#include "corotracer/layout.h"

#include <QLocalSocket>

#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace ct {

namespace {

constexpr int kBacklog = 128;

Result<sockaddr_un> addressOf(const std::string &path)
{
    if (path.empty() || path.size() > corotracer::kSocketPathMax)
        return Error{ErrorCode::InvalidArgument, "the socket path " + path + " has " + std::to_string(path.size()) +
                                                     " bytes, 1 to 100 are possible; choose a shorter path"};
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size());
    return address;
}

/// Removes the socket of an engine that is gone.
Result<void> clearStale(const std::string &path, const sockaddr_un &address)
{
    struct stat info;
    if (::lstat(path.c_str(), &info) != 0)
        return {};
    if (!S_ISSOCK(info.st_mode))
        return Error{ErrorCode::AlreadyExists, path + " exists and is not a socket; choose another socket path"};
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return errnoError(errno, "cannot make a socket");
    const bool refused = ::connect(fd, reinterpret_cast<const sockaddr *>(&address), sizeof address) != 0 &&
                         (errno == ECONNREFUSED || errno == ENOENT);
    ::close(fd);
    if (!refused)
        return Error{ErrorCode::Busy, path + " is in use by another engine; end it or choose another socket path"};
    if (::unlink(path.c_str()) != 0 && errno != ENOENT)
        return errnoError(errno, "cannot remove the stale socket " + path);
    return {};
}

/// Bound and restricted to us before it listens, so that nobody else can ever connect.
Result<int> listeningSocket(const std::string &path, const sockaddr_un &address)
{
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return errnoError(errno, "cannot make a socket");
    const auto fail = [&](bool bound) {
        const Error error = errnoError(errno, "cannot listen on " + path);
        ::close(fd);
        if (bound)
            ::unlink(path.c_str());
        return error;
    };
    if (::bind(fd, reinterpret_cast<const sockaddr *>(&address), sizeof address) != 0)
        return fail(false);
    if (::chmod(path.c_str(), 0600) != 0 || ::listen(fd, kBacklog) != 0)
        return fail(true);
    return fd;
}

/// Who connected, even if it has ended since.
int peerOf(const QLocalSocket &socket)
{
    ucred peer{};
    socklen_t size = sizeof peer;
    const auto fd = static_cast<int>(socket.socketDescriptor());
    return ::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? peer.pid : 0;
}

}  // namespace

HarvestServer::HarvestServer(QObject *parent) : QObject(parent)
{
    m_server.setMaxPendingConnections(kBacklog);
    connect(&m_server, &QLocalServer::newConnection, this, &HarvestServer::takeConnections);
}

HarvestServer::~HarvestServer()
{
    m_server.close();
    if (!m_path.empty())
        ::unlink(m_path.c_str());
}

Result<void> HarvestServer::listen(const std::string &path)
{
    const Result<sockaddr_un> address = addressOf(path);
    if (!address)
        return address.error();
    if (auto cleared = clearStale(path, *address); !cleared)
        return cleared;
    const Result<int> fd = listeningSocket(path, *address);
    if (!fd)
        return fd.error();
    m_path = path;
    if (!m_server.listen(static_cast<qintptr>(*fd))) {
        ::close(*fd);
        return Error{ErrorCode::InputOutput, "cannot listen on " + path + ": " + m_server.errorString().toStdString()};
    }
    return {};
}

void HarvestServer::takeConnections()
{
    while (QLocalSocket *const socket = m_server.nextPendingConnection()) {
        socket->setParent(this);
        connect(socket, &QLocalSocket::readyRead, this, [this, socket] {
            socket->readAll();
            Q_EMIT woken();
        });
        const int pid = peerOf(*socket);
        // Only the target ends a connection.
        connect(socket, &QLocalSocket::disconnected, this, [this, socket, pid] {
            socket->deleteLater();
            Q_EMIT disconnected(pid);
        });
        Q_EMIT connected(pid);
    }
}

}  // namespace ct
