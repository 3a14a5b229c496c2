// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Makes thread creation fail, as at the limit of `ulimit -u`. Every test program interposes pthread_create.
#pragma once

#include "tests/support/skips.h"

namespace ct::test {

/// Sanitizers interpose pthread_create themselves, and their version must come first.
constexpr bool kCanRefuseThreads = !kAddressSanitizer && !kThreadSanitizer;

/// Number of threads started so far; always 0 under sanitizers.
int startedThreads();

/// While an object lives, pthread_create fails with EAGAIN in this process. One object at a time.
class NoMoreThreads {
public:
    NoMoreThreads();
    ~NoMoreThreads();
    NoMoreThreads(const NoMoreThreads &) = delete;
    NoMoreThreads &operator=(const NoMoreThreads &) = delete;
    /// Number of refused attempts since this object was created.
    int refused() const;
};

}  // namespace ct::test
