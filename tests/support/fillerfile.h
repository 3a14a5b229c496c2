// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Fills the free space of a small file system for the lifetime of an object.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace smalltmpfs {

class Filler {
public:
    /// Fills all but `leave` bytes, rounded to pages.
    explicit Filler(const std::string &directory, std::uint64_t leave = 0) : m_path(directory + "/filler")
    {
        const int fd = ::open(m_path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        const std::vector<char> bytes(4096, 'x');
        off_t size = 0;
        while (::write(fd, bytes.data(), bytes.size()) > 0)
            size += static_cast<off_t>(bytes.size());
        const auto left = static_cast<off_t>(leave);
        if (leave != 0)
            (void)!::ftruncate(fd, size > left ? size - left : 0);
        ::close(fd);
    }
    Filler(const Filler &) = delete;
    Filler &operator=(const Filler &) = delete;
    ~Filler() { ::unlink(m_path.c_str()); }

private:
    std::string m_path;
};

}  // namespace smalltmpfs
