// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
#include "core/recording/streamplaces.h"

#include <algorithm>

namespace ct {

void StreamPlaces::begin(const std::string &path, std::uint64_t offset, std::uint64_t first)
{
    const std::lock_guard lock(m_mutex);
    if (m_paths.empty() || m_paths.back() != path)
        m_paths.push_back(path);
    m_rows.push_back({first, offset, m_paths.size() - 1});
    m_end = std::max(m_end, first);
}

void StreamPlaces::setEnd(std::uint64_t end)
{
    const std::lock_guard lock(m_mutex);
    m_end = std::max(m_end, end);
}

std::uint64_t StreamPlaces::end() const
{
    const std::lock_guard lock(m_mutex);
    return m_end;
}

void StreamPlaces::setRenumbering(const ctr::Renumbering &renumbering)
{
    auto copy = std::make_shared<const ctr::Renumbering>(renumbering);
    const std::lock_guard lock(m_mutex);
    m_renumbering = std::move(copy);
}

std::shared_ptr<const ctr::Renumbering> StreamPlaces::renumbering() const
{
    const std::lock_guard lock(m_mutex);
    return m_renumbering;
}

std::optional<StreamPlaces::Block> StreamPlaces::find(std::uint64_t place) const
{
    const std::lock_guard lock(m_mutex);
    const auto after = std::upper_bound(m_rows.begin(), m_rows.end(), place,
                                        [](std::uint64_t wanted, const Row &row) { return wanted < row.first; });
    if (after == m_rows.begin() || place >= m_end)
        return std::nullopt;
    const Row &row = *(after - 1);
    return Block{row.first, after == m_rows.end() ? m_end : after->first, row.offset, m_paths[row.path]};
}

}  // namespace ct
