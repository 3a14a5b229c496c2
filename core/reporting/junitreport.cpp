// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// JUnit XML, for services that show test results: a test case for each rule that found nothing, and one for each
// finding. Warnings and errors are failures; what a rule could not judge is a skipped test case.
//
// Services follow a test case by its name. So a name has nothing that changes from run to run: no line, no number of
// coroutines, no process.
#include "core/analysis/ruledescriptions.h"
#include "core/reporting/reportformats.h"
#include "core/reporting/xmltext.h"

#include <algorithm>
#include <map>

namespace ct {

namespace {

/// The function and the file of a finding, without the line, as in its fingerprint.
std::string stableLocationText(const ReportedFinding &reported)
{
    const bool isKnown = !reported.function.empty() || !reported.file.empty();
    return isKnown ? locationText(NamedLocation{reported.function, reported.file, 0, 0}) : "an unknown location";
}

/// Names test cases of one rule, each differently.
class CaseNames {
public:
    std::string next(const std::string &name)
    {
        const std::size_t number = ++m_used[name];
        return number == 1 ? name : name + ", " + std::to_string(number);
    }

private:
    std::map<std::string, std::size_t> m_used;
};

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
        CaseNames names;
        for (const ReportedFinding &reported : report.findings) {
            const Finding &finding = reported.finding;
            if (finding.rule != rule || finding.severity == Severity::Info)
                continue;
            cases += beginCase(name, names.next(stableLocationText(reported))) + ">\n    <failure type=\"" +
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
            cases += beginCase(name, names.next("not judged")) + ">\n    <skipped message=\"" +
                     xmlText(std::to_string(abstention.count) + ": " + abstention.reason) + "\"/>\n  </testcase>\n";
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
