// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "socket.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <system_error>
#include <utility>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace sched {

namespace {

[[nodiscard]] int newSocket()
{
    return ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

[[nodiscard]] bool wouldBlock()
{
    return errno == EAGAIN || errno == EWOULDBLOCK;
}

/// Repeats a system call that a signal interrupted.
template <class Call>
[[nodiscard]] auto uninterrupted(Call call)
{
    auto result = call();
    while (result < 0 && errno == EINTR)
        result = call();
    return result;
}

}  // namespace

Socket::Socket(Reactor &reactor, int fd) : m_reactor(&reactor), m_fd(fd)
{
    m_reactor->watch(m_fd);
}

Socket::Socket(Socket &&other) noexcept
    : drained(other.drained), m_reactor(other.m_reactor), m_fd(std::exchange(other.m_fd, -1))
{
}

Socket &Socket::operator=(Socket &&other) noexcept
{
    std::swap(drained, other.drained);
    std::swap(m_reactor, other.m_reactor);
    std::swap(m_fd, other.m_fd);
    return *this;
}

Socket::~Socket()
{
    if (m_fd >= 0)
        m_reactor->close(m_fd);
}

void Socket::shutdown() const
{
    ::shutdown(m_fd, SHUT_RDWR);
}

Listener::Listener(Reactor &reactor, int backlog) : m_socket(reactor, newSocket())
{
    // With an empty name, Linux chooses a free abstract address.
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    socklen_t size = sizeof(sa_family_t);
    const auto *name = reinterpret_cast<const sockaddr *>(&address);
    bool listening = ::bind(m_socket.fd(), name, size) == 0 && ::listen(m_socket.fd(), backlog) == 0;
    size = sizeof(address);
    listening = listening && ::getsockname(m_socket.fd(), reinterpret_cast<sockaddr *>(&address), &size) == 0;
    if (!listening)
        throw std::system_error(errno, std::generic_category(), "cannot listen");
    m_address.assign(address.sun_path, size - offsetof(sockaddr_un, sun_path));
}

void Listener::close()
{
    m_closed.store(true, std::memory_order_release);  // partner: isClosed(), in the accept that the shutdown wakes
    m_socket.shutdown();
}

std::optional<Socket> tryConnect(Reactor &reactor, const std::string &address)
{
    sockaddr_un name = {};
    name.sun_family = AF_UNIX;
    const std::size_t length = std::min(address.size(), sizeof(name.sun_path));
    std::memcpy(name.sun_path, address.data(), length);
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length);
    const int fd = newSocket();
    if (fd < 0)
        return std::nullopt;
    if (::connect(fd, reinterpret_cast<const sockaddr *>(&name), size) != 0) {
        ::close(fd);
        return std::nullopt;
    }
    return std::optional<Socket>(std::in_place, reactor, fd);
}

namespace detail {

bool Accept::perform() noexcept
{
    // Linux also returns "would block" for a listening socket that was shut down.
    m_accepted =
        uninterrupted([this] { return ::accept4(socket().fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC); });
    return m_accepted >= 0 || !wouldBlock() || m_listener->isClosed();
}

std::optional<Socket> Accept::result() const
{
    if (m_accepted < 0)
        return std::nullopt;
    return std::optional<Socket>(std::in_place, socket().reactor(), m_accepted);
}

bool Read::perform() noexcept
{
    const ssize_t received =
        uninterrupted([this] { return ::recv(m_socket->fd(), m_buffer.data(), m_buffer.size(), 0); });
    if (received < 0 && wouldBlock())
        return false;
    m_received = received > 0 ? static_cast<std::size_t>(received) : 0;
    m_socket->drained = m_received < m_buffer.size();
    return true;
}

bool Write::perform() noexcept
{
    while (!m_left.empty()) {
        const ssize_t sent =
            uninterrupted([this] { return ::send(m_socket->fd(), m_left.data(), m_left.size(), MSG_NOSIGNAL); });
        if (sent < 0 && wouldBlock())
            return false;
        if (sent < 0) {
            m_failed = true;
            return true;
        }
        m_left = m_left.subspan(static_cast<std::size_t>(sent));
    }
    return true;
}

}  // namespace detail

}  // namespace sched
