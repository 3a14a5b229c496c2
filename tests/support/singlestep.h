// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Runs code one machine instruction at a time, so that a test can act between any two of them. x86-64 only: the
// processor's trap flag raises SIGTRAP after each instruction. The code must make no system calls.
#pragma once

#include <atomic>
#include <csignal>
#include <cstdint>
#include <ucontext.h>

namespace singlestep {

inline constexpr std::uint64_t kTrapFlag = 1U << 8;

/// The callback of the signal handler, its argument, and the number of instructions so far.
struct Stepping {
    bool (*between)(void *context, std::uint64_t done) = nullptr;
    void *context = nullptr;
    std::uint64_t done = 0;
};
inline Stepping stepping;  // one run at a time, on one thread

inline void onTrap(int, siginfo_t *, void *interrupted)
{
    // The kernel clears the trap flag for the handler and restores it from these registers.
    if (!stepping.between(stepping.context, ++stepping.done))
        static_cast<ucontext_t *>(interrupted)->uc_mcontext.gregs[REG_EFL] &= ~static_cast<greg_t>(kTrapFlag);
}

/// Calls between(n) after the n-th instruction of code(), from 1, until it returns false. The rest of code() then runs
/// at full speed. Returns the number of calls of between(). It includes a few instructions around code().
template <class Code, class Between>
std::uint64_t run(Code code, Between between)
{
    stepping = {[](void *context, std::uint64_t done) { return (*static_cast<Between *>(context))(done); }, &between,
                0};
    struct sigaction action = {};
    struct sigaction before = {};
    action.sa_sigaction = onTrap;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGTRAP, &action, &before);
    std::atomic_signal_fence(std::memory_order_seq_cst);  // the handler reads the stores above
    __builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() | kTrapFlag);
    code();
    __builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() & ~kTrapFlag);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    sigaction(SIGTRAP, &before, nullptr);
    return stepping.done;
}

}  // namespace singlestep
