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

LineOutput::LineOutput(std::unique_ptr<AppendFile> file, std::unique_ptr<Packer> packer)
    : m_file(std::move(file)), m_packer(std::move(packer)), m_buffer(kBufferSize)
{
}

LineOutput::~LineOutput()
{
    if (m_file->hasBegun())
        (void)close();
}

Result<std::unique_ptr<LineOutput>> LineOutput::open(const std::string &path, AppendFile::Unit unit, OldContent old)
{
    std::unique_ptr<Packer> packer = Packer::make(packingForName(path));
    Result<std::unique_ptr<AppendFile>> file = AppendFile::open(path, packer ? AppendFile::Unit::Write : unit);
    if (!file)
        return file.error();
    if (Result<void> claimed = (*file)->claim(); !claimed)
        return claimed.error();
    if (old == OldContent::Keep)
        (*file)->keepOldContent();
    return std::unique_ptr<LineOutput>(new LineOutput(std::move(*file), std::move(packer)));
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
    if (now < m_flushedAt || now - m_flushedAt < kFlushEveryNs)
        return {};
    m_flushedAt = now;
    // Without a line, the file keeps what it had: the target may fail to start.
    return m_used == 0 ? Result<void>() : flush();
}

Result<void> LineOutput::flush()
{
    if (m_used != 0 && std::exchange(m_isOldLineOpen, false)) {
        if (Result<void> ended = append("\n", {}); !ended)
            return ended;
    }
    const std::uint64_t before = m_file->lines();
    const Result<void> written = append({m_buffer.data(), std::exchange(m_used, 0)}, m_ends);
    // A compressed piece is in the file as a whole or not at all.
    const std::uint64_t whole = !m_packer ? m_file->lines() - before : written ? m_ends.size() : 0;
    const auto end = std::lower_bound(m_uncounted.begin(), m_uncounted.end(), whole);
    m_written += whole - static_cast<std::uint64_t>(end - m_uncounted.begin());
    m_uncounted.clear();
    m_ends.clear();
    return written;
}

Result<void> LineOutput::append(std::string_view text, std::span<const std::size_t> ends)
{
    if (!m_packer)
        return m_file->append(text.data(), text.size(), ends);
    if (text.empty())
        return m_file->append(nullptr, 0);
    const Result<std::string_view> packed = m_packer->pack(text);
    return packed ? m_file->append(packed->data(), packed->size()) : packed.error();
}

Result<void> LineOutput::close()
{
    if (!m_file->isOpen())
        return {};
    Result<void> flushed = m_file->hasFailed() ? Result<void>() : flush();
    // A file of 0 bytes is not a valid compressed file, so one without lines gets an empty piece.
    if (const bool isEmpty = m_packer && flushed && !m_file->hasFailed() && m_file->size() == 0; isEmpty) {
        const Result<std::string_view> packed = m_packer->pack({});
        flushed = packed ? m_file->append(packed->data(), packed->size()) : packed.error();
    }
    const Result<void> closed = m_file->close();
    return flushed ? closed : flushed;
}

}  // namespace ct
