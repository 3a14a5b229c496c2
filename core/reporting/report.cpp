// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/reporting/report.h"

#include "core/base/utf8.h"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <map>
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

std::string stateText(const ChainGroup &group)
{
    static constexpr std::array<const char *, 7> kWaits = {"waits",
                                                           "waits for a lock",
                                                           "waits for a channel",
                                                           "waits for a descriptor",
                                                           "waits for a time",
                                                           "waits in a cycle",
                                                           "waits for an object"};
    switch (group.end) {
    case ChainEnd::NotStarted: return "not started";
    case ChainEnd::Running: return "runs";
    case ChainEnd::Woken: return "was woken, and has not run";
    case ChainEnd::Waiting: break;
    }
    return kWaits.at(std::min<std::size_t>(static_cast<std::size_t>(group.waitsFor), kWaits.size() - 1));
}

/// Stacks of addresses that turn out to have equal locations become one.
std::vector<ReportedStack> reportedStacks(const std::vector<ChainGroup> &groups, std::uint64_t now,
                                          const Population &population, const AddressResolver *resolver)
{
    std::vector<ReportedStack> stacks;
    std::map<std::pair<std::string, std::vector<std::string>>, std::size_t> indexes;
    for (const ChainGroup &group : groups) {
        ReportedStack stack{group.count, stateText(group), now - std::min(now, group.links.front().since), {}};
        for (const ChainLink &link : group.links) {
            ReportedFinding located;
            located.finding.coroutines = {link.coroutine};
            located.finding.site = link.site;
            located.finding.addr = link.addr;
            located.finding.since = link.since;
            locate(located, population, resolver);
            stack.links.push_back(locationText(located));
        }
        const auto [known, isNew] = indexes.try_emplace({stack.state, stack.links}, stacks.size());
        if (isNew) {
            stacks.push_back(std::move(stack));
        } else {
            ReportedStack &first = stacks[known->second];
            first.count += stack.count;
            first.longestNs = std::max(first.longestNs, stack.longestNs);
        }
    }
    std::stable_sort(stacks.begin(), stacks.end(),
                     [](const ReportedStack &a, const ReportedStack &b) { return a.count > b.count; });
    return stacks;
}

}  // namespace

Report makeReport(const Verdict &verdict, const std::vector<ChainGroup> &stacks, const Population &population,
                  const AddressResolver *resolver, const std::string &target)
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
    report.stacks = reportedStacks(stacks, verdict.judgedAt, population, resolver);
    return report;
}

std::vector<AddressResolver::Query> openLocations(const Verdict &verdict, const std::vector<ChainGroup> &stacks,
                                                  const Population &population)
{
    std::vector<AddressResolver::Query> open;
    const auto add = [&](CoroutineId coroutine, std::uint64_t addr, std::uint64_t since) {
        if (addr != 0 && open.size() < kMostQueries)
            open.push_back({coroutine, population.at(coroutine).pid, addr, since, true});
    };
    for (const Finding &finding : verdict.findings)
        if (finding.site == kUnknownSite && !finding.coroutines.empty())
            add(finding.coroutines.front(), finding.addr, finding.since);
    for (const ChainGroup &stack : stacks)
        for (const ChainLink &link : stack.links)
            add(link.coroutine, link.addr, link.since);
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
    const Rule rule = reported.finding.rule;
    const char *const where =
        rule == Rule::LongRun || rule == Rule::BlockingCall ? " last suspended in " : " suspended in ";
    if (count != 0)
        text =
            std::to_string(count) + (count == 1 ? " coroutine" : " coroutines") + where + locationText(reported) + ": ";
    return text + printableText(reported.finding.message);
}

std::string confidenceText(double confidence)
{
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "%.0f %%", confidence * 100);
    return text.data();
}

}  // namespace ct
