// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Findings that somebody has looked at and wants to see no more: those of a baseline, and muted ones.
#pragma once

#include "core/analysis/finding.h"

#include <map>
#include <string>
#include <string_view>

namespace ct {

/// The severity of that name; Severity::Info for any other text. So what is known without a severity, as in a file that
/// was edited by hand, never hides a warning or an error.
Severity severityNamed(std::string_view name);

class KnownFindings {
public:
    /// Where a fingerprint is added several times, the highest severity counts.
    void add(const std::string &fingerprint, Severity severity);
    void remove(const std::string &fingerprint) { m_severities.erase(fingerprint); }
    /// True if the finding is known, and not more severe than it was. A known information does not cover an error: that
    /// is news.
    bool cover(const std::string &fingerprint, Severity severity) const;
    bool isEmpty() const { return m_severities.empty(); }

private:
    std::map<std::string, Severity> m_severities;  ///< by fingerprint
};

}  // namespace ct
