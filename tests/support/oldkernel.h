// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Simulates older kernels and stricter sandboxes with a filter of system calls.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

namespace oldkernel {

enum class Kernel {
    AsItIs,
    Before514,        ///< MADV_POPULATE_WRITE fails with EINVAL
    Forbidding,       ///< MADV_POPULATE_WRITE fails with EPERM: a sandbox filter that is older than this advice
    GrantingAdvice,   ///< madvise(2) always succeeds and does nothing, as in qemu's user mode
    WithoutReserving  ///< as Before514, and fallocate(2) fails with EOPNOTSUPP
};

/// From now on, this process and its children have that kernel. Returns false if this machine does not allow the
/// filter.
inline bool become(Kernel kernel)
{
    constexpr std::uint32_t populateWrite = 23;
    const auto fail = [](int error) { return SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error); };
    const std::uint32_t populate = kernel == Kernel::Forbidding ? fail(EPERM) : fail(EINVAL);
    const std::uint32_t other = kernel == Kernel::GrantingAdvice ? fail(0) : SECCOMP_RET_ALLOW;
    const std::uint32_t reserve = kernel == Kernel::WithoutReserving ? fail(EOPNOTSUPP) : SECCOMP_RET_ALLOW;
    // The low half of a 64-bit argument comes first on every machine that the probe supports.
    sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fallocate, 5, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_madvise, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[2])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, populateWrite, 3, 0),
        BPF_STMT(BPF_RET | BPF_K, other),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, reserve),
        BPF_STMT(BPF_RET | BPF_K, kernel == Kernel::GrantingAdvice ? other : populate),
    };
    const sock_fprog filter{sizeof program / sizeof *program, program};
    return kernel == Kernel::AsItIs || (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
                                        ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0);
}

}  // namespace oldkernel
