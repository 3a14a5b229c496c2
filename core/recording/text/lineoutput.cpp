// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recording/text/lineoutput.h"

#include <algorithm>
#include <utility>

namespace ct {

namespace {

constexpr std::size_t kBufferSize = 1U << 20;
/// Half of the promised second, because a batch can be up to 250 ms late.
constexpr std::uint64_t kFlushEveryNs = 500'000'000;

}  // namespace

LineOutput::LineOutput(std::unique_ptr<AppendFile> file) : m_file(std::move(file)), m_buffer(kBufferSize) {}

LineOutput::~LineOutput()
{
    if (m_file->hasBegun())
        (void)close();
}

Result<std::unique_ptr<LineOutput>> LineOutput::open(const std::string &path, AppendFile::Unit unit)
{
    Result<std::unique_ptr<AppendFile>> file = AppendFile::open(path, unit);
    if (!file)
        return file.error();
    if (Result<void> claimed = (*file)->claim(); !claimed)
        return claimed.error();
    return std::unique_ptr<LineOutput>(new LineOutput(std::move(*file)));
}

Result<char *> LineOutput::makeRoom(std::size_t bytes)
{
    if (Result<void> flushed = flush(); !flushed)
        return flushed.error();
    if (bytes > m_buffer.size())
        m_buffer.resize(bytes);
    return m_buffer.data();
}

Result<void> LineOutput::flushIfDue(std::uint64_t now)
{
    if (m_flushedAt == 0)
        m_flushedAt = now;
    if (now < m_flushedAt + kFlushEveryNs)
        return {};
    m_flushedAt = now;
    return flush();
}

Result<void> LineOutput::flush()
{
    const std::uint64_t before = m_file->lines();
    Result<void> written = m_file->append(m_buffer.data(), std::exchange(m_used, 0), m_ends);
    const std::uint64_t whole = m_file->lines() - before;
    const auto end = std::lower_bound(m_uncounted.begin(), m_uncounted.end(), whole);
    m_uncountedWritten += static_cast<std::uint64_t>(end - m_uncounted.begin());
    m_uncounted.clear();
    m_ends.clear();
    return written;
}

Result<void> LineOutput::close()
{
    if (!m_file->isOpen())
        return {};
    const Result<void> flushed = m_file->hasFailed() ? Result<void>() : flush();
    const Result<void> closed = m_file->close();
    return flushed ? closed : flushed;
}

}  // namespace ct
