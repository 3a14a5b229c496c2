// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/summary.h"

#include "app/batch/stuckresolver.h"
#include "core/base/quantitytext.h"
#include "core/base/utf8.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cinttypes>
#include <cstdio>
#include <numeric>
#include <unordered_map>

namespace ct {

namespace {

std::string hexadecimal(std::uint64_t address)
{
    std::array<char, 24> buffer{};
    std::snprintf(buffer.data(), buffer.size(), "0x%" PRIx64, address);
    return buffer.data();
}

std::string baseName(const std::string &path)
{
    return path.substr(path.rfind('/') + 1);
}

/// Shortens "ns::Task ns::async_read(int) [with T = int]" to "async_read".
std::string bareName(const std::string &function)
{
    int angles = 0;
    std::size_t end = function.size();
    for (std::size_t i = 0; i < function.size(); ++i) {
        if (function[i] == '<')
            ++angles;
        else if (function[i] == '>')
            --angles;
        else if (function[i] == '(' && angles <= 0 && i > 0) {
            end = i;
            break;
        }
    }
    std::size_t begin = end;
    angles = 0;
    while (begin > 0) {
        const char c = function[begin - 1];
        if (c == '>')
            ++angles;
        else if (c == '<')
            --angles;
        else if (angles <= 0 && (c == ' ' || c == ':' || c == '*' || c == '&'))
            break;
        --begin;
    }
    return begin < end ? function.substr(begin, end - begin) : function;
}

struct SiteTexts {
    std::string full;
    std::string brief;
    std::string remedy;
};

SiteTexts textsOf(const Site *site, std::uint64_t addr)
{
    if (site && !site->file.empty()) {
        std::string line = site->line > 0 ? std::to_string(site->line) : std::string();
        if (!line.empty())
            line.insert(line.begin(), ':');
        SiteTexts texts{site->file + line, baseName(site->file) + line, {}};
        if (!site->function.empty()) {
            texts.full += " " + site->function;
            texts.brief = bareName(site->function) + " " + texts.brief;
        }
        return texts;
    }
    const std::string where = addr != 0 ? hexadecimal(addr) : "unknown";
    return {where, addr != 0 ? where : "an unknown location", {}};
}

SiteTexts textsOf(const SourceFrame &frame)
{
    if (frame.file.empty())
        return {frame.function, bareName(frame.function), {}};
    const Site site{kUnknownSite, frame.line, frame.column, frame.file, frame.function};
    return textsOf(&site, 0);
}

SiteTexts textsOf(const Population &population, const StuckCoroutine &stuck, const AddressResolver *resolver)
{
    const Site *site = population.site(stuck.site);
    const AddressResolver::Answer answer =
        !site && resolver ? resolver->known(StuckResolver::queryOf(population, stuck)) : nullptr;
    if (answer && !answer->frames.empty())
        return textsOf(answer->frames.front());
    SiteTexts texts = textsOf(site, stuck.addr);
    if (answer)
        texts.remedy = answer->remedy;
    return texts;
}

std::string nameOf(const Population &population, CoroutineId id)
{
    return population.hasName(id) ? population.notes(id).name : std::string();
}

/// Adds the groups for the stuck coroutines of one site. If the target named no site, there is a group for each
/// location of their addresses.
void appendGroups(std::vector<FoundGroup> &groups, const Population &population, const StuckGroup &stuck,
                  const AddressResolver *resolver)
{
    std::unordered_map<std::string, std::size_t> indexes;
    for (const StuckCoroutine &coroutine : stuck.coroutines) {
        SiteTexts texts = textsOf(population, coroutine, resolver);
        const auto [known, isNew] = indexes.try_emplace(texts.full, groups.size());
        if (isNew) {
            FoundGroup group;
            group.site = std::move(texts.full);
            group.shortSite = std::move(texts.brief);
            group.remedy = std::move(texts.remedy);
            group.usualNs = stuck.usualNs;
            groups.push_back(std::move(group));
        }
        FoundGroup &group = groups[known->second];
        group.longestNs = std::max(group.longestNs, coroutine.suspendedNs);
        group.coroutines.push_back({coroutine.coroutine, coroutine.probeId, coroutine.suspendedNs, coroutine.addr,
                                    nameOf(population, coroutine.coroutine), coroutine.rule});
    }
}

/// Writes `"name": value` members, one per line.
class JsonObject {
public:
    explicit JsonObject(std::string &json) : m_json(json) { m_json += "{"; }
    void number(const char *name, std::uint64_t value) { key(name) += std::to_string(value); }
    void decimal(const char *name, double value)
    {
        std::array<char, 32> text{};
        const auto end =
            std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 4).ptr;
        key(name).append(text.data(), end);
    }
    void boolean(const char *name, bool value) { key(name) += value ? "true" : "false"; }
    void text(const char *name, const std::string &value) { appendJsonString(key(name), value); }
    template <class T>
    void optional(const char *name, const std::optional<T> &value)
    {
        key(name) += value ? std::to_string(*value) : "null";
    }
    std::string &key(const char *name)
    {
        m_json += m_first ? "\n  \"" : ",\n  \"";
        m_first = false;
        m_json += name;
        m_json += "\": ";
        return m_json;
    }
    void end() { m_json += "\n}\n"; }

private:
    std::string &m_json;
    bool m_first = true;
};

void appendStuck(std::string &json, const std::vector<FoundGroup> &groups)
{
    json += '[';
    const char *separator = "\n    ";
    for (const FoundGroup &group : groups) {
        for (const FoundCoroutine &found : group.coroutines) {
            json += separator;
            separator = ",\n    ";
            json += "{\"coroutine\": " + std::to_string(found.coroutine);
            if (!found.name.empty()) {
                json += ", \"name\": ";
                appendJsonString(json, found.name);
            }
            json += ", \"rule\": \"" + std::string(ct::nameOf(found.rule)) +
                    "\", \"probe_id\": " + std::to_string(found.probeId) + ", \"site\": ";
            appendJsonString(json, group.site);
            json += ", \"suspended_ns\": " + std::to_string(found.suspendedNs) +
                    ", \"usual_ns\": " + (group.usualNs ? std::to_string(*group.usualNs) : "null");
            if (found.addr != 0)
                json += ", \"addr\": \"" + hexadecimal(found.addr) + "\"";
            json += '}';
        }
    }
    json += ']';
}

void appendAbstentions(std::string &json, const std::vector<Abstention> &abstained)
{
    json += '[';
    const char *separator = "\n    ";
    for (const Abstention &abstention : abstained) {
        json += separator;
        separator = ",\n    ";
        json += "{\"rule\": \"" + std::string(nameOf(abstention.rule)) + "\", \"reason\": ";
        appendJsonString(json, abstention.reason);
        json += ", \"count\": " + std::to_string(abstention.count) + '}';
    }
    json += ']';
}

void appendTexts(std::string &json, const std::vector<std::string> &texts)
{
    json += '[';
    for (const std::string &text : texts) {
        if (&text != &texts.front())
            json += ", ";
        appendJsonString(json, text);
    }
    json += ']';
}

/// Returns the remedy for events and coroutines that did not fit; empty if all did.
std::string remedyOf(const Accounting &accounting)
{
    if (accounting.growthStopped || accounting.lanesShortened > 0)
        return " (the region's file system was full: enlarge it, choose another with --shm, or give --lane-size 1MiB)";
    const bool dropped = accounting.recordsDropped > accounting.recordsInHoles;
    if (accounting.processesPartlyMapped > 0 && (dropped || accounting.untraced > 0))
        return " (the address space of a process had room for only a part of the region: raise its limit, ulimit -v)";
    if (dropped && accounting.threadsWithoutLane > 0)
        return " (threads found no lane: give a larger --lane-pool, or smaller lanes with --lane-size)";
    if (dropped)
        return " (lanes were full: give larger ones with --lane-size, on a file system with room for them, --shm; to "
               "a flight recorder with CTP_FLIGHT_LANE_MIB)";
    if (accounting.untraced > 0 && accounting.stationsMax > 0 && accounting.stationsAllocated >= accounting.stationsMax)
        return " (all stations were in use: give a larger -n)";
    if (accounting.untraced > 0 && accounting.birthsOvertaken > 0)
        return " (coroutines were born faster than the region grew: give their number with -n, for stations from the "
               "start)";
    return {};
}

void addSums(JsonObject &object, const Summary &summary)
{
    const Accounting &sums = summary.accounting;
    object.number("events", sums.captured);
    object.number("lost_events", sums.lost);
    object.number("missed_before_attach", sums.missedBeforeAttach);
    object.number("coroutines", sums.coroutines);
    object.number("coroutines_missed", sums.coroutinesMissed);
    object.number("lost_without_coroutine", sums.lostWithoutCoroutine);
    object.number("missed_without_coroutine", sums.missedWithoutCoroutine);
    object.number("coroutines_not_kept", sums.overflowCoroutines);
    object.number("events_not_kept", sums.overflowEvents);
    object.number("names_not_kept", summary.overflowNames);
    object.number("untraced_coroutines", sums.untraced);
    object.number("births_overtaken", sums.birthsOvertaken);
    object.number("duration_ns", summary.durationNs);
}

void addStuck(JsonObject &object, const Summary &summary)
{
    appendStuck(object.key("stuck"), summary.stuck);
    appendAbstentions(object.key("abstained"), summary.abstained);
    const std::optional<StuckInstant> &decided = summary.stuckWhenDecided;
    object.text("stuck_judged", decided ? "end_decided" : "end");
    object.optional("stuck_when_end_decided", decided ? std::optional(decided->coroutines) : std::nullopt);
    object.optional("end_decided_ts", decided ? std::optional(decided->ts) : std::nullopt);
    object.number("stuck_at_end", summary.stuckAtEnd.coroutines);
    object.number("end_ts", summary.stuckAtEnd.ts);
}

/// Adds the gauges and flags of the region.
void addGauges(JsonObject &object, const Summary &summary)
{
    const Accounting &sums = summary.accounting;
    object.number("born_before_init", sums.bornBeforeInit);
    object.number("flagged_stations", sums.flaggedStations);
    object.number("sites_dropped", sums.sitesDropped);
    // Version-1 stations and compact stations have separate areas, so their sum would not be a limit.
    object.number("stations_allocated", sums.stationsAllocated - sums.compactStationsAllocated);
    object.number("stations_max", sums.stationsMax - sums.compactStationsMax);
    object.number("slots_allocated", sums.compactStationsAllocated);
    object.number("slots_max", sums.compactStationsMax);
    object.number("born_while_off", sums.bornWhileOff);
    object.number("records_dropped", sums.recordsDropped);
    object.number("notes_lost", sums.notesLost);
    object.number("threads_without_lane", sums.threadsWithoutLane);
    object.number("lanes_shortened", sums.lanesShortened);
    object.number("lanes_damaged", sums.lanesDamaged);
    object.number("processes_unmapped", sums.processesUnmapped);
    object.number("processes_partly_mapped", sums.processesPartlyMapped);
    object.number("lanes", sums.lanes);
    object.number("lane_bytes", sums.laneBytes);
    object.number("lane_bytes_max", sums.laneBytesMax);
    object.number("region_bytes", sums.regionBytes);
    object.number("processes", summary.processes);
    object.number("most_behind_ns", sums.mostBehindNs);
    object.number("target_cpu_ns", sums.targetCpuNs);
    object.decimal("event_ns", sums.eventNs);
    object.decimal("observer_effect", sums.observerEffect());
    object.number("limited_ns", sums.limitedNs);
    object.boolean("growth_stopped", sums.growthStopped);
    object.boolean("times_approximate", sums.timesApproximate);
    object.boolean("paused", sums.paused);
    object.boolean("unproven", sums.unproven);
}

void addFiles(JsonObject &object, const Summary &summary)
{
    object.text("region", summary.regionPath);
    object.boolean("region_kept", summary.regionKept);
    appendTexts(object.key("dumps"), summary.dumps);
    object.number("findings_not_dumped", summary.findingsNotDumped);
    object.number("events_not_written", summary.eventsNotWritten);
    for (const auto &[name, error] :
         {std::pair{"capture_error", &summary.captureError}, std::pair{"output_error", &summary.outputError}}) {
        if (error->empty())
            object.key(name) += "null";
        else
            object.text(name, *error);
    }
}

}  // namespace

