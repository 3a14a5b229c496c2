// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/target/pidnamespaces.h"

#include "core/target/mappingprocesses.h"

#include <cerrno>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <sys/stat.h>

namespace ct {

namespace {

/// PROC_PID_INIT_INO of the kernel (linux/proc_ns.h). Every process of the machine has a pid in this namespace.
constexpr std::uint64_t kInitialPidNamespace = 0xEFFFFFFC;

std::string folderOf(pid_t pid)
{
    return "/proc/" + std::to_string(pid);
}

/// Returns the numbers of the line "NSpid: 4321 17 1" in /proc/PID/status, which every user may read. They are the pids
/// in all namespaces, from that of /proc to that of the process. Empty if the file cannot be read, or has no such line
/// (Linux before 4.1).
std::vector<std::uint32_t> nestedPids(pid_t pid)
{
    std::ifstream status(folderOf(pid) + "/status");
    std::string line;
    while (std::getline(status, line)) {
        if (!line.starts_with("NSpid:"))
            continue;
        std::istringstream numbers(line.substr(line.find(':') + 1));
        return {std::istream_iterator<std::uint32_t>(numbers), {}};
    }
    return {};
}

bool hasVanished(pid_t pid)
{
    struct stat status {};
    return ::stat(folderOf(pid).c_str(), &status) != 0 && (errno == ENOENT || errno == ESRCH);
}

}  // namespace

std::uint64_t ownPidNamespace()
{
    struct stat space {};
    return ::stat("/proc/self/ns/pid", &space) == 0 ? space.st_ino : 0;
}

ProcessListing ProcessListing::read()
{
    ProcessListing listing;
    const bool isInitial = ownPidNamespace() == kInitialPidNamespace;
    bool readsAll = true;
    bool listsFirst = false;
    for (const pid_t pid : listedPids()) {
        listsFirst = listsFirst || pid == 1;
        const std::vector<std::uint32_t> pids = nestedPids(pid);
        ListedProcess process{pid, 0, pids.empty() ? 0 : pids.back()};
        struct stat space {};
        if (::stat((folderOf(pid) + "/ns/pid").c_str(), &space) == 0)
            process.space = space.st_ino;
        else if (isInitial && pids.size() == 1)
            process.space = kInitialPidNamespace;
        if (process.space != 0 || process.innerPid != 0)
            listing.processes.push_back(process);
        else
            readsAll = readsAll && hasVanished(pid);
    }
    // A /proc that hides the processes of other users (hidepid) does not list process 1.
    listing.isComplete = isInitial && readsAll && listsFirst;
    return listing;
}

NamespaceSearch findProcess(const NamespacedPid &untrusted, const ProcessListing &listing,
                            const std::function<bool(pid_t, std::uint64_t startTicks)> &mayBe)
{
    using Outcome = NamespaceSearch::Outcome;
    NamespaceSearch search;
    search.outcome = listing.isComplete ? Outcome::None : Outcome::Undecided;
    for (const ListedProcess &process : listing.processes) {
        const bool isElsewhere = untrusted.space != 0 && process.space != 0 && process.space != untrusted.space;
        const bool isOther = process.innerPid != 0 && process.innerPid != untrusted.pid;
        if (isElsewhere || isOther || !mayBe(process.pid, untrusted.startTicks))
            continue;
        const bool isSure = untrusted.space != 0 && process.space != 0 && process.innerPid != 0;
        if (isSure)
            return {Outcome::Found, process.pid};
        search.outcome = Outcome::Undecided;
    }
    return search;
}

}  // namespace ct
