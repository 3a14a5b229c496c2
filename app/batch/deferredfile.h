// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A small file that is written at the very end, but checked to be writable at the start. Qt-free.
#pragma once

#include "core/base/result.h"

#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace ct {

/// Returns the message for a file that another program removed while it was being written.
std::string removedWhileWritten(const std::string &path);

class DeferredFile {
public:
    /// Opens the file without changing its content. "-" and /dev/stdout are standard output, /dev/stderr is standard
    /// error, and /dev/fd/N is the inherited descriptor N. Writing to these appends to their content. Fails if another
    /// process writes the file.
    static Result<DeferredFile> open(const std::string &path);
    DeferredFile(DeferredFile &&other) noexcept
        : m_path(std::move(other.m_path)),
          m_fd(std::exchange(other.m_fd, -1)),
          m_created(other.m_created),
          m_regular(other.m_regular),
          m_named(other.m_named)
    {
    }
    DeferredFile &operator=(DeferredFile &&) = delete;
    ~DeferredFile();

    /// Empties a regular file, so that an older result cannot be mistaken for that of this run. Leaves other files
    /// alone.
    Result<void> dropOlder();
    /// Replaces the content as a whole, or leaves none. Also fails if the file has lost its name since open(). While
    /// the reader of a pipe does not read, calls `isGivenUp` a few times a second.
    Result<void> write(std::string_view content, const std::function<bool()> &isGivenUp = {});
    /// Call it if nothing will be written. Removes a file that open() created or dropOlder() emptied. Returns true if
    /// it removed the file.
    bool discard();

private:
    DeferredFile(std::string path, int fd, bool created, bool regular, bool named)
        : m_path(std::move(path)), m_fd(fd), m_created(created), m_regular(regular), m_named(named)
    {
    }
    bool waitForReader(const std::function<bool()> &isGivenUp) const;
    Error fail(int errnoValue);

    std::string m_path;
    int m_fd;
    bool m_created;  ///< created or emptied by us
    bool m_regular;  ///< a regular file, and not a standard stream
    bool m_named;    ///< a regular file with a name, not only a descriptor
};

}  // namespace ct
