// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Decides whether a process of another pid namespace (a container) still runs. Qt-free.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <sys/types.h>
#include <vector>

namespace ct {

/// A process as it describes itself in a region. All fields are untrusted.
struct NamespacedPid {
    std::uint32_t pid = 0;         ///< in its own pid namespace
    std::uint64_t space = 0;       ///< inode of its pid namespace; 0 = unknown
    std::uint64_t startTicks = 0;  ///< field 22 of /proc/PID/stat; 0 = unknown

    auto operator<=>(const NamespacedPid &) const = default;
};

/// A process as /proc lists it.
struct ListedProcess {
    pid_t pid = 0;               ///< in our pid namespace
    std::uint64_t space = 0;     ///< inode of its pid namespace; 0 = unknown, because we may not read it
    std::uint32_t innerPid = 0;  ///< its pid in that namespace; 0 = unknown
};

/// The processes of this machine, as far as /proc shows them to us.
struct ProcessListing {
    /// True if the list has every process of the machine: we are in the initial pid namespace, and /proc hides no
    /// process.
    bool isComplete = false;
    std::vector<ListedProcess> processes;

    static ProcessListing read();
};

/// Inode of our pid namespace; 0 = unknown.
std::uint64_t ownPidNamespace();

/// The answer to the question whether a process runs.
struct NamespaceSearch {
    enum class Outcome : std::uint8_t {
        Found,      ///< `pid` is the process
        Undecided,  ///< it may run
        None,       ///< it has ended
    };
    Outcome outcome = Outcome::Undecided;
    pid_t pid = 0;  ///< in our pid namespace
};
/// Searches `listing` for the process. `mayBe` gets a pid of our namespace. It returns false if that process has ended,
/// or did not start at `startTicks`.
NamespaceSearch findProcess(const NamespacedPid &untrusted, const ProcessListing &listing,
                            const std::function<bool(pid_t, std::uint64_t startTicks)> &mayBe);

}  // namespace ct
