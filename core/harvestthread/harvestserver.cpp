// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/harvestthread/harvestserver.h"

#include "core/base/fileremedy.h"
#include "core/region/stalesocket.h"

#include <QSocketNotifier>

#include <array>
#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ct {

namespace {

/// Connections in the queue of the socket, if the kernel allows as many. When the queue is full, a target with a
/// blocking socket waits in connect().
constexpr int kBacklog = 4096;
constexpr int kRetryMs = 100;  ///< pause after a failed accept: polling the listener would use a whole core
constexpr int kAcceptsInOneGo = 128;
constexpr int kReadsInOneGo = 16;

/// Binds with mode 0600 before listening, so no other user can ever connect.
Result<int> listeningSocket(const std::string &path, const sockaddr_un &address)
{
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return errnoError(errno, "cannot make a socket", kMoreDescriptors);
    ::fchmod(fd, 0600);  // on Linux, the socket file gets this mode
    const bool bound = ::bind(fd, reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0;
    if (bound && ::chmod(path.c_str(), 0600) == 0 && ::listen(fd, kBacklog) == 0)
        return fd;
    const Error error = writeError(errno, "cannot listen on " + path);
    if (bound)
        ::unlink(path.c_str());
    ::close(fd);
    return error;
}

/// The pid of the process that connected, even if it has ended since; 0 = no pid here.
int peerOf(int fd)
{
    ucred peer{};
    socklen_t size = sizeof peer;
    return ::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? peer.pid : 0;
}

}  // namespace

HarvestServer::HarvestServer(QObject *parent) : QObject(parent)
{
    m_retry.setSingleShot(true);
    connect(&m_retry, &QTimer::timeout, this, [this] { m_incoming->setEnabled(true); });
}

HarvestServer::~HarvestServer()
{
    unlinkIfSame(m_path, m_file);
    delete m_incoming;
    if (m_listener >= 0)
        ::close(m_listener);
    // Children first: a notifier must not outlive its descriptor.
    for (QSocketNotifier *notifier : findChildren<QSocketNotifier *>())
        delete notifier;
    for (const int fd : m_connections)
        ::close(fd);
}

Result<void> HarvestServer::listen(const std::string &path)
{
    const Result<sockaddr_un> address = socketAddressOf(path);
    if (!address)
        return address.error();
    if (Result<void> cleared = removeStaleSocket(path); !cleared)
        return cleared;
    const Result<int> fd = listeningSocket(path, *address);
    if (!fd)
        return fd.error();
    m_path = path;
    m_file = FileKey::ofEntry(path);
    m_listener = *fd;
    m_incoming = new QSocketNotifier(m_listener, QSocketNotifier::Read, this);
    connect(m_incoming, &QSocketNotifier::activated, this, [this] { acceptAll(); });
    return {};
}

void HarvestServer::acceptAll()
{
    for (int i = 0; i < kAcceptsInOneGo; ++i) {
        const int fd = ::accept4(m_listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd >= 0) {
            keep(fd);
        } else if (errno == EAGAIN) {
            return;
        } else if (errno != EINTR && errno != ECONNABORTED) {
            pauseAccepting(errno);
            return;
        }
    }
}

void HarvestServer::pauseAccepting(int errnoValue)
{
    m_incoming->setEnabled(false);
    m_retry.start(kRetryMs);
    if (std::exchange(m_saidFailure, true))
        return;
    Q_EMIT acceptFailed(tr("A process that connects to %1 has to wait: %2. Its events are captured, but may appear a "
                           "fraction of a second late. Raise the limit of open files (ulimit -n).")
                            .arg(QString::fromStdString(m_path), QString::fromLocal8Bit(strerrordesc_np(errnoValue))));
}

void HarvestServer::keep(int fd)
{
    const int pid = peerOf(fd);
    m_connections.insert(fd);
    auto *notifier = new QSocketNotifier(fd, QSocketNotifier::Read, this);
    // The connection stays open until the target ends it.
    connect(notifier, &QSocketNotifier::activated, this, [this, notifier, fd, pid] {
        if (swallow(fd))
            return;
        notifier->setEnabled(false);
        notifier->deleteLater();
        m_connections.erase(fd);
        ::close(fd);
        Q_EMIT disconnected(pid);
    });
    Q_EMIT connected(pid);
}

/// Discards the bytes that have arrived. Returns false if the other side has closed the connection.
bool HarvestServer::swallow(int fd)
{
    std::array<char, 4096> bytes;
    bool any = false;
    ssize_t got = 0;
    for (int i = 0; i < kReadsInOneGo; ++i) {
        got = ::read(fd, bytes.data(), bytes.size());
        if (got <= 0)
            break;
        any = true;
    }
    if (any)
        Q_EMIT woken();
    return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

}  // namespace ct
