// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Finds the processes that map a file, and the engine that holds its lock. Reads /proc. Qt-free.
#pragma once

#include <cstdint>
#include <string>
#include <sys/stat.h>
#include <sys/types.h>
#include <vector>

namespace ct {

/// Identifies a file by device and inode as well as by name, because the name may differ inside a container.
struct FileIdentity {
    dev_t device = 0;
    ino_t inode = 0;
    std::string path;

    static FileIdentity of(const struct stat &status, const std::string &path)
    {
        return {status.st_dev, status.st_ino, path};
    }
    static FileIdentity of(const std::string &path);  ///< inode 0 if there is no such file; no mapping matches that
};

struct MappingProcess {
    pid_t pid = 0;
    std::string name;
    bool engine = false;  ///< a corotracer-gui, or this process
};

/// Returns the processes that map the file, if we may read their maps: our own, or all for root.
std::vector<MappingProcess> processesMapping(const FileIdentity &file);
/// Searches for many files at once. Returns one entry per file, in the order of `files`.
std::vector<std::vector<MappingProcess>> processesMapping(const std::vector<FileIdentity> &files);
/// Checks one process only. Returns false also when it has ended.
bool processMaps(pid_t pid, const FileIdentity &file);
/// Size of the address space in pages, 0 = it has ended. Cheaper than processMaps(): a process that maps or unmaps a
/// file has another size afterwards.
std::uint64_t mappedPages(pid_t pid);
/// Returns false for a zombie, unless it has further threads.
bool processRuns(pid_t pid);
bool isEngine(pid_t pid);
/// Returns the pids that /proc lists.
std::vector<pid_t> listedPids();

/// Returns the process that holds an exclusive flock on the file; 0 = none, -1 = unknown process.
pid_t lockHolder(const FileIdentity &file);

}  // namespace ct
