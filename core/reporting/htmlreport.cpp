// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// One HTML file for a browser. Findings, stacks and abstentions are plain HTML, which needs no script; the script adds
// the list of coroutines with their timelines, and filters. Every text from the target is escaped, or is data that the
// script shows as text only.
#include "core/base/quantitytext.h"
#include "core/reporting/base64.h"
#include "core/reporting/htmlassets.h"
#include "core/reporting/htmldata.h"
#include "core/reporting/reportformats.h"

#include <algorithm>
#include <map>

namespace ct {

namespace {

constexpr std::size_t kMostCoroutines = 20;  ///< links of one finding
constexpr std::size_t kMostStacks = 1000;

/// The digits in groups of three: "1 234 567", with narrow spaces.
std::string countText(std::uint64_t count)
{
    const std::string digits = std::to_string(count);
    std::string text;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (i != 0 && (digits.size() - i) % 3 == 0)
            text += "\u202f";
        text += digits[i];
    }
    return text;
}

std::string escaped(std::string_view text)
{
    std::string result;
    for (const char c : printableText(text)) {
        switch (c) {
        case '&': result += "&amp;"; break;
        case '<': result += "&lt;"; break;
        case '>': result += "&gt;"; break;
        case '"': result += "&quot;"; break;
        case '\'': result += "&#39;"; break;
        default: result += c;
        }
    }
    return result;
}

std::string severityText(Severity severity)
{
    return severity == Severity::Info ? "information" : std::string(nameOf(severity));
}

/// "2 errors, 1 warning"
std::string outcomeText(const Report &report)
{
    std::map<Severity, std::size_t> counts;
    for (const ReportedFinding &reported : report.findings)
        ++counts[reported.finding.severity];
    if (report.findings.empty())
        return "No findings.";
    std::string text;
    for (const Severity severity : {Severity::Error, Severity::Warning, Severity::Info}) {
        const std::size_t count = counts[severity];
        if (count == 0)
            continue;
        const bool isInfo = severity == Severity::Info;
        text += (text.empty() ? "" : ", ") + countText(count) + " " +
                (isInfo ? "for information" : std::string(nameOf(severity)) + (count == 1 ? "" : "s"));
    }
    return text + ".";
}

std::string figure(const char *name, const std::string &value, bool isAlarming = false)
{
    return "<div" + std::string(isAlarming ? " class=\"alarming\"" : "") + "><dt>" + name + "</dt><dd>" + value +
           "</dd></div>\n";
}

std::string figuresOf(const Report &report)
{
    const ReportedRun &run = report.run;
    const std::uint64_t start = std::min(run.startedAt, report.judgedAt);
    return figure("judged after", run.startedAt != 0 ? durationText(report.judgedAt - start) : "an unknown time") +
           figure("coroutines", countText(report.coroutines)) + figure("alive", countText(run.alive)) +
           figure("events", countText(report.events)) +
           figure("lost events", countText(report.lost), report.lost != 0) +
           figure("threads", countText(run.threads.size()));
}

std::string coroutineLinks(const ReportedFinding &reported, std::size_t index)
{
    const std::vector<CoroutineId> &ids = reported.finding.coroutines;
    if (ids.empty())
        return {};
    std::string text = "<p class=\"members\">Coroutines: ";
    for (std::size_t i = 0; i < ids.size() && i < kMostCoroutines; ++i) {
        const std::string id = std::to_string(ids[i]);
        text += (i == 0 ? "<a href=\"#coroutine-" : ", <a href=\"#coroutine-") + id + "\">" + id + "</a>";
        if (i < reported.names.size() && !reported.names[i].empty())
            text += " (" + escaped(reported.names[i]) + ")";
    }
    if (ids.size() > kMostCoroutines)
        text += " and <a href=\"#finding-" + std::to_string(index) + "\">" + countText(ids.size() - kMostCoroutines) +
                " more</a>";
    return text + "</p>\n";
}

std::string findingText(const ReportedFinding &reported, std::size_t index, std::uint64_t judgedAt)
{
    const Finding &finding = reported.finding;
    const std::string severity(nameOf(finding.severity));
    std::string text = "<article class=\"finding " + severity + "\" data-severity=\"" + severity +
                       "\">\n<p><b class=\"" + severity + "\">" + severityText(finding.severity) +
                       "</b> <b class=\"rule\">" + std::string(nameOf(finding.rule)) +
                       "</b> <span class=\"confidence\">confidence " + confidenceText(finding.confidence) +
                       "</span></p>\n<h3>" + escaped(sentenceOf(reported)) + "</h3>\n";
    if (!finding.evidence.empty()) {
        text += "<ul>\n";
        for (const std::string &evidence : finding.evidence)
            text += "<li>" + escaped(evidence) + "</li>\n";
        text += "</ul>\n";
    }
    text += coroutineLinks(reported, index) + "<p class=\"small\">";
    if (!reported.file.empty())
        text += escaped(reported.file) + (reported.line != 0 ? ":" + std::to_string(reported.line) : "") + " &middot; ";
    if (finding.since != 0 && finding.since <= judgedAt)
        text += "for " + durationText(judgedAt - finding.since) + " &middot; ";
    return text + "fingerprint " + reported.fingerprint + "</p>\n</article>\n";
}

std::string findingsOf(const Report &report)
{
    if (report.findings.empty())
        return "<p class=\"note\">No rule found anything.</p>\n";
    std::string text;
    for (std::size_t i = 0; i < report.findings.size(); ++i)
        text += findingText(report.findings[i], i, report.judgedAt);
    return text;
}

std::string stacksOf(const Report &report)
{
    if (report.stacks.empty())
        return "<p class=\"note\">No coroutine is alive.</p>\n";
    std::string text =
        "<p class=\"note\">Coroutines that are alive. Equal stacks are one entry, the innermost coroutine "
        "is first.</p>\n";
    for (std::size_t i = 0; i < report.stacks.size() && i < kMostStacks; ++i) {
        const ReportedStack &stack = report.stacks[i];
        text += "<article class=\"stack\"><p><b>" + countText(stack.count) + " &times;</b> " + escaped(stack.state) +
                ", the longest for " + durationText(stack.longestNs) + "</p><ol>";
        for (const std::string &link : foldedLinks(stack))
            text += "<li>" + escaped(link) + "</li>";
        text += "</ol></article>\n";
    }
    if (report.stacks.size() > kMostStacks)
        text += "<p class=\"note\">" + countText(report.stacks.size() - kMostStacks) +
                " further stacks are not listed here. <code>--report text</code> lists all.</p>\n";
    return text;
}

std::string abstainedOf(const Report &report)
{
    if (report.abstained.empty())
        return "<p class=\"note\">Every rule had the data it needs.</p>\n";
    std::string text = "<table><thead><tr><th>rule</th><th>cases</th><th>reason</th></tr></thead><tbody>\n";
    for (const Abstention &abstention : report.abstained)
        text += "<tr><td>" + std::string(nameOf(abstention.rule)) + "</td><td class=\"number\">" +
                countText(abstention.count) + "</td><td>" + escaped(abstention.reason) + "</td></tr>\n";
    return text + "</tbody></table>\n";
}

/// What the list of coroutines lacks.
std::string listingOf(const ReportedRun &run)
{
    std::string text;
    if (run.notListed != 0)
        text += countText(run.notListed) + " coroutines are not listed: their records were evicted, or there are too "
                                           "many. Those of findings and those that are alive come first. ";
    if (run.stepsCut != 0)
        text += countText(run.stepsCut) + " earlier events are not in the timelines, which have the latest events of "
                                          "each coroutine. A recording (<code>-o run.ctr</code>) has all.";
    return text.empty() ? "" : "<p class=\"note\">" + text + "</p>\n";
}

std::string bytesOf(std::string_view hexadecimal)
{
    std::string bytes;
    for (std::size_t i = 0; i + 1 < hexadecimal.size(); i += 2)
        bytes += static_cast<char>(std::stoi(std::string(hexadecimal.substr(i, 2)), nullptr, 16));
    return bytes;
}

/// Replaces each {{name}} of the page. What it inserts is not searched again.
std::string filled(std::string_view page, const std::map<std::string_view, std::string> &values)
{
    std::string text;
    for (;;) {
        const std::size_t begin = page.find("{{");
        if (begin == std::string_view::npos)
            return text.append(page);
        const std::size_t end = page.find("}}", begin);
        text.append(page.substr(0, begin)).append(values.at(page.substr(begin + 2, end - begin - 2)));
        page.remove_prefix(end + 2);
    }
}

}  // namespace

std::string htmlReport(const Report &report)
{
    const HtmlData data = htmlData(report);
    return filled(htmlassets::kPage, {{"target", escaped(report.target)},
                                      {"outcome", outcomeText(report)},
                                      {"figures", figuresOf(report)},
                                      {"findings", findingsOf(report)},
                                      {"listing", listingOf(report.run)},
                                      {"stacks", stacksOf(report)},
                                      {"abstained", abstainedOf(report)},
                                      {"tables", data.tables},
                                      {"coroutines", base64(data.coroutines)},
                                      {"steps", base64(data.steps)},
                                      {"style", std::string(htmlassets::kStyle)},
                                      {"style-hash", base64(bytesOf(htmlassets::kStyleHash))},
                                      {"script", std::string(htmlassets::kScript)},
                                      {"script-hash", base64(bytesOf(htmlassets::kScriptHash))}});
}

}  // namespace ct
