// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Runs part of a Qt-free case in a forked child. Its failures and skips become the child's exit status.
#pragma once

#include "tests/support/check.h"

#include <sys/wait.h>
#include <unistd.h>

namespace check {

/// Runs `body` in a child process, and ends the process with the exit status of a test program.
template <class Body>
[[noreturn]] void runInChild(Body &&body)
{
    failures = 0;
    ct::test::skipCount() = 0;
    try {
        body();
    } catch (const Abort &) {
    }
    std::fflush(nullptr);
    ::_exit(ct::test::exitStatus(failures));
}

/// Returns true if the child with this waitpid() status skipped. Counts the skip.
inline bool isSkip(int status)
{
    const bool skipped = WIFEXITED(status) && WEXITSTATUS(status) == ct::test::kSkipped;
    ct::test::skipCount() += skipped ? 1 : 0;
    return skipped;
}

}  // namespace check
