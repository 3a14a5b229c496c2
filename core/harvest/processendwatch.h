// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Detects the end of many processes with one system call, through pidfd_open(2) (Linux 5.3).
#pragma once

#include <cstdint>
#include <poll.h>
#include <sys/types.h>
#include <vector>

namespace ct {

/// A zombie counts as ended. Each watched process occupies a file descriptor.
class ProcessEndWatch {
public:
    ProcessEndWatch() = default;
    ~ProcessEndWatch();
    ProcessEndWatch(const ProcessEndWatch &) = delete;
    ProcessEndWatch &operator=(const ProcessEndWatch &) = delete;

    /// Watches the process that has this pid now, under the caller's `key`. Returns false if it cannot be watched; then
    /// the caller has to poll it.
    bool watchProcess(std::uint32_t key, pid_t pid);
    void remove(std::uint32_t key);
    bool watches(std::uint32_t key) const;
    bool isEmpty() const { return m_keys.empty(); }
    /// The keys of the processes that ended since the last call. They are no longer watched.
    std::vector<std::uint32_t> takeEnded();

    /// Limit of watched processes. The connections of targets need descriptors as well.
    static constexpr std::size_t kMost = 256;

private:
    void removeAt(std::size_t index);

    std::vector<std::uint32_t> m_keys;
    std::vector<pollfd> m_polls;  ///< parallel to m_keys
};

}  // namespace ct
