// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
#include "core/recording/read/streamindex.h"

#include <algorithm>

namespace ct {

void StreamIndex::setRecording(std::uint64_t number)
{
    const std::lock_guard lock(m_mutex);
    m_recording = number;
}

std::uint64_t StreamIndex::recording() const
{
    const std::lock_guard lock(m_mutex);
    return m_recording;
}

void StreamIndex::addBlock(const std::string &path, std::uint64_t offset, std::uint64_t first)
{
    const std::lock_guard lock(m_mutex);
    if (m_paths.empty() || m_paths.back() != path)
        m_paths.push_back(path);
    m_rows.push_back({first, offset, m_paths.size() - 1});
    m_end = std::max(m_end, first);
}

void StreamIndex::setEnd(std::uint64_t end)
{
    const std::lock_guard lock(m_mutex);
    m_end = std::max(m_end, end);
}

std::uint64_t StreamIndex::endPosition() const
{
    const std::lock_guard lock(m_mutex);
    return m_end;
}

void StreamIndex::close()
{
    const std::lock_guard lock(m_mutex);
    m_closed = true;
}

bool StreamIndex::isClosed() const
{
    const std::lock_guard lock(m_mutex);
    return m_closed;
}

void StreamIndex::setRenumbering(const ctr::Renumbering &renumbering)
{
    auto copy = std::make_shared<const ctr::Renumbering>(renumbering);
    const std::lock_guard lock(m_mutex);
    m_renumbering = std::move(copy);
}

std::shared_ptr<const ctr::Renumbering> StreamIndex::renumbering() const
{
    const std::lock_guard lock(m_mutex);
    return m_renumbering;
}

std::optional<StreamIndex::Block> StreamIndex::blockAt(std::uint64_t position) const
{
    const std::lock_guard lock(m_mutex);
    const auto after = std::upper_bound(m_rows.begin(), m_rows.end(), position,
                                        [](std::uint64_t wanted, const Row &row) { return wanted < row.first; });
    if (after == m_rows.begin() || position >= m_end)
        return std::nullopt;
    return at(static_cast<std::size_t>(after - m_rows.begin()) - 1);
}

std::size_t StreamIndex::blocks() const
{
    const std::lock_guard lock(m_mutex);
    return m_rows.size();
}

StreamIndex::Block StreamIndex::block(std::size_t index) const
{
    const std::lock_guard lock(m_mutex);
    return at(index);
}

StreamIndex::Block StreamIndex::at(std::size_t index) const
{
    const Row &row = m_rows[index];
    const std::uint64_t end = index + 1 == m_rows.size() ? m_end : m_rows[index + 1].first;
    return {row.first, end, row.offset, m_paths[row.path]};
}

}  // namespace ct
