// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Suspension points as a target registers them in the region: read once each, when an event first names one.
#pragma once

#include "core/trace/stream.h"
#include "corotracer/layout.h"

#include <span>
#include <vector>

namespace ct {

class SiteTable {
public:
    /// Both areas must outlive the table and lie inside a mapping; their contents are untrusted.
    SiteTable(std::span<const corotracer::SiteRecord> records, std::span<const char> strings);

    /// The id under which sinks know `untrustedId`; appends the site to `batch` when it is new. kUnknownSite for an
    /// id out of range or a record that is not (yet) valid.
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
    std::vector<bool> m_known;  ///< by id; grows as far as ids were seen
};

}  // namespace ct
