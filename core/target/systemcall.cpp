// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/target/systemcall.h"

#include "core/target/procfile.h"

#include <array>
#include <linux/futex.h>
#include <sys/syscall.h>

// Calls that are newer than the headers of some systems. They have one number on all processors.
#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441
#endif
#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif
#ifndef SYS_futex_wait
#define SYS_futex_wait 455
#endif

namespace ct {

namespace {

using Arguments = std::array<std::uint64_t, 6>;

/// A timeout in ms: negative is none.
bool isTimeout(std::uint64_t argument)
{
    return static_cast<std::int32_t>(argument) >= 0;
}

SystemCall futexOf(const Arguments &arguments)
{
    switch (arguments[1] & static_cast<unsigned>(FUTEX_CMD_MASK)) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
    case FUTEX_WAIT_REQUEUE_PI:
    case FUTEX_LOCK_PI:
    case 13:  // FUTEX_LOCK_PI2, Linux 5.14
        return {ThreadCall::Futex, arguments[3] != 0, arguments[0]};
    default: break;
    }
    return {ThreadCall::Other};
}

SystemCall pollOf(std::uint64_t descriptors, bool isTimed)
{
    return {descriptors == 0 ? ThreadCall::Sleep : ThreadCall::Poll, isTimed, 0};
}

SystemCall ringOf(const Arguments &arguments)
{
    constexpr std::uint64_t kExtendedArgument = 8;  // IORING_ENTER_EXT_ARG: it may have a timeout
    return {ThreadCall::Ring, (arguments[3] & kExtendedArgument) != 0, arguments[0]};
}

SystemCall callOf(long number, const Arguments &arguments)
{
    switch (number) {
    case SYS_futex: return futexOf(arguments);
    case SYS_futex_wait: return {ThreadCall::Futex, arguments[4] != 0, arguments[0]};
    case SYS_futex_waitv: return {ThreadCall::Futex, arguments[3] != 0, 0};
#ifdef SYS_epoll_wait
    case SYS_epoll_wait:
#endif
    case SYS_epoll_pwait: return {ThreadCall::Epoll, isTimeout(arguments[3]), arguments[0]};
    case SYS_epoll_pwait2: return {ThreadCall::Epoll, arguments[3] != 0, arguments[0]};
#ifdef SYS_poll
    case SYS_poll: return pollOf(arguments[1], isTimeout(arguments[2]));
#endif
    case SYS_ppoll: return pollOf(arguments[1], arguments[2] != 0);
#ifdef SYS_select
    case SYS_select:
#endif
    case SYS_pselect6: return pollOf(arguments[0], arguments[4] != 0);
    case SYS_nanosleep:
    case SYS_clock_nanosleep: return {ThreadCall::Sleep, true, 0};
#ifdef SYS_pause
    case SYS_pause:
#endif
    case SYS_rt_sigsuspend: return {ThreadCall::Signal, false, 0};
    case SYS_rt_sigtimedwait: return {ThreadCall::Signal, arguments[2] != 0, 0};
    case SYS_wait4:
    case SYS_waitid: return {ThreadCall::Process, false, 0};
    case SYS_recvmmsg: return {ThreadCall::Descriptor, arguments[4] != 0, arguments[0]};
    case SYS_read:
    case SYS_readv:
    case SYS_pread64:
    case SYS_preadv:
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_write:
    case SYS_writev:
    case SYS_pwrite64:
    case SYS_pwritev:
    case SYS_sendto:
    case SYS_sendmsg:
    case SYS_sendmmsg:
    case SYS_accept:
    case SYS_accept4:
    case SYS_connect:
    case SYS_fsync:
    case SYS_fdatasync:
    case SYS_fcntl:
    case SYS_flock: return {ThreadCall::Descriptor, false, arguments[0]};
    case SYS_semtimedop: return {ThreadCall::Other, arguments[3] != 0, 0};
    case SYS_mq_timedreceive:
    case SYS_mq_timedsend: return {ThreadCall::Other, arguments[4] != 0, 0};
    case SYS_io_uring_enter: return ringOf(arguments);
    default: return {ThreadCall::Other, false, 0};
    }
}

}  // namespace

std::optional<SystemCall> systemCallOf(std::string_view text)
{
    ProcWords words(text);
    const std::string_view number = words.next();
    if (number.empty())
        return SystemCall{};
    // "running", or "-1": a page fault, for example.
    if (number.front() < '0' || number.front() > '9')
        return SystemCall{ThreadCall::None, false, 0};
    const auto call = static_cast<long>(ProcWords::numberOf(number));
    if (call == SYS_restart_syscall)
        return std::nullopt;
    Arguments arguments{};
    for (std::uint64_t &argument : arguments)
        argument = words.number();
    return callOf(call, arguments);
}

}  // namespace ct
