// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/reporting/report.h"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace ct {

namespace {

std::string baseName(const std::string &file)
{
    return file.substr(file.rfind('/') + 1);
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
    // Findings at unknown locations are not one finding. Their addresses differ from run to run.
    if (reported.function.empty() && reported.file.empty())
        add(std::to_string(reported.finding.addr));
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "%016" PRIx64, hash);
    return text.data();
}

/// Finds the location at which the first coroutine was suspended when it was judged.
void locate(ReportedFinding &reported, const Population &population, const AddressResolver *resolver)
{
    const Finding &finding = reported.finding;
    const CoroutineId first = finding.coroutines.empty() ? kNoCoroutine : finding.coroutines.front();
    const NamedLocation location = locationOf(population, resolver, first, finding.site, finding.addr, finding.since);
    reported.function = location.function;
    reported.file = location.file;
    reported.line = location.line;
}

/// Finds the process whose coroutines the finding is about.
void findProcess(ReportedFinding &reported, const Population &population, const std::vector<ProcessSnapshot> &processes)
{
    const std::vector<CoroutineId> &ids = reported.finding.coroutines;
    if (ids.empty())
        return;
    const std::uint32_t pid = population.at(ids.front()).pid;
    if (processes.size() < 2) {
        reported.pid = pid;
        return;
    }
    if (std::any_of(ids.begin(), ids.end(), [&](CoroutineId id) { return population.at(id).pid != pid; }))
        return;
    reported.pid = pid;
    const auto process = std::find_if(processes.begin(), processes.end(),
                                      [pid](const ProcessSnapshot &other) { return other.pid == pid; });
    const std::string name = process != processes.end() ? process->name : std::string();
    reported.process = name.empty() ? std::to_string(pid) : name + " (" + std::to_string(pid) + ")";
}

/// What findings without a site have in common if they are one finding.
using Place = std::tuple<Rule, Severity, std::uint32_t, std::string, std::string, std::uint32_t>;

Place placeOf(const ReportedFinding &reported)
{
    return {reported.finding.rule, reported.finding.severity, reported.pid, reported.function, reported.file,
            reported.line};
}

void merge(ReportedFinding &into, ReportedFinding &&other)
{
    // The coroutine that has waited longest comes first, and the texts are about it.
    if (other.finding.since < into.finding.since)
        std::swap(into.finding, other.finding);
    into.finding.coroutines.insert(into.finding.coroutines.end(), other.finding.coroutines.begin(),
                                   other.finding.coroutines.end());
    into.finding.confidence = std::min(into.finding.confidence, other.finding.confidence);
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
    const std::vector<ProcessSnapshot> processes = population.processes();
    std::map<Place, std::size_t> places;  // of findings without a site, whose location is resolved
    for (const Finding &finding : verdict.findings) {
        ReportedFinding reported;
        reported.finding = finding;
        locate(reported, population, resolver);
        findProcess(reported, population, processes);
        if (finding.site == kUnknownSite && !reported.function.empty()) {
            const auto [place, isNew] = places.try_emplace(placeOf(reported), report.findings.size());
            if (!isNew) {
                merge(report.findings[place->second], std::move(reported));
                continue;
            }
        }
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

std::string locationText(const ReportedFinding &reported)
{
    return locationText(NamedLocation{reported.function, reported.file, reported.line, reported.finding.addr});
}

std::string sentenceOf(const ReportedFinding &reported)
{
    const std::size_t count = reported.finding.coroutines.size();
    std::string text;
    const Rule rule = reported.finding.rule;
    const bool isElsewhere =
        rule == Rule::LongRun || rule == Rule::BlockingCall || rule == Rule::DoubleResume || rule == Rule::AfterDeath;
    const char *const where = rule == Rule::Leak ? " of " : isElsewhere ? " last suspended in " : " suspended in ";
    if (count != 0) {
        text = std::to_string(count) + (count == 1 ? " coroutine" : " coroutines");
        if (!reported.process.empty())
            text += (rule == Rule::Leak ? " in process " : " of process ") + printableText(reported.process);
        text += where + locationText(reported) + ": ";
    }
    return text + printableText(reported.finding.message);
}

std::string summaryLine(const Report &report)
{
    return printableText(report.target) + ": " + std::to_string(report.coroutines) + " coroutines, " +
           std::to_string(report.events) + " events, " + std::to_string(report.lost) + " lost\n";
}

std::string confidenceText(double confidence)
{
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "%.0f %%", confidence * 100);
    return text.data();
}

}  // namespace ct
