// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/region/sitetable.h"

#include "core/base/functionname.h"

#include <algorithm>
#include <cstring>

namespace ct {

namespace {
/// Longer texts come from damage, or from templates too long to be readable.
constexpr std::uint32_t kMaxTextBytes = 16384;
}  // namespace

SiteTable::SiteTable(std::span<const corotracer::SiteRecord> records, std::span<const char> strings)
    : m_records(records), m_strings(strings)
{
}

SiteId SiteTable::read(std::uint32_t untrustedId, Batch &batch)
{
    if (untrustedId > m_records.size())
        return kUnknownSite;
    const corotracer::SiteRecord &record = m_records[untrustedId - 1];
    // Acquire; partner: the probe's release store of ready. A probe publishes a site before any event that names it,
    // and the event was loaded with acquire.
    if (record.ready.load(std::memory_order_acquire) != 1)
        return kUnknownSite;
    // Copy once and use only the copy: a hostile target may change the record at any time.
    std::uint32_t line = 0, column = 0, fileLength = 0, functionLength = 0;
    std::uint64_t fileOffset = 0, functionOffset = 0;
    std::memcpy(&line, &record.line, sizeof line);
    std::memcpy(&column, &record.column, sizeof column);
    std::memcpy(&fileLength, &record.file_length, sizeof fileLength);
    std::memcpy(&functionLength, &record.function_length, sizeof functionLength);
    std::memcpy(&fileOffset, &record.file_offset, sizeof fileOffset);
    std::memcpy(&functionOffset, &record.function_offset, sizeof functionOffset);

    Site site{untrustedId, line, column, text(fileOffset, fileLength), {}};
    site.function = readableFunction(text(functionOffset, functionLength));
    batch.sites.push_back(std::move(site));
    if (untrustedId >= m_known.size())
        m_known.resize(std::max<std::size_t>(untrustedId + 1, m_known.size() * 2));
    m_known[untrustedId] = true;
    return untrustedId;
}

std::string SiteTable::text(std::uint64_t untrustedOffset, std::uint32_t untrustedLength) const
{
    if (untrustedOffset > m_strings.size() || untrustedLength > m_strings.size() - untrustedOffset ||
        untrustedLength > kMaxTextBytes)
        return {};
    return std::string(m_strings.data() + untrustedOffset, untrustedLength);
}

}  // namespace ct
