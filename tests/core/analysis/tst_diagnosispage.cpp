// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// docs/diagnosis.md has a section about each rule, with the same parts, and names each threshold.
#include "core/analysis/finding.h"
#include "core/analysis/thresholds.h"
#include "tests/support/check.h"
#include "tests/support/paths.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

using namespace ct;

namespace {

std::string page()
{
    std::ifstream file(test::kSourceDir + std::string("/docs/diagnosis.md"));
    return {std::istreambuf_iterator<char>(file), {}};
}

/// The texts of the sections whose titles begin with the rule's name. The one about data of version 1 explains which
/// data the others have.
std::vector<std::string> sectionsOf(Rule rule, const std::string &page)
{
    std::vector<std::string> sections;
    const std::string title = "\n### " + std::string(nameOf(rule));
    for (std::size_t at = page.find(title); at != std::string::npos; at = page.find(title, at + 1)) {
        const char next = page[at + title.size()];
        std::string section = page.substr(at, page.find("\n#", at + 1) - at);
        if ((next == '\n' || next == ',') && section.find(", with the data of version 1\n") == std::string::npos)
            sections.push_back(std::move(section));
    }
    for (std::string &section : sections)
        std::replace(section.begin(), section.end(), '\n', ' ');
    return sections;
}

}  // namespace

CT_CASE(eachRuleHasASectionWithAllParts)
{
    const std::string text = page();
    for (std::size_t i = 0; i < kRules; ++i) {
        const auto rule = static_cast<Rule>(i);
        const std::vector<std::string> sections = sectionsOf(rule, text);
        CHECK(!sections.empty());
        for (const std::string &section : sections)
            for (const char *part :
                 {rule == Rule::Capture ? "**States**" : "**Finds**", "**Severity**", "**Thresholds**", "**Evidence**",
                  "**Needs**", "**Abstains**", "**Can be wrong**"}) {
                CHECK_EQUAL(section.find(part) == std::string::npos ? std::string(nameOf(rule)) + " lacks " + part : "",
                            "");
            }
    }
}

CT_CASE(eachThresholdIsNamedWithItsRules)
{
    const std::string text = page();
    for (const NamedThreshold &threshold : namedThresholds()) {
        const std::string name = '`' + std::string(threshold.name) + '`';
        const std::size_t table = text.find(name);
        // In the table of defaults, and in the section of a rule.
        CHECK_EQUAL(table == std::string::npos || text.find(name, table + 1) == std::string::npos ? name : "", "");
    }
}
