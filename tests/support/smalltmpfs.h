// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Runs a test body on a small file system that it can fill.
#pragma once

#include "tests/support/child.h"
#include "tests/support/privatetmpfs.h"
#include "tests/support/tempdir.h"

#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace smalltmpfs {

/// Runs `body(directory)` in a child, with a private tmpfs of `bytes` on that directory. Skips the case if mounting is
/// not possible.
inline void onSmallTmpfs(std::uint64_t bytes, void (*body)(const std::string &directory))
{
    const ct::test::TempDir dir;
    std::fflush(nullptr);
    const pid_t child = ::fork();
    if (child == 0) {
        check::runInChild([&] {
            if (!mountPrivately(dir.path(), bytes))
                CHECK_SKIP("no file system can be mounted here");
            body(dir.path());
        });
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    if (!check::isSkip(status))
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace smalltmpfs
