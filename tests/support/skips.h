// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Reports that this machine cannot run a case, in tests with and without Qt. Each skip prints one line that
// begins with "SKIP ". The program then ends with kSkipped (SKIP_RETURN_CODE in tests/CMakeLists.txt), unless a case
// failed. packaging/list_skips.sh collects the lines.
#pragma once

#include "tests/support/sanitizers.h"

#include <cstdio>
#include <string>

namespace ct::test {

constexpr int kSkipped = 77;

constexpr bool kAddressSanitizer = CT_ADDRESS_SANITIZER != 0;
constexpr bool kThreadSanitizer = CT_THREAD_SANITIZER != 0;

inline int &skipCount()
{
    static int count = 0;
    return count;
}

inline void reportSkip(const char *file, int line, const std::string &reason)
{
    ++skipCount();
    std::printf("SKIP %s:%d: %s\n", file, line, reason.c_str());
    std::fflush(stdout);
}

/// The exit status of a test program with this number of failures.
inline int exitStatus(int failures)
{
    if (failures != 0)
        return 1;
    return skipCount() != 0 ? kSkipped : 0;
}

/// Returns "tst_lanes" for "/home/me/tests/core/harvest/tst_lanes.cpp".
inline std::string suiteName(const std::string &file)
{
    const std::string::size_type slash = file.rfind('/');
    const std::string name = slash == std::string::npos ? file : file.substr(slash + 1);
    return name.substr(0, name.rfind('.'));
}

}  // namespace ct::test
