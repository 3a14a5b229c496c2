// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/target/processlimits.h"

#include <algorithm>
#include <csignal>
#include <sys/resource.h>

namespace ct {

namespace {

constexpr rlim_t kEnoughFiles = 65'536;  // some systems grant a billion

// Limits belong to the process. Both are written once, before other threads or children exist.
bool raised = false;
rlimit original{};

void doNothing(int) {}

}  // namespace

void adjustProcessLimits()
{
    rlimit files{};
    if (!raised && ::getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < std::min(files.rlim_max, kEnoughFiles)) {
        original = files;
        files.rlim_cur = std::min(files.rlim_max, kEnoughFiles);
        raised = ::setrlimit(RLIMIT_NOFILE, &files) == 0;
    }
    struct sigaction action {};
    if (::sigaction(SIGXFSZ, nullptr, &action) == 0 && action.sa_handler == SIG_DFL) {
        action.sa_handler = doNothing;
        ::sigemptyset(&action.sa_mask);
        action.sa_flags = SA_RESTART;
        ::sigaction(SIGXFSZ, &action, nullptr);
    }
}

void restoreProcessLimits()
{
    if (raised)
        ::setrlimit(RLIMIT_NOFILE, &original);
}

}  // namespace ct
