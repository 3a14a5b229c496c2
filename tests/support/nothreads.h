// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Simulates a system that refuses new threads, with a filter of system calls. It also works across exec; createthread.h
// works for threads of the test program itself.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

namespace ct::test {

/// From now on, this process and its children can start processes, but no threads. Returns false if this machine does
/// not allow the filter. May be called between fork and exec.
inline bool loseThreads()
{
    const auto fail = [](int error) { return SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error); };
    // A filter cannot read the flags of clone3, because they are in memory. Without clone3 the C library calls clone.
    // The low half of a 64-bit argument comes first.
    sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 4),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 2),
        BPF_STMT(BPF_RET | BPF_K, fail(ENOSYS)),
        BPF_STMT(BPF_RET | BPF_K, fail(EAGAIN)),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog filter{sizeof program / sizeof *program, program};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

}  // namespace ct::test
