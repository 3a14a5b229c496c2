// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// What the probe asks the operating system for, in ways that cannot harm the program: variables of the environment,
// descriptors, and memory of a shared file.
#pragma once

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#pragma push_macro("slots")
#pragma push_macro("signals")
#pragma push_macro("emit")
#undef slots
#undef signals
#undef emit

namespace corotracer::detail {

/// A variable of the environment. Null also in a program that has more rights than its caller (setuid, setgid, file
/// capabilities): the caller must not choose which files such a program creates, or opens for writing.
[[nodiscard]] inline const char *environment(const char *name) noexcept
{
    return ::secure_getenv(name);
}

// ---------------------------------------------------------------- descriptors

/// Takes over `fd` and returns it, or a close-on-exec copy of it above the standard streams: a program that was started
/// with those closed would print into it. -1 and errno: `fd` was -1, or there is no descriptor left.
[[nodiscard]] inline int above_streams(int fd) noexcept
{
    if (fd < 0 || fd > STDERR_FILENO)
        return fd;
    const int copy = ::fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    const int saved_errno = errno;
    ::close(fd);
    errno = saved_errno;
    return copy;
}

/// open(2), close-on-exec and above the standard streams.
[[nodiscard]] inline int open_file(const char *path, int flags, mode_t mode = 0) noexcept
{
    return above_streams(::open(path, flags | O_CLOEXEC | O_NOCTTY, mode));
}

// ---------------------------------------------------------------- cancellation

/// While one lives, its thread cannot be cancelled (pthread_cancel): many system calls are cancellation points, and a
/// cancelled thread is unwound, which would end the program in a function that is noexcept.
class no_cancellation {
public:
    no_cancellation() noexcept { (void)::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &m_before); }
    ~no_cancellation() { (void)::pthread_setcancelstate(m_before, nullptr); }
    no_cancellation(const no_cancellation &) = delete;
    no_cancellation &operator=(const no_cancellation &) = delete;

private:
    int m_before = 0;
};

// ---------------------------------------------------------------- memory

/// Whether the kernel looks at the advice that madvise(2) gets: qemu's user mode grants any, and follows none.
[[nodiscard]] inline bool kernel_heeds_advice() noexcept
{
    constexpr int no_advice = 9999;
    static constinit std::atomic<std::uint32_t> answer{0};  // 0 unknown, 1 no, 2 yes; relaxed: it depends on nothing
    std::uint32_t known = answer.load(std::memory_order_relaxed);
    if (known == 0) {
        const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
        const std::uintptr_t here = reinterpret_cast<std::uintptr_t>(&known) & ~(page - 1);
        known = ::madvise(reinterpret_cast<void *>(here), page, no_advice) != 0 ? 2 : 1;
        answer.store(known, std::memory_order_relaxed);
    }
    return known == 2;
}

/// Has the kernel write to the page of `word` without changing it: FUTEX_WAKE_OP combines its second word with 0 by an
/// atomic or, wakes no one, and answers EFAULT where a store would raise SIGBUS. Other threads and processes may write
/// there meanwhile. It needs no descriptor, and nothing of the file system.
[[nodiscard]] inline bool touch_page(void *word) noexcept
{
#if defined(__linux__) && defined(SYS_futex)
    constexpr int wake_op_private = 5 | 128;        // FUTEX_WAKE_OP | FUTEX_PRIVATE_FLAG
    constexpr std::uint32_t or_nothing = 2U << 28;  // FUTEX_OP(FUTEX_OP_OR, 0, FUTEX_OP_CMP_EQ, 0)
    std::uint32_t no_waiter = 0;
    return ::syscall(SYS_futex, &no_waiter, wake_op_private, 0, nullptr, word, or_nothing) >= 0;
#else
    (void)word;
    return false;
#endif
}

/// Makes sure that a range of the shared file has memory behind it: on a full tmpfs a plain write would raise SIGBUS.
/// False: there is none; then the range must not be written to.
[[nodiscard]] inline bool back_with_memory(void *begin, std::size_t size) noexcept
{
    constexpr int populate_write = 23;  // MADV_POPULATE_WRITE, Linux 5.14
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(begin) & ~(page - 1);
    const std::uintptr_t last = reinterpret_cast<std::uintptr_t>(begin) + size;
    if (kernel_heeds_advice()) {
        if (::madvise(reinterpret_cast<void *>(first), last - first, populate_write) == 0)
            return true;
        if (errno == EFAULT)
            return false;
    }
    // An older kernel, or a filter of system calls that is older than this advice.
    for (std::uintptr_t at = first; at < last; at += page) {
        if (!touch_page(reinterpret_cast<void *>(at)))
            return false;
    }
    return true;
}

}  // namespace corotracer::detail

#pragma pop_macro("emit")
#pragma pop_macro("signals")
#pragma pop_macro("slots")
