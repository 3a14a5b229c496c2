// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/reporting/reportformats.h"

namespace ct {

namespace {

constexpr std::size_t kMostCoroutines = 10;

/// "12 (reader), 14, 15 and 44 more"
std::string coroutinesText(const ReportedFinding &reported)
{
    const std::vector<CoroutineId> &ids = reported.finding.coroutines;
    std::string text;
    for (std::size_t i = 0; i < ids.size() && i < kMostCoroutines; ++i) {
        text += (i == 0 ? "" : ", ") + std::to_string(ids[i]);
        if (i < reported.names.size() && !reported.names[i].empty())
            text += " (" + printableText(reported.names[i]) + ")";
    }
    if (ids.size() > kMostCoroutines)
        text += " and " + std::to_string(ids.size() - kMostCoroutines) + " more";
    return text;
}

}  // namespace

std::string textReport(const Report &report)
{
    std::string text = summaryLine(report);
    if (report.findings.empty())
        text += "no findings\n";
    for (const ReportedFinding &reported : report.findings) {
        const Finding &finding = reported.finding;
        text += "\n" + std::string(nameOf(finding.severity)) + ": " + std::string(nameOf(finding.rule)) + ": " +
                sentenceOf(reported) + "\n";
        for (const std::string &evidence : finding.evidence)
            text += "  - " + printableText(evidence) + "\n";
        if (!finding.coroutines.empty())
            text += "  coroutines: " + coroutinesText(reported) + "\n";
        text += "  confidence " + confidenceText(finding.confidence) + ", fingerprint " + reported.fingerprint + "\n";
    }
    if (!report.abstained.empty())
        text += "\nnot judged:\n";
    for (const Abstention &abstention : report.abstained)
        text += "  " + std::string(nameOf(abstention.rule)) + ", " + std::to_string(abstention.count) + ": " +
                printableText(abstention.reason) + "\n";
    return text + stacksText(report.stacks);
}

}  // namespace ct
