// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/region/mappingguard.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>

namespace ct {

namespace {

/// One guarded range. `end` is stored last (release; partner: the handler's acquire load) and cleared first.
struct Range {
    std::atomic<bool> taken{false};
    std::atomic<std::uintptr_t> begin{0};
    std::atomic<std::uintptr_t> end{0};
};

// Process-wide, because a signal handler is process-wide and gets no context object.
std::array<Range, 64> ranges;
struct sigaction previousAction;
std::uintptr_t pageSize = 4096;

/// Maps a private page of zeros over the faulting page. Makes only async-signal-safe calls; mmap is a bare system call.
void onBusError(int, siginfo_t *info, void *)
{
    const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    for (Range &range : ranges) {
        const std::uintptr_t end = range.end.load(std::memory_order_acquire);
        if (end == 0 || address < range.begin.load(std::memory_order_relaxed) || address >= end)
            continue;
        const int savedErrno = errno;
        void *const page = reinterpret_cast<void *>(address & ~(pageSize - 1));
        const void *const mapped =
            ::mmap(page, pageSize, PROT_READ | PROT_WRITE, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        errno = savedErrno;
        if (mapped == MAP_FAILED)
            break;
        return;
    }
    // The address is not guarded. Restore the previous action, which handles the fault when the access is repeated.
    ::sigaction(SIGBUS, &previousAction, nullptr);
}

void installHandler()
{
    static std::once_flag once;
    std::call_once(once, [] {
        pageSize = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
        struct sigaction action {};
        action.sa_sigaction = onBusError;
        action.sa_flags = SA_SIGINFO | SA_NODEFER;
        sigemptyset(&action.sa_mask);
        ::sigaction(SIGBUS, &action, &previousAction);
    });
}

}  // namespace

MappingGuard::MappingGuard(void *begin, std::size_t size)
{
    installHandler();
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        if (ranges[i].taken.exchange(true, std::memory_order_acquire))
            continue;
        ranges[i].begin.store(reinterpret_cast<std::uintptr_t>(begin), std::memory_order_relaxed);
        ranges[i].end.store(reinterpret_cast<std::uintptr_t>(begin) + size, std::memory_order_release);
        m_entry = static_cast<int>(i);
        return;
    }
}

MappingGuard::~MappingGuard()
{
    if (m_entry < 0)
        return;
    Range &range = ranges[static_cast<std::size_t>(m_entry)];
    range.end.store(0, std::memory_order_release);
    range.taken.store(false, std::memory_order_release);  // partner: the acquire exchange of the next guard
}

}  // namespace ct
