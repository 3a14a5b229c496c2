// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The sites that a target registers in the region. Each site is read once, when an event first names it.
#pragma once

#include "core/stream/stream.h"
#include "corotracer/layout.h"

#include <span>
#include <vector>

namespace ct {

class SiteTable {
public:
    /// Both areas must outlive the table and lie inside a mapping; their contents are untrusted.
    SiteTable(std::span<const corotracer::SiteRecord> records, std::span<const char> strings);

    /// Returns the id of the site in the stream, and appends the site to `batch` if it is new. Returns kUnknownSite if
    /// the id is out of range or its record is not valid (yet).
    SiteId resolve(std::uint32_t untrustedId, Batch &batch)
    {
        if (untrustedId < m_known.size() && m_known[untrustedId])
            return untrustedId;
        return untrustedId == kUnknownSite ? kUnknownSite : read(untrustedId, batch);
    }

private:
    SiteId read(std::uint32_t untrustedId, Batch &batch);
    std::string text(std::uint64_t untrustedOffset, std::uint32_t untrustedLength) const;

    std::span<const corotracer::SiteRecord> m_records;
    std::span<const char> m_strings;
    std::vector<bool> m_known;  ///< sites read so far, by id; grows with the greatest id seen
};

}  // namespace ct
