// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A file system that fills up.
#pragma once

#include "tests/support/check.h"
#include "tests/support/privatetmpfs.h"
#include "tests/support/tempdir.h"

#include <cstdio>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace smalltmpfs {

/// Runs `body(directory)` in a child with a private tmpfs of `bytes` there. False: this machine does not let us.
inline bool onSmallTmpfs(std::uint64_t bytes, void (*body)(const std::string &directory))
{
    const ct::test::TempDir dir;
    const pid_t child = ::fork();
    if (child == 0) {
        if (!mountPrivately(dir.path(), bytes))
            ::_exit(77);
        check::failures = 0;
        try {
            body(dir.path());
        } catch (const check::Abort &) {
        }
        ::_exit(check::failures == 0 ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
        std::puts("(no private mounts here: not tested)");
        return false;
    }
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return true;
}

}  // namespace smalltmpfs
