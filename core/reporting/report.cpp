// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/reporting/report.h"

#include "core/base/utf8.h"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <string_view>

namespace ct {

namespace {

std::string baseName(const std::string &file)
{
    return file.substr(file.rfind('/') + 1);
}

std::string hexadecimal(std::uint64_t value)
{
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "0x%" PRIx64, value);
    return text.data();
}

/// FNV-1a (Fowler, Noll, Vo): short texts, and the same result on every machine.
std::string fingerprintOf(const ReportedFinding &reported)
{
    std::uint64_t hash = 0xCBF2'9CE4'8422'2325;
    const auto add = [&hash](std::string_view text) {
        for (const char c : text)
            hash = (hash ^ static_cast<unsigned char>(c)) * 0x100'0000'01B3;
        hash = (hash ^ 0xFF) * 0x100'0000'01B3;  // separates the texts
    };
    add(nameOf(reported.finding.rule));
    add(reported.function);
    add(baseName(reported.file));
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "%016" PRIx64, hash);
    return text.data();
}

/// The address at which the first coroutine was suspended when it was judged.
AddressResolver::Query queryOf(const Finding &finding, const Population &population)
{
    const CoroutineId id = finding.coroutines.front();
    return {id, population.at(id).pid, finding.addr, finding.since, true};
}

void locate(ReportedFinding &reported, const Population &population, const AddressResolver *resolver)
{
    const Finding &finding = reported.finding;
    if (const Site *site = population.site(finding.site)) {
        reported.function = site->function;
        reported.file = site->file;
        reported.line = site->line;
        return;
    }
    if (!resolver || finding.addr == 0 || finding.coroutines.empty())
        return;
    const AddressResolver::Answer answer = resolver->known(queryOf(finding, population));
    if (!answer || answer->frames.empty())
        return;
    const SourceFrame &frame = answer->frames.front();
    reported.function = frame.function;
    reported.file = frame.file;
    reported.line = frame.line;
}

/// True if two findings without a site turned out to have one location.
bool isSame(const ReportedFinding &a, const ReportedFinding &b)
{
    return a.finding.site == kUnknownSite && b.finding.site == kUnknownSite && a.finding.rule == b.finding.rule &&
           a.finding.severity == b.finding.severity && !a.function.empty() && a.function == b.function &&
           a.file == b.file && a.line == b.line;
}

void merge(ReportedFinding &into, const ReportedFinding &other)
{
    into.finding.coroutines.insert(into.finding.coroutines.end(), other.finding.coroutines.begin(),
                                   other.finding.coroutines.end());
    into.finding.confidence = std::min(into.finding.confidence, other.finding.confidence);
    if (other.finding.since >= into.finding.since)
        return;
    into.finding.since = other.finding.since;
    into.finding.message = other.finding.message;
    into.finding.evidence = other.finding.evidence;
}

}  // namespace

Report makeReport(const Verdict &verdict, const Population &population, const AddressResolver *resolver,
                  const std::string &target)
{
    Report report;
    report.target = target;
    report.judgedAt = verdict.judgedAt;
    report.coroutines = population.size();
    report.events = population.captured();
    report.lost = population.lost();
    report.abstained = verdict.abstained;
    for (const Finding &finding : verdict.findings) {
        ReportedFinding reported;
        reported.finding = finding;
        locate(reported, population, resolver);
        const auto same = std::find_if(report.findings.begin(), report.findings.end(),
                                       [&](const ReportedFinding &other) { return isSame(other, reported); });
        if (same != report.findings.end())
            merge(*same, reported);
        else
            report.findings.push_back(std::move(reported));
    }
    for (ReportedFinding &reported : report.findings) {
        reported.fingerprint = fingerprintOf(reported);
        for (const CoroutineId id : reported.finding.coroutines) {
            if (reported.names.size() == ReportedFinding::kMostNames)
                break;
            reported.names.push_back(population.notes(id).name);
        }
    }
    return report;
}

std::vector<AddressResolver::Query> openLocations(const Verdict &verdict, const Population &population)
{
    std::vector<AddressResolver::Query> open;
    for (const Finding &finding : verdict.findings)
        if (finding.site == kUnknownSite && finding.addr != 0 && !finding.coroutines.empty())
            open.push_back(queryOf(finding, population));
    return open;
}

std::string printableText(std::string_view text)
{
    // A JSON string is safe to print; without its quotes, and with quotes and backslashes as they are.
    std::string quoted;
    appendJsonString(quoted, text);
    std::string printable;
    for (std::size_t i = 1; i + 1 < quoted.size(); ++i) {
        if (quoted[i] == '\\' && (quoted[i + 1] == '"' || quoted[i + 1] == '\\' || quoted[i + 1] == '/'))
            ++i;
        printable += quoted[i];
    }
    return printable;
}

std::string locationText(const ReportedFinding &reported)
{
    const std::string line = reported.line != 0 ? ":" + std::to_string(reported.line) : "";
    const std::string where = reported.file.empty() ? "" : printableText(baseName(reported.file)) + line;
    if (!reported.function.empty())
        return printableText(reported.function) + (where.empty() ? "" : " (" + where + ")");
    if (!where.empty())
        return where;
    return reported.finding.addr != 0 ? hexadecimal(reported.finding.addr) : "an unknown location";
}

std::string sentenceOf(const ReportedFinding &reported)
{
    const std::size_t count = reported.finding.coroutines.size();
    std::string text;
    if (count != 0)
        text = std::to_string(count) + (count == 1 ? " coroutine" : " coroutines") + " suspended in " +
               locationText(reported) + ": ";
    return text + printableText(reported.finding.message);
}

std::string confidenceText(double confidence)
{
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "%.0f %%", confidence * 100);
    return text.data();
}

}  // namespace ct
