// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/reporting/htmldata.h"

#include "core/reporting/jsontext.h"

#include <algorithm>

namespace ct {

namespace {

/// The script counts in doubles, which are exact up to here.
constexpr std::uint64_t kMostExact = 1ULL << 51;

void appendNumber(std::string &out, std::uint64_t number)
{
    number = std::min(number, 2 * kMostExact + 1);
    for (; number >= 0x80; number >>= 7)
        out += static_cast<char>(number | 0x80);
    out += static_cast<char>(number);
}

/// Appends `to` - `from`.
void appendDifference(std::string &out, std::uint64_t from, std::uint64_t to)
{
    const bool isNegative = to < from;
    const std::uint64_t magnitude = std::min(isNegative ? from - to : to - from, kMostExact);
    appendNumber(out, 2 * magnitude + (isNegative ? 1 : 0));
}

void appendStep(std::string &out, const ReportedStep &step, std::uint64_t before)
{
    appendDifference(out, before, step.ts);
    constexpr std::uint64_t kFinal = 4;
    const std::uint64_t type = step.isFinal ? kFinal : static_cast<std::uint64_t>(step.type);
    appendNumber(out, type + 8 * std::uint64_t{step.thread});
    if (step.type == HistoryEvent::Type::Suspend)
        appendNumber(out, step.where);
    else if (step.type != HistoryEvent::Type::Resume)
        appendNumber(out, step.count);
}

void appendCoroutine(std::string &out, const ReportedCoroutine &coroutine, const ReportedRun &run, CoroutineId before,
                     std::size_t stepBytes)
{
    appendNumber(out, coroutine.id - before);
    for (const std::uint64_t number :
         {static_cast<std::uint64_t>(coroutine.state), std::uint64_t{coroutine.function},
          std::uint64_t{coroutine.where}, std::uint64_t{coroutine.name}, std::uint64_t{coroutine.thread}})
        appendNumber(out, number);
    appendDifference(out, run.startedAt, coroutine.since);
    appendNumber(out, coroutine.birthTs == 0 ? 0 : 1);
    appendDifference(out, run.startedAt, coroutine.birthTs == 0 ? run.startedAt : coroutine.birthTs);
    for (const std::uint64_t number :
         {coroutine.events, coroutine.stepsCut, std::uint64_t{coroutine.steps}, std::uint64_t{stepBytes}})
        appendNumber(out, number);
}

std::string tablesOf(const Report &report)
{
    JsonText json;
    const auto addTexts = [&json](const char *name, const std::vector<std::string> &texts) {
        json.beginArray(name);
        for (const std::string &text : texts)
            json.value(text);
        json.endArray();
    };
    json.beginObject();
    const std::uint64_t started = report.run.startedAt;
    json.member("judged", std::min(report.judgedAt - std::min(report.judgedAt, started), kMostExact));
    json.member("count", std::uint64_t{report.run.coroutines.size()});
    addTexts("states", stateNames());
    addTexts("threads", report.run.threads);
    addTexts("texts", report.run.texts);
    json.beginArray("findings");
    for (const ReportedFinding &reported : report.findings) {
        json.beginArray();
        for (const CoroutineId id : reported.finding.coroutines)
            json.value(std::uint64_t{id});
        json.endArray();
    }
    json.endArray();
    json.endObject();
    // No end tag of the surrounding element, and no markup at all, whatever the texts are.
    std::string safe;
    for (const char c : json.take())
        safe += c == '<' ? "\\u003c" : c == '>' ? "\\u003e" : c == '&' ? "\\u0026" : std::string(1, c);
    return safe;
}

}  // namespace

HtmlData htmlData(const Report &report)
{
    HtmlData data;
    data.tables = tablesOf(report);
    CoroutineId before = 0;
    for (const ReportedCoroutine &coroutine : report.run.coroutines) {
        const std::size_t begin = data.steps.size();
        std::uint64_t ts = report.run.startedAt;
        for (std::size_t i = 0; i < coroutine.steps; ++i) {
            const ReportedStep &step = report.run.steps[coroutine.firstStep + i];
            appendStep(data.steps, step, ts);
            ts = step.ts;
        }
        appendCoroutine(data.coroutines, coroutine, report.run, before, data.steps.size() - begin);
        before = coroutine.id;
    }
    return data;
}

}  // namespace ct
