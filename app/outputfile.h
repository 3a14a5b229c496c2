// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A small file that is written at the very end, but known to be writable from the start. Qt-free.
#pragma once

#include "core/result.h"

#include <string>
#include <string_view>
#include <utility>

namespace ct {

class OutputFile {
public:
    /// Opens without changing the present content. "-" and /dev/stdout are standard output, /dev/stderr is standard
    /// error, /dev/fd/N is the inherited descriptor N: the content is written behind what is in these. An error when
    /// another process writes the file.
    static Result<OutputFile> open(const std::string &path);
    OutputFile(OutputFile &&other) noexcept
        : m_path(std::move(other.m_path)),
          m_fd(std::exchange(other.m_fd, -1)),
          m_created(other.m_created),
          m_regular(other.m_regular),
          m_named(other.m_named)
    {
    }
    OutputFile &operator=(OutputFile &&) = delete;
    ~OutputFile();

    /// Empties a regular file: the result of an older run must not pass for that of this one. Leaves others alone.
    Result<void> dropOlder();
    /// Replaces the content, as a whole or by nothing. An error also when the file has lost its name since open().
    Result<void> write(std::string_view content);
    /// Nothing will come: removes a file that open() made or dropOlder() emptied. False: nothing was removed.
    bool discard();

private:
    OutputFile(std::string path, int fd, bool created, bool regular, bool named)
        : m_path(std::move(path)), m_fd(fd), m_created(created), m_regular(regular), m_named(named)
    {
    }
    Error fail(int errnoValue);

    std::string m_path;
    int m_fd;
    bool m_created;  ///< by us, or emptied by us
    bool m_regular;  ///< and not a standard stream
    bool m_named;    ///< a regular file that has a name, unlike one that is open in /proc only
};

}  // namespace ct
