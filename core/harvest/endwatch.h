// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which of some processes have ended, for one system call however many they are: pidfd_open(2), Linux 5.3.
#pragma once

#include <cstdint>
#include <poll.h>
#include <sys/types.h>
#include <vector>

namespace ct {

/// A zombie has ended. Each process takes a file descriptor as long as it lives.
class EndWatch {
public:
    EndWatch() = default;
    ~EndWatch();
    EndWatch(const EndWatch &) = delete;
    EndWatch &operator=(const EndWatch &) = delete;

    /// Whoever has that pid at present; `key` is the caller's. False: it cannot be watched, and has to be asked for.
    bool add(std::uint32_t key, pid_t pid);
    void remove(std::uint32_t key);
    bool watches(std::uint32_t key) const;
    bool isEmpty() const { return m_keys.empty(); }
    /// Those that have ended since the last call; they are watched no longer.
    std::vector<std::uint32_t> takeEnded();

    /// A part of what a process may usually open: targets' connections take as many.
    static constexpr std::size_t kMost = 256;

private:
    void removeAt(std::size_t place);

    std::vector<std::uint32_t> m_keys;
    std::vector<pollfd> m_polls;  ///< the same places
};

}  // namespace ct
