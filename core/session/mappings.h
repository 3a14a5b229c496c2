// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which processes map a file, and which engine holds its lock; read from /proc. Qt-free.
#pragma once

#include <cstdint>
#include <string>
#include <sys/stat.h>
#include <sys/types.h>
#include <vector>

namespace ct {

/// A file by what it is, not only by its name, which may be another inside a container.
struct FileIdentity {
    dev_t device = 0;
    ino_t inode = 0;
    std::string path;

    static FileIdentity of(const struct stat &status, const std::string &path)
    {
        return {status.st_dev, status.st_ino, path};
    }
    static FileIdentity of(const std::string &path);  ///< inode 0 when there is no such file; maps nothing
};

struct MappingProcess {
    pid_t pid = 0;
    std::string name;
    bool engine = false;  ///< a corotracer-gui, or this very process
};

/// Processes whose maps we may read (ours; all of them for root) that map the file.
std::vector<MappingProcess> processesMapping(const FileIdentity &file);
/// For many files at once: one entry per file, in order.
std::vector<std::vector<MappingProcess>> processesMapping(const std::vector<FileIdentity> &files);
/// One process only; false also when it is gone.
bool processMaps(pid_t pid, const FileIdentity &file);
/// A zombie does not, unless it has further threads.
bool processRuns(pid_t pid);
bool isEngine(pid_t pid);
/// The processes that /proc lists.
std::vector<pid_t> listedPids();

/// Process that holds an exclusive flock on the file: 0 = nobody, -1 = somebody unknown.
pid_t lockHolder(const FileIdentity &file);

}  // namespace ct