std::vector<FoundGroup> groupsOf(const std::vector<StuckGroup> &found, const Population &population,
                                 const AddressResolver *resolver)
{
    std::vector<FoundGroup> groups;
    for (const StuckGroup &stuck : found)
        appendGroups(groups, population, stuck, resolver);
    std::stable_sort(groups.begin(), groups.end(), [](const FoundGroup &a, const FoundGroup &b) {
        return a.coroutines.size() > b.coroutines.size();
    });
    return groups;
}

std::uint64_t stuckIn(const std::vector<StuckGroup> &groups)
{
    return std::accumulate(groups.begin(), groups.end(), std::uint64_t{0},
                           [](std::uint64_t sum, const StuckGroup &group) { return sum + group.coroutines.size(); });
}

std::string toJson(const Summary &summary)
{
    std::string json;
    JsonObject object(json);
    addSums(object, summary);
    object.optional("exit_code", summary.exitCode);
    object.optional("signal", summary.signal);
    object.text("ended_by", summary.endedBy);
    addStuck(object, summary);
    addGauges(object, summary);
    addFiles(object, summary);
    object.end();
    return json;
}

std::string describeInstants(const Summary &summary)
{
    const auto coroutines = [](std::uint64_t count) {
        return std::to_string(count) + (count == 1 ? " coroutine" : " coroutines");
    };
    const StuckInstant &end = summary.stuckAtEnd;
    const std::optional<StuckInstant> &decided = summary.stuckWhenDecided;
    if (end.coroutines == 0 && (!decided || decided->coroutines == 0))
        return {};
    if (!decided)
        return "stuck at the end of the run: " + coroutines(end.coroutines);
    const std::string later = end.ts > decided->ts ? ", " + durationText(end.ts - decided->ts) + " later" : "";
    return "stuck when the end was decided: " + coroutines(decided->coroutines) + "; at the end of the run" + later +
           ": " + std::to_string(end.coroutines);
}

