// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Makes the system refuse threads, as it does at `ulimit -u`: every test program stands in front of pthread_create.
#pragma once

#include "tests/support/skips.h"

namespace ct::test {

/// Sanitizers have a pthread_create of their own that must stay the first.
constexpr bool kCanRefuseThreads = !kAddressSanitizer && !kThreadSanitizer;

/// Threads that were started so far; 0 under sanitizers.
int startedThreads();

/// While it lives, no thread of this process can be started. One at a time.
class NoMoreThreads {
public:
    NoMoreThreads();
    ~NoMoreThreads();
    NoMoreThreads(const NoMoreThreads &) = delete;
    NoMoreThreads &operator=(const NoMoreThreads &) = delete;
    /// Attempts that were refused.
    int refused() const;
};

}  // namespace ct::test
