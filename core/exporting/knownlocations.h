// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Locations of suspensions without a site, as texts, for formats that write events line by line.
#pragma once

#include "core/addresses/exportresolver.h"
#include "core/stream/stream.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ct {

/// For one export, on its thread.
class KnownLocations {
public:
    using Format = std::function<std::string(const SourceFrame &frame)>;

    KnownLocations(std::shared_ptr<ExportResolver> resolver, Format format)
        : m_resolver(std::move(resolver)), m_format(std::move(format))
    {
    }

    /// Returns the text for the location of a suspension, as far as it is known by now; empty: unknown. A line that
    /// belongs to another suspension of the coroutine is left out. Asks the resolver only once per coroutine, address
    /// and second of stream time. Valid during the life of this object.
    std::string_view textOf(const Transition &suspension, std::uint32_t pid);

private:
    /// The latest answer about an address of a coroutine.
    struct Entry {
        std::uint64_t addr = 0;
        std::uint64_t askedAt = 0;    ///< ns of stream time
        std::uint64_t lineSince = 0;  ///< the suspension to which `ofLine` belongs; 0: none
        std::string_view ofLine;
        std::string_view ofOthers;
    };
    void ask(const Transition &suspension, std::uint32_t pid, Entry &entry);
    std::string_view textOf(const ExportResolver::Answer &answer);

    std::shared_ptr<ExportResolver> m_resolver;
    Format m_format;
    std::vector<Entry> m_entries;                                     ///< by coroutine
    std::unordered_map<ExportResolver::Answer, std::string> m_texts;  ///< of answers
};

}  // namespace ct
