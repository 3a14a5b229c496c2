// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Detects that a write reached the limit on the size of files (ulimit -f), for libraries that hide errno.
#pragma once

#include <csignal>
#include <ctime>

namespace ct {

/// During its life, SIGXFSZ for writes of this thread stays pending, even if the process ignores the signal. For one
/// thread.
class FileLimitWatch {
public:
    FileLimitWatch()
    {
        sigemptyset(&m_signal);
        sigaddset(&m_signal, SIGXFSZ);
        pthread_sigmask(SIG_BLOCK, &m_signal, &m_before);
    }
    ~FileLimitWatch()
    {
        (void)isReached();
        pthread_sigmask(SIG_SETMASK, &m_before, nullptr);
    }
    FileLimitWatch(const FileLimitWatch &) = delete;
    FileLimitWatch &operator=(const FileLimitWatch &) = delete;

    /// True if a write reached the limit since construction, or since the previous call.
    bool isReached() const
    {
        const timespec now{};
        return sigtimedwait(&m_signal, nullptr, &now) == SIGXFSZ;
    }

private:
    sigset_t m_signal{};
    sigset_t m_before{};
};

}  // namespace ct
