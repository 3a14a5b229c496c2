// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/region/processstat.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace ct {

ProcessStat ProcessStat::of(pid_t pid)
{
    char path[32];
    std::snprintf(path, sizeof path, "/proc/%d/stat", static_cast<int>(pid));
    const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return {};
    char text[1024];
    const ssize_t length = ::read(fd, text, sizeof text - 1);
    ::close(fd);
    if (length <= 0)
        return {};
    text[length] = '\0';
    // Field 2, the name, may contain any characters. Field 3 follows the last parenthesis.
    const char *at = std::strrchr(text, ')');
    if (!at || at[1] == '\0')
        return {};
    ProcessStat stat;
    stat.state = at[2];
    for (int field = 3; (at = std::strchr(at + 1, ' ')); ++field) {
        if (field == 20)
            stat.threads = std::strtoull(at + 1, nullptr, 10);
        if (field == 22) {
            stat.startTicks = std::strtoull(at + 1, nullptr, 10);
            stat.isRead = true;
            break;
        }
    }
    return stat;
}

bool processExists(pid_t pid)
{
    return ::kill(pid, 0) == 0 || errno != ESRCH;
}

}  // namespace ct
