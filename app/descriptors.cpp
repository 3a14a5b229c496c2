// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/descriptors.h"

#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

namespace ct {

std::vector<int> fillStandardDescriptors()
{
    // open() returns the lowest free number; the standard descriptors below it are open by then.
    for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (fcntl(standard, F_GETFD) < 0) [[maybe_unused]]
            const int fd = open("/dev/null", standard == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    }

    std::vector<int> inherited;
    DIR *directory = opendir("/proc/self/fd");
    if (!directory)
        return inherited;
    while (const dirent *entry = readdir(directory)) {
        const int number = std::atoi(entry->d_name);
        if (number > 2 && number != dirfd(directory) && (fcntl(number, F_GETFD) & FD_CLOEXEC) == 0)
            inherited.push_back(number);
    }
    closedir(directory);
    return inherited;
}

}  // namespace ct