std::string describe(const FoundGroup &group)
{
    std::string text = std::to_string(group.coroutines.size()) +
                       (group.coroutines.size() == 1 ? " coroutine at " : " coroutines at ") + group.shortSite +
                       ", longest " + durationText(group.longestNs);
    return text + (group.usualNs ? ", usually " + durationText(*group.usualNs) : ", never resumed there");
}

std::string describe(const Accounting &accounting, std::uint64_t durationNs, std::uint64_t overflowNames)
{
    std::string text = std::to_string(accounting.captured) + " events of " + std::to_string(accounting.coroutines) +
                       " coroutines in " + durationText(durationNs) + "; lost " + std::to_string(accounting.lost) +
                       ", untraced " + std::to_string(accounting.untraced) + ", missed before attach " +
                       std::to_string(accounting.missedBeforeAttach);
    if (accounting.coroutinesMissed > 0)
        text += ", coroutines missed " + std::to_string(accounting.coroutinesMissed);
    if (accounting.overflowCoroutines > 0)
        text += ", " + std::to_string(accounting.overflowCoroutines) + " coroutines with " +
                std::to_string(accounting.overflowEvents) + " events found no room in memory";
    if (overflowNames > 0)
        text += ", " + std::to_string(overflowNames) +
                " names found no room in memory (give coroutines names that repeat; a recording, -o FILE.ctr, contains "
                "all names)";
    if (accounting.bornBeforeInit > 0)
        text += ", born before InitTracer " + std::to_string(accounting.bornBeforeInit);
    if (accounting.bornWhileOff > 0)
        text += ", born while tracing was off " + std::to_string(accounting.bornWhileOff);
    if (accounting.recordsDropped > 0)
        text += ", records dropped " + std::to_string(accounting.recordsDropped);
    if (accounting.notesLost > 0)
        text += ", notes lost " + std::to_string(accounting.notesLost);
    if (accounting.threadsWithoutLane > 0)
        text += ", threads without a lane " + std::to_string(accounting.threadsWithoutLane);
    if (accounting.flaggedStations > 0)
        text += ", flagged " + std::to_string(accounting.flaggedStations);
    if (accounting.processesUnmapped > 0)
        text += ", processes without address space for the region " + std::to_string(accounting.processesUnmapped) +
                " (raise their ulimit -v)";
    if (const double effect = accounting.observerEffect(); effect > 0)
        text += ", observer effect " + percentText(effect) + " of the target's processor time";
    if (accounting.limitedNs > 0)
        text += ", tracing limited for " + durationText(accounting.limitedNs);
    text += remedyOf(accounting);
    if (accounting.recordsInHoles > 0)
        text += " (a thread left holes in its lane: resume no coroutine in a signal handler, and look for stray "
                "writes with a memory checker)";
    if (accounting.timesApproximate)
        text += " (times are approximate: the processor's counter jumped or ran backwards)";
    if (accounting.unproven)
        text += " (unproven: an old SDK on a weakly ordered machine)";
    return text;
}

}  // namespace ct
