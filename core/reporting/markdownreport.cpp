// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/quantitytext.h"
#include "core/reporting/reportformats.h"

#include <string_view>

namespace ct {

namespace {

/// Escapes what Markdown would take for markup, also in the cell of a table.
std::string escaped(std::string_view text)
{
    std::string result;
    for (const char c : printableText(text)) {
        if (std::string_view("\\`*_{}[]<>#|~&").find(c) != std::string_view::npos)
            result += '\\';
        result += c;
    }
    return result;
}

}  // namespace

std::string markdownReport(const Report &report)
{
    std::string text = "# " + escaped(report.target) + "\n\n" + std::to_string(report.coroutines) + " coroutines, " +
                       std::to_string(report.events) + " events, " + std::to_string(report.lost) + " lost.\n\n";
    if (report.findings.empty())
        text += "No findings.\n";
    else
        text += "| severity | rule | coroutines | where | what | confidence | fingerprint "
                "|\n|---|---|---:|---|---|---:|---|\n";
    for (const ReportedFinding &reported : report.findings) {
        const Finding &finding = reported.finding;
        text += "| " + std::string(nameOf(finding.severity)) + " | " + std::string(nameOf(finding.rule)) + " | " +
                std::to_string(finding.coroutines.size()) + " | " + escaped(locationText(reported)) +
                (reported.process.empty() ? "" : ", process " + escaped(reported.process)) + " | " +
                escaped(finding.message);
        for (const std::string &evidence : finding.evidence)
            text += "<br>" + escaped(evidence);
        text += " | " + confidenceText(finding.confidence) + " | " + reported.fingerprint + " |\n";
    }
    if (!report.abstained.empty())
        text += "\nNot judged:\n\n";
    for (const Abstention &abstention : report.abstained)
        text += "- " + std::string(nameOf(abstention.rule)) + ", " + std::to_string(abstention.count) + ": " +
                escaped(abstention.reason) + "\n";
    if (!report.stacks.empty())
        text += "\nCoroutines that are alive, equal ones together, the innermost first:\n\n";
    for (const ReportedStack &stack : report.stacks) {
        text += "- " + std::to_string(stack.count) + " x " + stack.state + ", the longest for " +
                durationText(stack.longestNs) + "\n";
        for (const std::string &link : foldedLinks(stack))
            text += "  - " + escaped(link) + "\n";
    }
    return text;
}

}  // namespace ct
