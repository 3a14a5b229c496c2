// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// System calls of the probe that cannot harm the program: environment variables, descriptors, cancellation, and memory
// of a shared file.
// See docs/decisions/0017-memory-before-the-store.md.
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

namespace corotracer {
inline namespace v2 {
namespace detail {

/// Returns a variable of the environment, or null. Also null in a program with more rights than its caller (setuid,
/// setgid, file capabilities). The caller must not choose files that such a program creates or opens for writing.
[[nodiscard]] inline const char *environment(const char *name) noexcept
{
    return ::secure_getenv(name);
}

// ---------------------------------------------------------------- descriptors

/// Takes ownership of `fd`. Returns `fd`, or a close-on-exec copy above the standard streams: a program that was
/// started with closed standard streams would print into it. Returns -1 with errno if `fd` is -1 or no descriptor is
/// left.
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

/// open(2), close-on-exec and above the standard streams. Returns -1 with errno on failure.
[[nodiscard]] inline int open_file(const char *path, int flags, mode_t mode = 0) noexcept
{
    return above_streams(::open(path, flags | O_CLOEXEC | O_NOCTTY, mode));
}

// ---------------------------------------------------------------- cancellation

/// Disables cancellation (pthread_cancel) of the calling thread while the object lives. Many system calls are
/// cancellation points. A cancelled thread is unwound, which would end the program in a noexcept function.
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

/// True if the kernel checks the advice of madvise(2). The user mode of qemu accepts any advice and follows none.
[[nodiscard]] inline bool kernel_heeds_advice() noexcept
{
    constexpr int no_advice = 9999;
    static constinit std::atomic<std::uint32_t> answer{0};  // 0 unknown, 1 no, 2 yes; relaxed: publishes no other data
    std::uint32_t known = answer.load(std::memory_order_relaxed);
    if (known == 0) {
        const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
        const std::uintptr_t here = reinterpret_cast<std::uintptr_t>(&known) & ~(page - 1);
        known = ::madvise(reinterpret_cast<void *>(here), page, no_advice) != 0 ? 2 : 1;
        answer.store(known, std::memory_order_relaxed);
    }
    return known == 2;
}

/// Makes the kernel write to the page of `word` without changing it, with FUTEX_WAKE_OP. This call applies an atomic OR
/// with 0 to its second word and wakes no thread. It returns EFAULT where a store would raise SIGBUS. Other threads and
/// processes may write to the word at the same time. The call needs no descriptor and no support by the file system.
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

/// Gives memory to all pages of a range of the shared file. On a full tmpfs, a store to a page without memory would
/// raise SIGBUS. Returns false when there is no memory; then the range must not be written. May change errno.
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
    // The kernel is older than the advice, or a system call filter rejects it.
    for (std::uintptr_t at = first; at < last; at += page) {
        if (!touch_page(reinterpret_cast<void *>(at)))
            return false;
    }
    return true;
}

}  // namespace detail
}  // namespace v2
}  // namespace corotracer

#pragma pop_macro("emit")
#pragma pop_macro("signals")
#pragma pop_macro("slots")
