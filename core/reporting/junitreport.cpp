// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// JUnit XML, for services that show test results: a test case for each rule that found nothing, and one for each
// finding. Warnings and errors are failures; what a rule could not judge is a skipped test case.
#include "core/analysis/ruledescriptions.h"
#include "core/reporting/reportformats.h"
#include "core/reporting/xmltext.h"

#include <algorithm>

namespace ct {

namespace {

std::string beginCase(std::string_view rule, const std::string &name)
{
    return "  <testcase classname=\"corotracer." + std::string(rule) + "\" name=\"" + xmlText(name) + "\" time=\"0\"";
}

}  // namespace

std::string junitReport(const Report &report)
{
    std::string cases;
    std::size_t tests = 0;
    std::size_t failures = 0;
    std::size_t skipped = 0;
    for (std::size_t i = 0; i < kRules; ++i) {
        const auto rule = static_cast<Rule>(i);
        const std::string_view name = nameOf(rule);
        const std::size_t before = tests;
        for (const ReportedFinding &reported : report.findings) {
            const Finding &finding = reported.finding;
            if (finding.rule != rule || finding.severity == Severity::Info)
                continue;
            cases += beginCase(name, locationText(reported)) + ">\n    <failure type=\"" +
                     std::string(nameOf(finding.severity)) + "\" message=\"" + xmlText(sentenceOf(reported)) + "\">";
            for (const std::string &evidence : finding.evidence)
                cases += xmlText(evidence) + "\n";
            cases += "</failure>\n  </testcase>\n";
            ++tests;
            ++failures;
        }
        for (const Abstention &abstention : report.abstained) {
            if (abstention.rule != rule)
                continue;
            cases += beginCase(name, "not judged: " + std::to_string(abstention.count)) + ">\n    <skipped message=\"" +
                     xmlText(abstention.reason) + "\"/>\n  </testcase>\n";
            ++tests;
            ++skipped;
        }
        if (tests != before)
            continue;
        cases += beginCase(name, std::string(descriptionOf(rule))) + "/>\n";
        ++tests;
    }
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"" + xmlText(report.target) + "\" tests=\"" +
           std::to_string(tests) + "\" failures=\"" + std::to_string(failures) + "\" errors=\"0\" skipped=\"" +
           std::to_string(skipped) + "\" time=\"0\">\n" + cases + "</testsuite>\n";
}

}  // namespace ct
