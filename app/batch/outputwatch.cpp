// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/outputwatch.h"

#include "app/batch/deferredfile.h"
#include "core/base/filekey.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace ct {

OutputWatch::OutputWatch(std::string path) : m_path(std::move(path)), m_fd(::open(m_path.c_str(), O_PATH | O_CLOEXEC))
{
    struct stat info = {};
    // Some file systems do not count links.
    const bool isWatched = m_fd >= 0 && ::fstat(m_fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_nlink > 0;
    if (m_fd >= 0 && !isWatched)
        ::close(std::exchange(m_fd, -1));
}

OutputWatch::~OutputWatch()
{
    if (m_fd >= 0)
        ::close(m_fd);
}

OutputWatch::Finding OutputWatch::check() const
{
    struct stat info = {};
    if (m_fd < 0 || ::fstat(m_fd, &info) != 0 || FileKey::of(m_path) == FileKey::of(m_fd))
        return {};
    if (info.st_nlink > 0)
        return {m_path + " was moved by another program during the run; its events are in the moved file", false};
    return {removedWhileWritten(m_path), true};
}

}  // namespace ct
