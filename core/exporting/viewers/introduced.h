// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The texts and locations of an export. Each is introduced to the encoder once, before its first use.
#pragma once

#include "core/addresses/exportresolver.h"
#include "core/exporting/viewers/trackencoder.h"
#include "core/exporting/viewers/unitoutput.h"
#include "core/stream/stream.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace ct::viewers {

class Introduced {
public:
    Introduced(TrackEncoder &encoder, UnitOutput &output) : m_encoder(encoder), m_output(output) {}

    TextId text(const std::string &text);
    const std::string &textOf(TextId id) const { return *m_byId[id]; }

    void addSite(const Site &site);
    /// 0 = the site is unknown.
    LocationId ofSite(SiteId site) const { return site < m_sites.size() ? m_sites[site] : 0; }
    /// 0 = the answer has no location.
    LocationId ofAnswer(const ExportResolver::Answer &answer);
    /// The text of the location's function; 0 = unknown.
    TextId functionOf(LocationId location) const { return location < m_functions.size() ? m_functions[location] : 0; }

private:
    LocationId add(const Location &location);

    TrackEncoder &m_encoder;
    UnitOutput &m_output;
    std::unordered_map<std::string, TextId> m_texts;
    std::vector<const std::string *> m_byId{nullptr};
    std::vector<LocationId> m_sites;  ///< by SiteId
    std::unordered_map<ExportResolver::Answer, LocationId> m_answers;
    std::vector<TextId> m_functions{0};  ///< by LocationId
};

}  // namespace ct::viewers
