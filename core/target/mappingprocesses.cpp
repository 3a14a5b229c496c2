// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/target/mappingprocesses.h"

#include "core/region/processstat.h"

#include <algorithm>
#include <charconv>
#include <cinttypes>
#include <cstdio>
#include <dirent.h>
#include <fstream>
#include <memory>
#include <sys/sysmacros.h>
#include <unistd.h>

namespace ct {

namespace {

struct DirectoryCloser {
    void operator()(DIR *directory) const { closedir(directory); }
};

std::string procPath(pid_t pid, const char *file)
{
    return "/proc/" + std::to_string(pid) + "/" + file;
}

/// Returns the numeric entries of a directory in /proc.
std::vector<pid_t> numbersIn(const std::string &path)
{
    std::vector<pid_t> pids;
    const std::unique_ptr<DIR, DirectoryCloser> directory(opendir(path.c_str()));
    while (const dirent *entry = directory ? readdir(directory.get()) : nullptr) {
        const std::string name = entry->d_name;
        pid_t pid = 0;
        if (std::from_chars(name.data(), name.data() + name.size(), pid).ptr == name.data() + name.size() && pid > 0)
            pids.push_back(pid);
    }
    return pids;
}

/// Overlay file systems report one device to stat and another to /proc. In this case the name must match.
bool isSame(const FileIdentity &file, dev_t device, ino_t inode, const std::string &mapsLine)
{
    return file.inode == inode && (file.device == device || mapsLine.ends_with(" " + file.path));
}

/// Calls visit(device, inode, line) for every mapping of a named file in a maps file. Returns true if the file has any
/// line.
template <class Visit>
bool readMaps(const std::string &path, Visit &&visit)
{
    std::ifstream maps(path);
    std::string line;
    bool hasLines = false;
    while (std::getline(maps, line)) {
        hasLines = true;
        unsigned majorNumber = 0;
        unsigned minorNumber = 0;
        std::uint64_t inode = 0;
        if (std::sscanf(line.c_str(), "%*x-%*x %*s %*x %x:%x %" SCNu64, &majorNumber, &minorNumber, &inode) == 3 &&
            inode != 0)
            visit(makedev(majorNumber, minorNumber), static_cast<ino_t>(inode), line);
    }
    return hasLines;
}

/// Calls visit(device, inode, line) for every mapping of a named file in the process. Once the main thread has ended,
/// /proc/PID/maps is empty. The maps of the other threads list the same memory.
template <class Visit>
void forEachMapping(pid_t pid, Visit &&visit)
{
    if (readMaps(procPath(pid, "maps"), visit))
        return;
    for (const pid_t thread : numbersIn(procPath(pid, "task"))) {
        if (thread != pid && readMaps(procPath(pid, ("task/" + std::to_string(thread) + "/maps").c_str()), visit))
            return;
    }
}

MappingProcess describe(pid_t pid)
{
    MappingProcess process;
    process.pid = pid;
    std::ifstream comm(procPath(pid, "comm"));
    std::getline(comm, process.name);
    process.engine = pid == getpid() || process.name == "corotracer-gui";
    return process;
}

}  // namespace

FileIdentity FileIdentity::of(const std::string &path)
{
    struct stat status {};
    return stat(path.c_str(), &status) == 0 ? of(status, path) : FileIdentity{0, 0, path};
}

std::vector<std::vector<MappingProcess>> processesMapping(const std::vector<FileIdentity> &files)
{
    std::vector<std::vector<MappingProcess>> result(files.size());
    if (files.empty())
        return result;
    for (const pid_t pid : listedPids()) {
        std::vector<bool> seen(files.size(), false);
        forEachMapping(pid, [&](dev_t device, ino_t inode, const std::string &line) {
            for (std::size_t i = 0; i < files.size(); ++i)
                seen[i] = seen[i] || isSame(files[i], device, inode, line);
        });
        for (std::size_t i = 0; i < files.size(); ++i) {
            if (seen[i])
                result[i].push_back(describe(pid));
        }
    }
    return result;
}

std::vector<MappingProcess> processesMapping(const FileIdentity &file)
{
    return processesMapping(std::vector<FileIdentity>{file}).front();
}

bool processMaps(pid_t pid, const FileIdentity &file)
{
    bool found = false;
    forEachMapping(pid, [&](dev_t device, ino_t inode, const std::string &line) {
        found = found || isSame(file, device, inode, line);
    });
    return found;
}

std::uint64_t mappedPages(pid_t pid)
{
    std::uint64_t pages = 0;
    std::ifstream("/proc/" + std::to_string(pid) + "/statm") >> pages;
    return pages;
}

bool processRuns(pid_t pid)
{
    const ProcessStat stat = ProcessStat::of(pid);
    return stat.isRead ? stat.runs() : processExists(pid);
}

std::vector<pid_t> listedPids()
{
    return numbersIn("/proc");
}

bool isEngine(pid_t pid)
{
    return describe(pid).engine;
}

pid_t lockHolder(const FileIdentity &file)
{
    // F_GETLK does not see an flock. A trial lock could make another engine's attempt fail.
    std::ifstream locks("/proc/locks");
    std::string line;
    while (std::getline(locks, line)) {
        char type[16];
        char access[16];
        int pid = 0;
        unsigned majorNumber = 0;
        unsigned minorNumber = 0;
        std::uint64_t inode = 0;
        if (std::sscanf(line.c_str(), "%*d: %15s %*s %15s %d %x:%x:%" SCNu64, type, access, &pid, &majorNumber,
                        &minorNumber, &inode) != 6)
            continue;
        // /proc/locks reports another device for an overlay file system, too, but always one with major number 0.
        const bool sameDevice =
            makedev(majorNumber, minorNumber) == file.device || (majorNumber == 0 && major(file.device) == 0);
        // Engines that read a post-mortem region share a lock, which has READ access.
        const bool owns = std::string_view(type) == "FLOCK" && std::string_view(access) == "WRITE";
        if (owns && inode == file.inode && sameDevice)
            return pid > 0 ? pid : -1;
    }
    return 0;
}

}  // namespace ct
