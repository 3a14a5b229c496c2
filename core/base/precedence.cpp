// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
#include "core/base/precedence.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace ct {

namespace {

constexpr int kNice = -10;
constexpr int kNicer = 5;  ///< a third of the weight
constexpr int kNicest = 19;
constexpr std::uint64_t kSliceNs = 100'000;  ///< the shortest that Linux grants

/// The first version of struct sched_attr, see sched_setattr(2). Debian 12 has no header with it and <sched.h> both.
struct SchedulingAttributes {
    std::uint32_t size = sizeof(SchedulingAttributes);
    std::uint32_t policy = SCHED_OTHER;
    std::uint64_t flags = 0;
    std::int32_t nice = 0;
    std::uint32_t priority = 0;
    std::uint64_t runtime = 0;
    std::uint64_t deadline = 0;
    std::uint64_t period = 0;
};
static_assert(sizeof(SchedulingAttributes) == 48);

/// A real-time thread runs before all others. Only where the system grants it to this user: most systems do not, and a
/// privileged user has not asked for it.
bool becomeRealTime()
{
    rlimit granted{};
    if (::getrlimit(RLIMIT_RTPRIO, &granted) != 0 || granted.rlim_cur == 0)
        return false;
    sched_param lowest{};
    lowest.sched_priority = ::sched_get_priority_min(SCHED_RR);
    return ::sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &lowest) == 0;
}

}  // namespace

void takePrecedence()
{
    // Without this, the kernel may prolong each pause by 50 us.
    ::prctl(PR_SET_TIMERSLACK, 1UL);
    if (becomeRealTime())
        return;
    // Refused without permission (RLIMIT_NICE). On Linux this applies to the calling thread only.
    (void)::setpriority(PRIO_PROCESS, 0, kNice);
    // From Linux 6.12 on, a thread with short slices gets its turn earlier, although its share stays fair. Every user
    // may ask for that. Earlier kernels ignore it.
    SchedulingAttributes attributes;
    errno = 0;
    attributes.nice = ::getpriority(PRIO_PROCESS, 0);
    attributes.runtime = kSliceNs;
    if (errno == 0)
        (void)::syscall(SYS_sched_setattr, 0, &attributes, 0U);
}

void giveWay()
{
    errno = 0;
    const int nice = ::getpriority(PRIO_PROCESS, 0);
    if (errno == 0)
        (void)::setpriority(PRIO_PROCESS, 0, std::min(nice + kNicer, kNicest));
}

}  // namespace ct
