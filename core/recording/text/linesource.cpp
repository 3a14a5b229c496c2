// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recording/text/linesource.h"

#include "core/recording/read/regularfile.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

namespace ct {

namespace {

constexpr std::size_t kPackedChunk = 1U << 17;  ///< bytes

/// Returns the first bytes of a file, as many as recognising a packing needs.
Packing packingOfFile(int fd)
{
    std::array<char, 4> begin{};
    const ssize_t got = ::pread(fd, begin.data(), begin.size(), 0);
    return got > 0 ? packingOf({begin.data(), static_cast<std::size_t>(got)}) : Packing::None;
}

}  // namespace

LineSource::LineSource(std::string path, int fd, std::uint64_t size)
    : m_path(std::move(path)),
      m_fd(fd),
      m_size(size),
      m_buffer(2 * kLongestLine),
      m_unpacker(Unpacker::make(packingOfFile(fd)))
{
    if (m_unpacker)
        m_packed.resize(kPackedChunk);
}

LineSource::~LineSource()
{
    ::close(m_fd);
}

Result<std::unique_ptr<LineSource>> LineSource::open(const std::string &path)
{
    const Result<int> fd = openRegularFile(path);
    if (!fd)
        return fd.error();
    struct stat info = {};
    const auto size = fstat(*fd, &info) == 0 ? static_cast<std::uint64_t>(info.st_size) : 0;
    return std::unique_ptr<LineSource>(new LineSource(path, *fd, size));
}

double LineSource::progress() const
{
    if (m_size == 0)
        return m_atEnd && m_begin == m_end ? 1.0 : 0.0;
    return std::min(1.0, static_cast<double>(m_consumed) / static_cast<double>(m_size));
}

/// Moves the unfinished line to the front of the buffer, then reads once.
Result<void> LineSource::fill()
{
    if (m_begin > 0) {
        std::memmove(m_buffer.data(), m_buffer.data() + m_begin, m_end - m_begin);
        m_end -= m_begin;
        m_begin = 0;
    }
    char *const to = m_buffer.data() + m_end;
    const std::size_t room = m_buffer.size() - m_end;
    const Result<std::size_t> got = m_unpacker ? readUnpacked(to, room) : read(to, room);
    if (!got)
        return got.error();
    m_end += *got;
    m_atEnd = *got == 0;
    return {};
}

/// Returns 0 at the end of the file.
Result<std::size_t> LineSource::read(char *to, std::size_t size)
{
    for (;;) {
        const ssize_t got = ::read(m_fd, to, size);
        if (got >= 0)
            return static_cast<std::size_t>(got);
        if (errno != EINTR)
            return errnoError(errno, m_path + ": reading failed after line " + std::to_string(m_number),
                              "open an intact copy if there is one");
    }
}

/// Like read(), for a compressed file.
Result<std::size_t> LineSource::readUnpacked(char *to, std::size_t size)
{
    for (;;) {
        bool isLast = false;
        if (m_packedRest.empty()) {
            const Result<std::size_t> got = read(m_packed.data(), m_packed.size());
            if (!got)
                return got.error();
            m_packedRest = {m_packed.data(), *got};
            m_consumed += *got;
            isLast = *got == 0;
        }
        const Result<std::size_t> unpacked = m_unpacker->unpack(m_packedRest, to, size);
        if (!unpacked)
            return Error{unpacked.error().code, m_path + ": the compressed data are damaged after line " +
                                                    std::to_string(m_number) + " (" + unpacked.error().message +
                                                    "); everything before it was read; open an intact copy if there "
                                                    "is one"};
        if (*unpacked != 0 || isLast)
            return *unpacked;
    }
}

Error LineSource::cutOff() const
{
    return {ErrorCode::BadFormat, m_path + ": the compressed data are cut off after line " + std::to_string(m_number) +
                                      ": the recording was interrupted or is still being written; everything before "
                                      "it was read"};
}

void LineSource::consume(std::size_t bytes)
{
    m_begin += bytes;
    m_consumed += m_unpacker ? 0 : bytes;
    m_scanned = 0;
}

Result<bool> LineSource::next(Line &line)
{
    for (;;) {
        const std::string_view rest(m_buffer.data() + m_begin, m_end - m_begin);
        const std::size_t found = rest.find('\n', m_scanned);
        const bool ended = found != std::string_view::npos;
        const std::size_t length = ended ? found : rest.size();
        if (m_skipsLine) {
            consume(length + (ended ? 1 : 0));
            m_skipsLine = !ended;
            if (ended)
                continue;
        } else if (length > kLongestLine) {
            consume(length + (ended ? 1 : 0));
            m_skipsLine = !ended;
            line = {{}, true, true};
            ++m_number;
            return true;
        } else if (ended || (m_atEnd && length > 0)) {
            consume(length + (ended ? 1 : 0));
            line = {rest.substr(0, length), ended, false};
            if (line.text.ends_with('\r'))
                line.text.remove_suffix(1);
            ++m_number;
            return true;
        }
        if (m_atEnd && m_unpacker && !m_unpacker->isComplete())
            return cutOff();
        if (m_atEnd)
            return false;
        m_scanned = m_end - m_begin;
        if (Result<void> filled = fill(); !filled)
            return filled.error();
    }
}

}  // namespace ct
