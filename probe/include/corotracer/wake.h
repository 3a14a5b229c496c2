// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Connects to the engine's socket, and wakes an engine that sleeps on it.
#pragma once

#include "state.h"

#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>

#pragma push_macro("slots")
#pragma push_macro("signals")
#pragma push_macro("emit")
#undef slots
#undef signals
#undef emit

namespace corotracer {
inline namespace v2 {
namespace detail {

/// True if `fd` is still the probe's socket, and no file that the program opened later under this number.
[[nodiscard]] inline bool is_own_socket(int fd, std::uint64_t inode) noexcept
{
    struct stat status {};
    return fd >= 0 && ::fstat(fd, &status) == 0 && S_ISSOCK(status.st_mode) && status.st_ino == inode;
}

inline constexpr std::uint64_t reconnect_ns = 100'000'000;  ///< shortest time between two attempts to connect

/// Tries once to connect, without waiting. Only the thread that holds socket.busy. Keeps the number of the descriptor,
/// so a concurrent send never writes into another file. The descriptor is none of the standard streams: a program that
/// was started without them would print into the socket.
inline void connect_engine(socket_state &socket) noexcept
{
    if (socket.address_size == 0)
        return;
    int fresh = above_streams(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (fresh < 0)
        return;
    struct stat status {};
    if (::connect(fresh, reinterpret_cast<const sockaddr *>(&socket.address), socket.address_size) != 0 ||
        ::fstat(fresh, &status) != 0) {
        ::close(fresh);
        return;
    }
    const int old = socket.fd.load(std::memory_order_relaxed);
    if (is_own_socket(old, socket.inode.load(std::memory_order_relaxed)) && ::dup3(fresh, old, O_CLOEXEC) == old) {
        ::close(fresh);
        fresh = old;
    }
    socket.inode.store(status.st_ino, std::memory_order_relaxed);
    socket.fd.store(fresh, std::memory_order_release);  // partner: the acquire load in send_wake
}

/// Sends one byte to the engine. Returns false when the socket must be connected again. Any thread.
[[nodiscard]] inline bool send_wake(socket_state &socket) noexcept
{
    const int fd = socket.fd.load(std::memory_order_acquire);
    if (!is_own_socket(fd, socket.inode.load(std::memory_order_relaxed)))
        return false;
    const char wake = '1';
    if (::send(fd, &wake, 1, MSG_NOSIGNAL | MSG_DONTWAIT) == 1)
        return true;
    return errno != EPIPE && errno != ECONNRESET && errno != ENOTCONN;  // a full buffer wakes the engine as well
}

/// Wakes the engine, which announced that it sleeps. Only the thread that clears the flag sends. A byte that cannot be
/// sent delays the engine by 10 to 250 ms, because the engine also checks the flag itself.
[[gnu::noinline, gnu::cold]] inline void wake_engine() noexcept
{
    std::uint32_t sleeping = 1;
    if (!state_v2.header->tracer_sleeping.compare_exchange_strong(sleeping, 0, std::memory_order_acq_rel,
                                                                  std::memory_order_relaxed))
        return;
    const no_cancellation guard;
    const int saved_errno = errno;
    socket_state &socket = state_v2.socket;
    if (!send_wake(socket) && socket.busy.exchange(1, std::memory_order_acquire) == 0) {
        const std::uint64_t now = monotonic_ns();
        if (now - socket.last_try_ns.load(std::memory_order_relaxed) >= reconnect_ns) {
            socket.last_try_ns.store(now, std::memory_order_relaxed);
            connect_engine(socket);
            (void)send_wake(socket);
        }
        socket.busy.store(0, std::memory_order_release);  // partner: the acquire exchange above
    }
    errno = saved_errno;
}

/// Opens the socket of a new session; `path` may be empty. A failure costs wake-ups only. Holder of init_lock only.
inline void open_socket(socket_state &socket, const char *path) noexcept
{
    const int inherited = socket.fd.load(std::memory_order_relaxed);  // the parent's, after fork
    if (state_v2.sessions.load(std::memory_order_relaxed) != 0 &&
        is_own_socket(inherited, socket.inode.load(std::memory_order_relaxed)))
        ::close(inherited);
    socket.fd.store(-1, std::memory_order_relaxed);
    socket.busy.store(0, std::memory_order_relaxed);
    socket.last_try_ns.store(monotonic_ns(), std::memory_order_relaxed);
    socket.address = {};
    socket.address.sun_family = AF_UNIX;
    socket.address_size = 0;
    const std::size_t length = std::strlen(path);
    if (length == 0 || length >= sizeof socket.address.sun_path)
        return;  // no usable path: traced without wake-ups
    std::memcpy(socket.address.sun_path, path, length);
    socket.address_size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length + 1);
    connect_engine(socket);
}

}  // namespace detail
}  // namespace v2
}  // namespace corotracer

#pragma pop_macro("emit")
#pragma pop_macro("signals")
#pragma pop_macro("slots")
