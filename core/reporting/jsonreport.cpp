// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/reporting/jsontext.h"
#include "core/reporting/reportformats.h"

namespace ct {

std::string jsonReport(const Report &report)
{
    JsonText json;
    json.beginObject();
    json.member("target", report.target);
    json.member("judged_at_ns", report.judgedAt);
    json.member("coroutines", report.coroutines);
    json.member("events", report.events);
    json.member("lost", report.lost);
    json.beginArray("findings");
    for (const ReportedFinding &reported : report.findings) {
        const Finding &finding = reported.finding;
        json.beginObject();
        json.member("rule", nameOf(finding.rule));
        json.member("severity", nameOf(finding.severity));
        json.member("confidence", finding.confidence);
        json.member("pid", std::uint64_t{reported.pid});
        json.member("count", std::uint64_t{finding.coroutines.size()});
        json.beginArray("coroutines");
        for (const CoroutineId id : finding.coroutines)
            json.value(std::uint64_t{id});
        json.endArray();
        json.beginObject("site");
        json.member("file", reported.file);
        json.member("line", std::uint64_t{reported.line});
        json.member("function", reported.function);
        json.endObject();
        json.member("since_ns", finding.since);
        json.member("judged_at_ns", report.judgedAt);
        json.member("fingerprint", reported.fingerprint);
        json.member("message", sentenceOf(reported));
        json.beginArray("evidence");
        for (const std::string &evidence : finding.evidence)
            json.value(evidence);
        json.endArray();
        json.endObject();
    }
    json.endArray();
    json.beginArray("abstained");
    for (const Abstention &abstention : report.abstained) {
        json.beginObject();
        json.member("rule", nameOf(abstention.rule));
        json.member("reason", abstention.reason);
        json.member("count", abstention.count);
        json.endObject();
    }
    json.endArray();
    json.endObject();
    return json.take();
}

}  // namespace ct
