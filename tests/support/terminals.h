// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

/// Returns false in a bare root without /dev/pts, where a test cannot open a terminal.
inline bool haveTerminals()
{
    const int master = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (master >= 0)
        ::close(master);
    return master >= 0;
}
