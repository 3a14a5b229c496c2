// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/addresses/addressresolverdata.h"

#include "core/addresses/processmemory.h"
#include "core/base/monotonic.h"
#include "core/recording/write/systemfacts.h"
#include "core/symbols/symbolizer.h"

#include <algorithm>
#include <cerrno>
#include <limits>

namespace ct {

namespace {

/// Minimum time between two reads of a process's maps.
constexpr std::uint64_t kRefreshNs = 1'000'000'000;
/// Minimum time, in addition to kCaptureDelayNs, between two requests for the same frame.
constexpr std::uint64_t kAskAgainNs = 500'000'000;
/// Distinct answers; at the limit, all are removed.
constexpr std::size_t kMostAnswers = 500'000;

std::uint64_t emitted(const CoroutineSnapshot &coroutine)
{
    return coroutine.events + coroutine.lost + coroutine.missed;
}

bool isAtSuspensionPoint(const CoroutineSnapshot &coroutine)
{
    return isSuspended(coroutine.state) || coroutine.state == CoroutineState::Finished;
}

SymbolWorker::Answer unresolved(Unresolved reason, const char *remedy)
{
    DescribedAddress described;
    described.reason = reason;
    described.remedy = remedy;
    return std::make_shared<const DescribedAddress>(std::move(described));
}

}  // namespace

AddressResolver::Data::Known &AddressResolver::Data::knownOf(CoroutineId id)
{
    if (frames.size() >= kMostFrames && !frames.contains(id))
        frames.clear();
    return frames[id];
}

/// Adds frame locations from a recording. Returns false if there is no room for all.
bool AddressResolver::Data::addFrameLocations(std::span<const FrameLocation> rows)
{
    const auto process = processes.find(target);
    const ModuleMap *modules = process != processes.end() ? process->second.modules.get() : nullptr;
    for (const FrameLocation &location : rows) {
        // A line that belongs to no suspension belongs to the address.
        const bool isCode =
            location.since == 0 && (location.line != 0 || (modules && modules->moduleAt(location.frame)));
        if (isCode) {
            if (codeLocations.size() < kMostFrames)
                codeLocations[{location.coroutine, location.frame}] = shared(
                    {}, {location.function, location.file, location.line, location.column, false}, location.line != 0);
            continue;
        }
        if (frames.size() >= kMostFrames && !frames.contains(location.coroutine)) {
            problem = "the recording has frame locations of more coroutines than fit in memory";
            return false;
        }
        const Module *module = modules ? modules->moduleAt(location.code) : nullptr;
        const std::string path = module ? module->path : std::string();
        Known &known = knownOf(location.coroutine);
        known.frame = location.frame;
        known.function = shared(path, {location.function, {}, 0, 0, false}, false);
        known.since = location.since;
        known.location =
            location.since == 0 || location.line == 0
                ? nullptr
                : shared(path, {location.function, location.file, location.line, location.column, false}, true);
    }
    return true;
}

/// One answer for all coroutines of a function or of a location. `whole`: the line is known, too.
AddressResolver::Answer AddressResolver::Data::shared(const std::string &module, SourceFrame source, bool whole)
{
    if (answers.size() >= kMostAnswers)
        answers.clear();
    Answer &answer = answers[{module, source.function, source.file, source.line, source.column}];
    if (!answer) {
        DescribedAddress described;
        described.module = module;
        described.reason = whole ? Unresolved::None : Unresolved::NoLines;
        described.frames.push_back(std::move(source));
        answer = std::make_shared<const DescribedAddress>(std::move(described));
    }
    return answer;
}

AddressResolver::Answer AddressResolver::Data::sharedUnresolved(const DescribedAddress &described)
{
    const std::string function = described.frames.empty() ? std::string() : described.frames.front().function;
    Answer &answer =
        answers[{described.module, described.remedy, function, static_cast<std::uint32_t>(described.reason), ~0U}];
    if (!answer || *answer != described)
        answer = std::make_shared<const DescribedAddress>(described);
    return answer;
}

void AddressResolver::Data::retryUnresolved()
{
    for (auto &[id, known] : frames) {
        known.unresolved.reset();
        known.askedAt = 0;
        if (!known.location)
            known.since = 0;
    }
}

/// nullptr: neither a recording nor a database has said what this address is.
AddressResolver::Answer AddressResolver::Data::storedCode(const Query &query) const
{
    const auto found = codeLocations.find({query.coroutine, query.addr});
    return found != codeLocations.end() ? found->second : nullptr;
}

/// nullptr: nothing is known of this coroutine, or only another frame.
AddressResolver::Data::Known *AddressResolver::Data::knownAt(const Query &query)
{
    const auto found = frames.find(query.coroutine);
    return found != frames.end() && found->second.frame == query.addr ? &found->second : nullptr;
}

/// True if a request for the frame can yield more. The present suspension: once. Past suspensions: only the function.
bool AddressResolver::Data::isWanted(const Query &query, std::uint32_t pid, const Known *known) const
{
    const auto process = processes.find(pid);
    if (!reading || pid == 0 || (process != processes.end() && process->second.unreadable))
        return false;
    const bool same = known && query.since != 0 && known->since == query.since;
    if (same && known->location)
        return false;
    return known && known->function ? query.lasts && !same : !(same && known->unresolved);
}

AddressResolver::Answer AddressResolver::Data::frame(const Query &query, std::uint32_t pid, bool ask)
{
    Known *known = knownAt(query);
    const bool same = known && query.since != 0 && known->since == query.since;
    if (same && known->location)
        return known->location;
    if (ask && isWanted(query, pid, known))
        askFor(query, pid, known ? *known : knownOf(query.coroutine));
    const auto process = processes.find(pid);
    const Answer unreadable = process != processes.end() ? process->second.unreadable : nullptr;
    if (known && known->function)
        return same && known->unresolved ? known->unresolved : known->function;
    if (known && known->unresolved)
        return known->unresolved;
    if (unreadable)
        return unreadable;
    // Never destroyed, because the worker's thread may still run when the process ends.
    static const Answer &kGone = *new Answer(unresolved(
        Unresolved::NotReadable, "the location in this coroutine frame is unknown: a frame can be read only while its "
                                 "process lives, and only .ctr recordings keep frame locations"));
    static const Answer &kNoProcess = *new Answer(
        unresolved(Unresolved::NoModule,
                   "the process of this address is unknown: it was not found while it ran, or several processes wrote "
                   "events without their ids"));
    if (live && pid == 0)
        return kNoProcess;
    const bool mayFollow = reading || !reads.empty();
    return live && mayFollow ? nullptr : kGone;
}

void AddressResolver::Data::askFor(const Query &query, std::uint32_t pid, Known &known)
{
    const std::uint64_t now = monotonicNow();
    if (known.frame == query.addr && known.askedAt != 0 && now < known.askedAt + kAskAgainNs + kCaptureDelayNs)
        return;
    if (known.frame != query.addr)
        known = {};
    known.frame = query.addr;
    known.askedAt = now;
    ask({query.coroutine, pid, query.addr});
}

void AddressResolver::Data::ask(const Asked &wantedFrame)
{
    if (isAsked.insert(wantedFrame.coroutine).second)
        asked.push_back(wantedFrame);
}

/// True if one more line of the function may be read. Counts it as read.
bool AddressResolver::Data::takeSample(const std::string &function, std::uint64_t now)
{
    const std::uint64_t left = history ? lineSamples.take(function, now) : 0;
    if (left > LineSamples::kMany)
        manySampledAt = now;
    return left != 0;
}

/// Requests the line of a suspension that is short so far. It says where the coroutines of this function wait, although
/// it may be outdated once it is known.
void AddressResolver::Data::sampleLine(const CoroutineSnapshot &coroutine, Known &known, std::uint64_t now)
{
    const std::uint32_t pid = processOf(coroutine.pid);
    const auto process = processes.find(pid);
    const std::string function = known.function ? known.function->frames.front().function : std::string();
    if (!history || known.frame != coroutine.addr || known.since == coroutine.since ||
        known.sampled == coroutine.since || process == processes.end() || process->second.unreadable ||
        !takeSample(function, now))
        return;
    known.sampled = coroutine.since;
    ask({coroutine.id, pid, coroutine.addr});
}

/// Discards the requests for frames. Views repeat those that they need; requests for modules stay.
void AddressResolver::Data::refuse(const Error &why)
{
    asked.clear();
    isAsked.clear();
    refusal = why.message;
}

void AddressResolver::Data::answer(Symbolizer &symbolizer, const std::vector<Asked> &asks,
                                   const std::set<std::uint32_t> &pids)
{
    std::set<std::uint32_t> all = pids;
    for (const Asked &ask : asks)
        all.insert(ask.pid);
    for (const std::uint32_t pid : all)
        refresh(pid);
    // The pid of an ended process may belong to another process by now.
    std::set<std::uint32_t> gone;
    for (const ProcessSnapshot &process : population->processes()) {
        if (process.endTs != 0)
            gone.insert(process.pid);
        else
            gone.erase(process.pid);
    }
    for (const Asked &ask : asks)
        read(symbolizer, ask, gone);
    busy.store(false, std::memory_order_release);
}

void AddressResolver::Data::refresh(std::uint32_t pid)
{
    const std::uint64_t now = monotonicNow();
    std::vector<Module> seen;
    {
        const std::lock_guard lock(mutex);
        Process &process = processes[pid];
        if (!live || (process.readAt != 0 && now < process.readAt + kRefreshNs))
            return;
        process.readAt = now;
        seen = process.seen;
    }
    RecordingInfo::Process facts = processFacts(static_cast<pid_t>(pid));
    if (facts.modules.empty() || facts.modules == seen)
        return;
    seen = facts.modules;
    addBuildIds(facts);
    char byte = 0;
    errno = 0;
    const bool readable =
        processMemory(static_cast<pid_t>(pid))(facts.modules.front().begin, &byte, 1) || errno != EPERM;
    const std::lock_guard lock(mutex);
    Process &process = processes[pid];
    if (process.modules)
        retryUnresolved();
    process.seen = std::move(seen);
    process.modules = std::make_shared<const ModuleMap>(std::move(facts.modules));
    process.unreadable =
        readable ? nullptr
                 : unresolved(Unresolved::NotReadable,
                              "this user may not read the coroutine frames of this process; start the process "
                              "from here, or set /proc/sys/kernel/yama/ptrace_scope to 0");
    if (process.unreadable && problem.empty())
        problem = process.unreadable->remedy;
    generation.fetch_add(1, std::memory_order_release);
}

void AddressResolver::Data::read(Symbolizer &symbolizer, const Asked &ask, const std::set<std::uint32_t> &gone)
{
    SymbolWorker::Modules modules;
    {
        const std::lock_guard lock(mutex);
        const Process &process = processes[ask.pid];
        if (!reading || process.unreadable || !process.modules)
            return;
        modules = process.modules;
    }
    Read read;
    read.before = population->at(ask.coroutine);
    if (gone.contains(ask.pid) || read.before.deathTs != 0 || read.before.addr != ask.frame ||
        read.before.site != kUnknownSite || modules->moduleAt(ask.frame))
        return;
    read.frame = describeCoroutineFrame(symbolizer, *modules, ask.frame, processMemory(static_cast<pid_t>(ask.pid)));
    read.at = monotonicNow();
    const std::lock_guard lock(mutex);
    if (reading)
        reads.push_back(std::move(read));
}

/// Compares frames that were read before this time (ns, CLOCK_MONOTONIC).
std::vector<FrameLocation> AddressResolver::Data::compareReads(std::uint64_t before)
{
    std::vector<FrameLocation> newLocations;
    if (!reads.empty() && reads.front().at < before)
        generation.fetch_add(1, std::memory_order_release);
    for (; !reads.empty() && reads.front().at < before; reads.pop_front())
        compare(reads.front(), newLocations);
    return newLocations;
}

/// True if the history has the end of the suspension, and it ended after the reading.
bool AddressResolver::Data::hasLasted(const Read &read) const
{
    if (!history || !isAtSuspensionPoint(read.before))
        return false;
    const std::uint64_t since = read.before.since;
    const std::vector<HistoryEvent> events =
        history->events(read.before.id, since, std::numeric_limits<std::uint64_t>::max(), 3);
    for (std::size_t i = 1; i < events.size(); ++i)
        if (events[i - 1].type == HistoryEvent::Type::Suspend && events[i - 1].ts == since)
            return events[i].type == HistoryEvent::Type::Resume && events[i].ts > read.at;
    return false;
}

/// Accepts the function if the coroutine still had this frame, alive, kCaptureDelayNs after the reading, or if the
/// suspension lasted during the reading. It is valid for the coroutine's life. Accepts the line only if the suspension
/// lasted; it is valid for this suspension.
void AddressResolver::Data::compare(const Read &read, std::vector<FrameLocation> &newLocations)
{
    const CoroutineSnapshot after = population->at(read.before.id);
    running.compare(read.before, after, read.frame.state, read.at);
    const bool lived = after.deathTs == 0 || after.deathTs > read.at + kCaptureDelayNs;
    const bool same = emitted(after) == emitted(read.before) && after.since == read.before.since;
    // The time of a coroutine that has died is that of its death, so only the history says when it was resumed.
    const bool wentOnLater = lived && emitted(after) == emitted(read.before) + 1 && after.since > read.at;
    const bool hasEndedLater = !same && !wentOnLater && hasLasted(read);
    if (!hasEndedLater && (!lived || after.addr != read.before.addr))
        return;
    const DescribedAddress &location = read.frame.location;
    const bool isFrame = read.frame.state != CoroutineFrame::State::Unknown && !location.frames.empty();
    if (!same && !wentOnLater && !hasEndedLater && !isFrame)
        return;
    Known &known = knownOf(read.before.id);
    known.frame = read.before.addr;
    const bool lasted = (same || wentOnLater || hasEndedLater) && isAtSuspensionPoint(read.before);
    known.since = lasted ? read.before.since : 0;
    known.location.reset();
    known.unresolved = lasted && !location.remedy.empty() ? sharedUnresolved(location) : nullptr;
    if (!isFrame) {
        if (problem.empty() && location.reason != Unresolved::NotACoroutine &&
            location.reason != Unresolved::NotReadable)
            problem = location.remedy;
        return;
    }
    const SourceFrame &source = location.frames.front();
    FrameLocation row{read.before.id, known.frame, 0, read.frame.resumeFunction, 0, 0, {}, source.function};
    const bool isNew = !known.function || known.function->frames.front().function != source.function;
    known.function = shared(location.module, {source.function, {}, 0, 0, false}, false);
    if (lasted && source.line != 0) {
        known.location = shared(location.module, source, true);
        row = {row.coroutine, row.frame, known.since, row.code, source.line, source.column, source.file, row.function};
    }
    if (isNew || known.location)
        newLocations.push_back(std::move(row));
}

}  // namespace ct
