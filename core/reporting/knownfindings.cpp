// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/reporting/knownfindings.h"

#include <algorithm>

namespace ct {

Severity severityNamed(std::string_view name)
{
    for (const Severity severity : {Severity::Warning, Severity::Error})
        if (name == nameOf(severity))
            return severity;
    return Severity::Info;
}

void KnownFindings::add(const std::string &fingerprint, Severity severity)
{
    Severity &known = m_severities.try_emplace(fingerprint, severity).first->second;
    known = std::max(known, severity);
}

bool KnownFindings::cover(const std::string &fingerprint, Severity severity) const
{
    const auto known = m_severities.find(fingerprint);
    return known != m_severities.end() && severity <= known->second;
}

}  // namespace ct
