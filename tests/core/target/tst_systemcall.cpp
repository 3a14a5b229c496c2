// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/target/systemcall.h"

#include "tests/support/check.h"

#include <linux/futex.h>
#include <sys/syscall.h>

using namespace ct;

namespace {

/// The content of /proc/PID/task/TID/syscall for a call with these arguments.
SystemCall callOf(long number, std::vector<std::uint64_t> arguments)
{
    std::ostringstream text;
    text << number << std::hex;
    arguments.resize(6);
    for (const std::uint64_t argument : arguments)
        text << " 0x" << argument;
    text << " 0x7ffc00001000 0x7f0000001000\n";
    return systemCallOf(text.str()).value_or(SystemCall{});
}

constexpr std::uint64_t kPointer = 0x7ffe282e4668;
constexpr std::uint64_t kMinusOne = 0xFFFF'FFFF;

}  // namespace

CT_CASE(readsWaitsForAFutex)
{
    constexpr auto kWaitBits = std::uint64_t{FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME};
    CHECK((callOf(SYS_futex, {kPointer, kWaitBits, 0, 0}) == SystemCall{ThreadCall::Futex, false, kPointer}));
    CHECK((callOf(SYS_futex, {kPointer, kWaitBits, 0, 0x7000}) == SystemCall{ThreadCall::Futex, true, kPointer}));
    CHECK((callOf(SYS_futex, {kPointer, FUTEX_LOCK_PI, 0, 0}) == SystemCall{ThreadCall::Futex, false, kPointer}));
    // The fourth argument of a wake is no timeout.
    CHECK((callOf(SYS_futex, {kPointer, FUTEX_WAKE, 1, 0x7000}) == SystemCall{ThreadCall::Other, false, 0}));
    CHECK((callOf(449, {kPointer, 2, 0, kPointer}) == SystemCall{ThreadCall::Futex, true, 0}));  // futex_waitv
    CHECK((callOf(449, {kPointer, 2, 0, 0}) == SystemCall{ThreadCall::Futex, false, 0}));
}

CT_CASE(readsWhetherATimeoutEndsAnEpollWait)
{
    CHECK((callOf(SYS_epoll_pwait, {5, kPointer, 64, kMinusOne}) == SystemCall{ThreadCall::Epoll, false, 5}));
    CHECK((callOf(SYS_epoll_pwait, {5, kPointer, 64, ~0ULL}) == SystemCall{ThreadCall::Epoll, false, 5}));
    CHECK((callOf(SYS_epoll_pwait, {5, kPointer, 64, 0}) == SystemCall{ThreadCall::Epoll, true, 5}));
    CHECK((callOf(SYS_epoll_pwait, {7, kPointer, 64, 60'000}) == SystemCall{ThreadCall::Epoll, true, 7}));
    CHECK((callOf(441, {7, kPointer, 64, 0}) == SystemCall{ThreadCall::Epoll, false, 7}));  // epoll_pwait2
    CHECK((callOf(441, {7, kPointer, 64, kPointer}) == SystemCall{ThreadCall::Epoll, true, 7}));
#ifdef SYS_epoll_wait
    CHECK((callOf(SYS_epoll_wait, {5, kPointer, 64, kMinusOne}) == SystemCall{ThreadCall::Epoll, false, 5}));
#endif
}

CT_CASE(readsPollAndSelect)
{
    CHECK((callOf(SYS_ppoll, {kPointer, 2, 0}) == SystemCall{ThreadCall::Poll, false, 0}));
    CHECK((callOf(SYS_ppoll, {kPointer, 2, kPointer}) == SystemCall{ThreadCall::Poll, true, 0}));
    CHECK((callOf(SYS_ppoll, {0, 0, kPointer}) == SystemCall{ThreadCall::Sleep, true, 0}));
    CHECK((callOf(SYS_pselect6, {4, kPointer, 0, 0, 0}) == SystemCall{ThreadCall::Poll, false, 0}));
    CHECK((callOf(SYS_pselect6, {4, kPointer, 0, 0, kPointer}) == SystemCall{ThreadCall::Poll, true, 0}));
#ifdef SYS_poll
    CHECK((callOf(SYS_poll, {kPointer, 1, kMinusOne}) == SystemCall{ThreadCall::Poll, false, 0}));
    CHECK((callOf(SYS_poll, {kPointer, 1, 1000}) == SystemCall{ThreadCall::Poll, true, 0}));
#endif
}

CT_CASE(readsOtherCalls)
{
    CHECK((callOf(SYS_clock_nanosleep, {1, 0, kPointer, 0}) == SystemCall{ThreadCall::Sleep, true, 0}));
    CHECK((callOf(SYS_read, {3, kPointer, 1}) == SystemCall{ThreadCall::Descriptor, false, 3}));
    CHECK((callOf(SYS_accept4, {9, 0, 0, 0}) == SystemCall{ThreadCall::Descriptor, false, 9}));
    CHECK((callOf(SYS_wait4, {kMinusOne, 0, 0, 0}) == SystemCall{ThreadCall::Process, false, 0}));
    CHECK((callOf(SYS_rt_sigtimedwait, {kPointer, 0, kPointer, 8}) == SystemCall{ThreadCall::Signal, true, 0}));
    CHECK((callOf(SYS_rt_sigtimedwait, {kPointer, 0, 0, 8}) == SystemCall{ThreadCall::Signal, false, 0}));
    CHECK((callOf(SYS_io_uring_enter, {6, 0, 1, 1}) == SystemCall{ThreadCall::Ring, false, 6}));
    CHECK((callOf(SYS_io_uring_enter, {6, 0, 1, 9}) == SystemCall{ThreadCall::Ring, true, 6}));
    CHECK((callOf(SYS_mlock, {kPointer, 4096}) == SystemCall{ThreadCall::Other, false, 0}));
}

CT_CASE(aThreadMayBeInNoCall)
{
    CHECK((systemCallOf("running\n") == SystemCall{ThreadCall::None, false, 0}));
    CHECK((systemCallOf("-1 0x7ffc00001000 0x7f0000001000\n") == SystemCall{ThreadCall::None, false, 0}));
    CHECK((systemCallOf("") == SystemCall{ThreadCall::Unknown, false, 0}));  // not permitted
    CHECK(!systemCallOf(std::to_string(SYS_restart_syscall) + " 0x1 0x2 0x3 0x4 0x5 0x6 0x7 0x8\n"));
}
