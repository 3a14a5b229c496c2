// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exporting/viewers/introduced.h"

namespace ct::viewers {

namespace {

/// Ids are dense. A larger id is invalid and gets no location.
constexpr SiteId kMaxSites = 1U << 24;

}  // namespace

TextId Introduced::text(const std::string &text)
{
    const auto [known, isNew] = m_texts.try_emplace(text, static_cast<TextId>(m_texts.size() + 1));
    if (isNew) {
        m_byId.push_back(&known->first);
        m_output.put(m_encoder.text(known->second, text));
    }
    return known->second;
}

LocationId Introduced::add(const Location &location)
{
    const auto id = static_cast<LocationId>(m_functions.size());
    m_functions.push_back(location.function.empty() ? 0 : text(location.function));
    m_output.put(m_encoder.location(id, location));
    return id;
}

void Introduced::addSite(const Site &site)
{
    if (site.id == kUnknownSite || site.id > kMaxSites)
        return;
    if (site.id >= m_sites.size())
        m_sites.resize(std::size_t{site.id} + 1);
    m_sites[site.id] = add({site.function, site.file, site.line});
}

LocationId Introduced::ofAnswer(const ExportResolver::Answer &answer)
{
    if (!answer || answer->frames.empty())
        return 0;
    const auto [known, isNew] = m_answers.try_emplace(answer, 0);
    if (isNew) {
        const SourceFrame &frame = answer->frames.front();
        known->second = add({frame.function, frame.file, frame.line});
    }
    return known->second;
}

}  // namespace ct::viewers
