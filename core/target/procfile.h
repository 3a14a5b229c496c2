// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Files and directories of /proc that are read again and again. Qt-free.
#pragma once

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <dirent.h>
#include <fcntl.h>
#include <span>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace ct {

/// Owns a descriptor of a file or directory. As long as it is open, it stands for the process or thread for which it
/// was opened: when that has ended, reading fails, even if another one has the number.
class ProcFile {
public:
    ProcFile() = default;
    ProcFile(int directory, const std::string &name, int flags = 0)
        : m_fd(::openat(directory, name.c_str(), O_RDONLY | O_CLOEXEC | flags))
    {
    }
    static ProcFile adopt(int fd)
    {
        ProcFile file;
        file.m_fd = fd;
        return file;
    }
    ProcFile(ProcFile &&other) noexcept : m_fd(std::exchange(other.m_fd, -1)) {}
    ProcFile &operator=(ProcFile &&other) noexcept
    {
        std::swap(m_fd, other.m_fd);
        return *this;
    }
    ~ProcFile()
    {
        if (m_fd >= 0)
            ::close(m_fd);
    }

    bool isOpen() const { return m_fd >= 0; }
    int fd() const { return m_fd; }
    int release() { return std::exchange(m_fd, -1); }
    /// Reads from the start, up to the size of `buffer`. Empty on failure, with errno.
    std::string_view read(std::span<char> buffer) const
    {
        const ssize_t got = ::pread(m_fd, buffer.data(), buffer.size(), 0);
        return {buffer.data(), got > 0 ? static_cast<std::size_t>(got) : 0};
    }
    /// Reads the whole file. Empty on failure.
    std::string readAll() const
    {
        std::string text;
        for (std::size_t used = 0;;) {
            text.resize(used + kPiece);
            const ssize_t got = ::pread(m_fd, text.data() + used, kPiece, static_cast<off_t>(used));
            text.resize(used + (got > 0 ? static_cast<std::size_t>(got) : 0));
            if (got <= 0)
                return text;
            used = text.size();
        }
    }

private:
    static constexpr std::size_t kPiece = 65'536;
    int m_fd = -1;
};

/// Calls visit(name) for each entry of a directory whose name does not begin with a dot. Returns false if it cannot be
/// read.
template <class Visit>
bool forEachEntry(const ProcFile &directory, Visit &&visit)
{
    ProcFile again(directory.fd(), ".", O_DIRECTORY);  // fdopendir() takes over a descriptor
    DIR *const entries = ::fdopendir(again.fd());
    if (!entries)
        return false;
    again.release();
    while (const dirent *const entry = ::readdir(entries)) {
        if (entry->d_name[0] != '.')
            visit(std::string_view(entry->d_name));
    }
    ::closedir(entries);
    return true;
}

/// Splits text at blanks and line ends.
class ProcWords {
public:
    explicit ProcWords(std::string_view text) : m_rest(text) {}

    /// Returns the next word; empty at the end.
    std::string_view next()
    {
        constexpr std::string_view kBlank = " \t\n";
        const std::size_t begin = std::min(m_rest.find_first_not_of(kBlank), m_rest.size());
        const std::size_t end = std::min(m_rest.find_first_of(kBlank, begin), m_rest.size());
        const std::string_view word = m_rest.substr(begin, end - begin);
        m_rest.remove_prefix(end);
        return word;
    }
    void skip(int words)
    {
        for (; words > 0; --words)
            next();
    }
    /// Returns the next word as a number, which may begin with 0x; 0 if it is none.
    std::uint64_t number(int base = 10) { return numberOf(next(), base); }

    static std::uint64_t numberOf(std::string_view word, int base = 10)
    {
        if (word.starts_with("0x")) {
            word.remove_prefix(2);
            base = 16;
        }
        std::uint64_t value = 0;
        std::from_chars(word.data(), word.data() + word.size(), value, base);
        return value;
    }

private:
    std::string_view m_rest;
};

}  // namespace ct
