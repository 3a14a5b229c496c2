// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Static Analysis Results Interchange Format 2.1.0, for services that show findings next to the source.
#include "core/analysis/ruledescriptions.h"
#include "core/reporting/jsontext.h"
#include "core/reporting/reportformats.h"

#include <array>

namespace ct {

namespace {

constexpr std::array<std::string_view, 3> kLevels = {"note", "warning", "error"};  // by Severity

/// A URI of a file: absolute ones with their scheme, relative ones so that no part of them looks like a scheme. Escapes
/// all but the characters that a path may have in a URI.
std::string uriOf(const std::string &file)
{
    static constexpr std::string_view kAllowed = "-._~/!$&'()*+,;=:@";
    static constexpr std::string_view kDigits = "0123456789ABCDEF";
    std::string uri = file.starts_with('/') ? "file://" : file.find(':') < file.find('/') ? "./" : "";
    for (const char c : file) {
        const auto byte = static_cast<unsigned char>(c);
        const bool isPlain = (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
                             (byte >= 'a' && byte <= 'z') || kAllowed.find(c) != std::string_view::npos;
        if (isPlain)
            uri += c;
        else
            uri += {'%', kDigits[byte >> 4], kDigits[byte & 0xF]};
    }
    return uri;
}

/// Text of a message. There, braces stand for arguments and brackets for links, unless they are escaped.
std::string messageText(std::string_view text)
{
    std::string escaped;
    for (const char c : text) {
        if (c == '{' || c == '}')
            escaped += c;
        else if (c == '[' || c == ']' || c == '\\')
            escaped += '\\';
        escaped += c;
    }
    return escaped;
}

void addRules(JsonText &json)
{
    json.beginArray("rules");
    for (std::size_t i = 0; i < kRules; ++i) {
        const auto rule = static_cast<Rule>(i);
        json.beginObject();
        json.member("id", nameOf(rule));
        json.beginObject("shortDescription");
        json.member("text", descriptionOf(rule));
        json.endObject();
        json.endObject();
    }
    json.endArray();
}

void addResult(JsonText &json, const ReportedFinding &reported)
{
    const Finding &finding = reported.finding;
    json.beginObject();
    json.member("ruleId", nameOf(finding.rule));
    json.member("ruleIndex", static_cast<std::uint64_t>(finding.rule));
    json.member("level", kLevels.at(static_cast<std::size_t>(finding.severity)));
    json.beginObject("message");
    std::string text = sentenceOf(reported);
    for (const std::string &evidence : finding.evidence)
        text += "\n- " + printableText(evidence);
    json.member("text", messageText(text));
    json.endObject();
    if (!reported.file.empty()) {
        json.beginArray("locations");
        json.beginObject();
        json.beginObject("physicalLocation");
        json.beginObject("artifactLocation");
        json.member("uri", uriOf(reported.file));
        json.endObject();
        if (reported.line != 0) {
            json.beginObject("region");
            json.member("startLine", std::uint64_t{reported.line});
            json.endObject();
        }
        json.endObject();
        json.endObject();
        json.endArray();
    }
    json.beginObject("partialFingerprints");
    json.member("corotracer/v1", reported.fingerprint);
    json.endObject();
    json.member("occurrenceCount", std::uint64_t{std::max<std::size_t>(1, finding.coroutines.size())});
    json.member("rank", finding.confidence * 100);
    if (reported.pid != 0) {
        json.beginObject("properties");
        json.member("pid", std::uint64_t{reported.pid});
        json.endObject();
    }
    json.endObject();
}

/// What could not be judged: without it, a run of which nothing is known would look like one without a defect.
void addInvocation(JsonText &json, const Report &report)
{
    json.beginArray("invocations");
    json.beginObject();
    json.flag("executionSuccessful", true);
    json.beginArray("toolExecutionNotifications");
    for (const Abstention &abstention : report.abstained) {
        json.beginObject();
        json.member("level", "note");
        json.beginObject("associatedRule");
        json.member("id", nameOf(abstention.rule));
        json.member("index", static_cast<std::uint64_t>(abstention.rule));
        json.endObject();
        json.beginObject("message");
        json.member("text", messageText("not judged, " + std::to_string(abstention.count) + ": " +
                                        printableText(abstention.reason)));
        json.endObject();
        json.endObject();
    }
    json.endArray();
    json.endObject();
    json.endArray();
}

}  // namespace

std::string sarifReport(const Report &report)
{
    JsonText json;
    json.beginObject();
    json.member("$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    json.member("version", "2.1.0");
    json.beginArray("runs");
    json.beginObject();
    json.beginObject("tool");
    json.beginObject("driver");
    json.member("name", "corotracer-gui");
    addRules(json);
    json.endObject();
    json.endObject();
    addInvocation(json, report);
    json.beginArray("results");
    for (const ReportedFinding &reported : report.findings)
        addResult(json, reported);
    json.endArray();
    json.endObject();
    json.endArray();
    json.endObject();
    return json.take();
}

}  // namespace ct
