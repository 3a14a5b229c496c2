// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "corotracer/traced.h"
#include "reactor.h"

#include <atomic>
#include <coroutine>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace sched {

/// A connected, non-blocking stream socket, closed by its destructor. One reader and one writer at a time.
class Socket {
public:
    Socket(Reactor &reactor, int fd);
    Socket(Socket &&other) noexcept;
    Socket &operator=(Socket &&other) noexcept;
    ~Socket();

    /// Sends the peer the end of the stream, and makes pending reads end. Callable from any thread.
    void shutdown() const;

    [[nodiscard]] int fd() const { return m_fd; }
    [[nodiscard]] Reactor &reactor() const { return *m_reactor; }

    /// True if the last read returned less than requested. Then there is nothing to read until the next edge, according
    /// to epoll(7). This saves a system call per message.
    bool drained = false;

private:
    Reactor *m_reactor;
    int m_fd;
};

/// A listening socket at an abstract address that the kernel chooses (no file).
class Listener {
public:
    /// Throws std::system_error on failure.
    Listener(Reactor &reactor, int backlog);

    [[nodiscard]] const std::string &address() const { return m_address; }
    /// Refuses new connections. Accepts return nothing once the backlog is empty. Callable from any thread.
    void close();
    [[nodiscard]] bool isClosed() const { return m_closed.load(std::memory_order_acquire); }

    [[nodiscard]] const Socket &socket() const { return m_socket; }

private:
    Socket m_socket;
    std::string m_address;
    std::atomic<bool> m_closed{false};
};

/// Returns nullopt if the listener's backlog is full or the listener is closed.
[[nodiscard]] std::optional<Socket> tryConnect(Reactor &reactor, const std::string &address);

namespace detail {

/// Awaiter of an operation. Tries it first, and submits it to the reactor if it would block.
template <class Performed>
class Pending : public Performed {
public:
    using Performed::Performed;

    [[nodiscard]] bool await_ready() noexcept { return this->mayBeReady() && this->perform(); }
    void await_suspend(std::coroutine_handle<> self)
    {
        this->waiting = self;
        // The reactor owns the operation from here on. The coroutine may already run on another thread.
        this->socket().reactor().submit(this->socket().fd(), Performed::kDirection, *this);
    }
    auto await_resume() { return this->result(); }
};

class Accept : public Operation {
public:
    static constexpr Direction kDirection = Direction::Read;

    explicit Accept(const Listener &listener) : m_listener(&listener) {}
    [[nodiscard]] bool perform() noexcept override;

protected:
    [[nodiscard]] const Socket &socket() const { return m_listener->socket(); }
    [[nodiscard]] bool mayBeReady() const { return true; }
    [[nodiscard]] std::optional<Socket> result() const;

private:
    const Listener *m_listener;
    int m_accepted = -1;
};

class Read : public Operation {
public:
    static constexpr Direction kDirection = Direction::Read;

    Read(Socket &socket, std::span<std::byte> buffer) : m_socket(&socket), m_buffer(buffer) {}
    [[nodiscard]] bool perform() noexcept override;

protected:
    [[nodiscard]] const Socket &socket() const { return *m_socket; }
    [[nodiscard]] bool mayBeReady() const { return !m_socket->drained; }
    [[nodiscard]] std::size_t result() const { return m_received; }

private:
    Socket *m_socket;
    std::span<std::byte> m_buffer;
    std::size_t m_received = 0;
};

class Write : public Operation {
public:
    static constexpr Direction kDirection = Direction::Write;

    Write(Socket &socket, std::span<const std::byte> data) : m_socket(&socket), m_left(data) {}
    [[nodiscard]] bool perform() noexcept override;

protected:
    [[nodiscard]] const Socket &socket() const { return *m_socket; }
    [[nodiscard]] bool mayBeReady() const { return true; }
    [[nodiscard]] bool result() const { return !m_failed; }

private:
    Socket *m_socket;
    std::span<const std::byte> m_left;
    bool m_failed = false;
};

/// Tells the tracer which descriptor the operation waits for.
template <class Performed>
[[nodiscard]] auto waitingFor(const Socket &socket, Pending<Performed> operation)
{
    return corotracer::awaiting({corotracer::wait::descriptor, socket.fd()}, std::move(operation));
}

}  // namespace detail

/// co_await gives the next connection, or nothing once the listener is closed and its backlog empty.
[[nodiscard]] inline auto async_accept(const Listener &listener)
{
    return detail::waitingFor(listener.socket(), detail::Pending<detail::Accept>(listener));
}

/// co_await gives the number of bytes read: at least one, or 0 if the peer has closed the connection or it broke.
[[nodiscard]] inline auto async_read(Socket &socket, std::span<std::byte> buffer)
{
    return detail::waitingFor(socket, detail::Pending<detail::Read>(socket, buffer));
}

/// Writes all of the data. co_await gives false if the peer is gone.
[[nodiscard]] inline auto async_write(Socket &socket, std::span<const std::byte> data)
{
    return detail::waitingFor(socket, detail::Pending<detail::Write>(socket, data));
}

}  // namespace sched
