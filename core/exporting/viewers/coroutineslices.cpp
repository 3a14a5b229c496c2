// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exporting/viewers/coroutineslices.h"

#include "core/stream/pointkind.h"

#include <algorithm>
#include <cstdio>
#include <ranges>

namespace ct::viewers {

namespace {

/// The most pieces of one event: the ends of a state and a run, a gap, an instant, the new state and run.
constexpr std::size_t kMostPieces = 8;
const std::string kUnknownFunction = "unknown function";

bool isOfOwnFunction(const Transition &transition)
{
    return !transition.active && (transition.kind == PointKind::Await || transition.kind == PointKind::Yield);
}

/// Writes the name of a gap, such as "lost 12 events".
std::string_view gapName(const CoroutineSums::Gap &gap, std::array<char, Slice::kMostName> &buffer)
{
    if (!gap.any())
        return "unknown";
    std::size_t used = 0;
    const auto add = [&](const char *format, std::uint64_t count) {
        if (count == 0)
            return;
        const char *const separator = used != 0 ? ", " : "";
        used += static_cast<std::size_t>(std::snprintf(buffer.data() + used, buffer.size() - used, "%s", separator));
        used += static_cast<std::size_t>(
            std::snprintf(buffer.data() + used, buffer.size() - used, format, static_cast<unsigned long long>(count)));
    };
    add("lost %llu events", gap.lost);
    add("missed %llu events", gap.missed);
    add("%llu events are missing", gap.unexplained);
    return {buffer.data(), std::min(used, buffer.size() - 1)};
}

}  // namespace

CoroutineSlices::CoroutineSlices(TrackEncoder &encoder, UnitOutput &output, Introduced &introduced, Tracks &tracks,
                                 const TrackLimits &limits, std::shared_ptr<ExportResolver> resolver,
                                 std::shared_ptr<const Unselected> unselected)
    : m_encoder(encoder),
      m_output(output),
      m_introduced(introduced),
      m_tracks(tracks),
      m_limits(limits),
      m_resolver(std::move(resolver)),
      m_running(introduced.text("running")),
      m_suspended(introduced.text("suspended")),
      m_finished(introduced.text("finished")),
      m_sums(std::move(unselected)),
      m_names([](const std::string &name) { return name; })
{
}

void CoroutineSlices::addBatch(const Batch &batch)
{
    m_sums.addBatch(batch);
    m_coroutines.resize(m_sums.entries().size());
    for (const Birth &birth : batch.births)
        at(birth.coroutine).isLane = birth.dialect == Dialect::Lane;
    m_names.addNotes(batch.notes);
    for (const CoroutineName &name : batch.notes.names) {
        Coroutine &coroutine = at(name.coroutine);
        if (!coroutine.hasChosenTrack || name.name.empty())
            continue;
        coroutine.run = m_introduced.text(name.name);
        if (coroutine.track)
            m_tracks.renameCoroutine(name.coroutine, coroutine.track, name.name);
    }
    for (const WaitsOn &waits : batch.notes.waits) {
        const Coroutine &coroutine = at(waits.coroutine);
        const bool isOver = coroutine.state != State::None &&
                            (waits.n < coroutine.n || (waits.n == coroutine.n && coroutine.state != State::Suspended));
        if (isOver)
            ++m_leftOut.waits;
        else if (!coroutine.hasChosenTrack || coroutine.track || coroutine.state == State::Suspended)
            m_waits.add(waits);
    }
    m_finishOrder.addBatch(batch);
    for (const Finish &finish : batch.notes.finishes | std::views::reverse) {
        if (const std::optional<Run> run = presentRun(at(finish.coroutine), finish.coroutine))
            m_finishOrder.addRun(finish.coroutine, std::nullopt, run->thread, run->since);
    }
}

void CoroutineSlices::endBatch()
{
    m_finishOrder.clear();
    m_leftOut.waits += m_waits.removeLost([this](const WaitsOn &waits) { return waits.n < at(waits.coroutine).n; });
}

LocationId CoroutineSlices::resolved(const Transition &transition)
{
    if (!m_resolver || transition.active || transition.addr == 0)
        return 0;
    const std::uint32_t pid = m_sums.entry(transition.coroutine).pid;
    return m_introduced.ofAnswer(m_resolver->known({transition.coroutine, pid, transition.addr, transition.ts}));
}

LocationId CoroutineSlices::locationOf(const Transition &transition)
{
    const LocationId site = m_introduced.ofSite(transition.site);
    return site != 0 ? site : resolved(transition);
}

/// Finds the function of a coroutine, which names the track above. Its first suspensions may be in functions of its
/// library. Returns false if the event must wait until the function is known.
bool CoroutineSlices::chooseTrack(Coroutine &coroutine, const Transition &transition)
{
    const CoroutineId id = transition.coroutine;
    const TextId function = isOfOwnFunction(transition) ? m_introduced.functionOf(locationOf(transition)) : TextId{0};
    if (function == 0) {
        Held &held = m_held[id];
        if (held.count < held.events.size()) {
            held.events[held.count++] = transition;
            return false;
        }
        chooseTrackByHeld(coroutine, id);
        return true;
    }
    giveTrack(coroutine, id, function, Tracks::Limit::Applies);
    writeHeld(coroutine, id);
    return true;
}

void CoroutineSlices::giveTrack(Coroutine &coroutine, CoroutineId id, TextId function, Tracks::Limit limit)
{
    const std::string name(m_names.of(id).name);
    coroutine.hasChosenTrack = true;
    coroutine.function = function;
    coroutine.run = name.empty() ? function : m_introduced.text(name);
    coroutine.track = m_tracks.coroutine(id, m_sums.entry(id).pid, m_introduced.textOf(function), name, limit);
}

/// Chooses the track by the first events, and writes these.
void CoroutineSlices::chooseTrackByHeld(Coroutine &coroutine, CoroutineId id)
{
    TextId function = 0;
    if (const auto held = m_held.find(id); held != m_held.end()) {
        for (std::uint32_t i = 0; i < held->second.count && function == 0; ++i)
            function = m_introduced.functionOf(resolved(held->second.events[i]));
        for (std::uint32_t i = 0; i < held->second.count && function == 0; ++i)
            function = m_introduced.functionOf(m_introduced.ofSite(held->second.events[i].site));
    }
    giveTrack(coroutine, id, function != 0 ? function : m_introduced.text(kUnknownFunction), Tracks::Limit::Applies);
    writeHeld(coroutine, id);
}

void CoroutineSlices::writeHeld(Coroutine &coroutine, CoroutineId id)
{
    if (m_held.empty())
        return;
    const auto held = m_held.extract(id);
    for (std::uint32_t i = 0; held && i < held.mapped().count; ++i)
        write(coroutine, held.mapped().events[i]);
}

/// Returns the run that the latest event began. That event may be held.
std::optional<CoroutineSlices::Run> CoroutineSlices::presentRun(const Coroutine &coroutine, CoroutineId id)
{
    const auto held = m_held.find(id);
    if (held == m_held.end())
        return coroutine.state == State::Running ? std::optional(Run{coroutine.thread.id, coroutine.since})
                                                 : std::nullopt;
    const Transition &latest = held->second.events[held->second.count - 1];
    const std::uint32_t thread = m_tracks.thread(m_sums.entry(id).pid, latest.tid).id;
    return latest.active ? std::optional(Run{thread, latest.ts}) : std::nullopt;
}

/// Ends the runs that a finish of the batch ends, and that the event does not belong to.
void CoroutineSlices::finishBefore(const Coroutine &coroutine, const Transition &transition)
{
    const CoroutineId id = transition.coroutine;
    const std::uint32_t thread = m_tracks.thread(m_sums.entry(id).pid, transition.tid).id;
    const std::uint64_t since = presentRun(coroutine, id).value_or(Run{}).since;
    while (const std::optional<Finish> finish = m_finishOrder.takeBefore(transition, thread, since))
        consume(*finish);
    if (transition.active)
        m_finishOrder.addRun(id, transition.n, thread, transition.ts);
}

void CoroutineSlices::consume(const Transition &transition)
{
    Coroutine &coroutine = at(transition.coroutine);
    if (!m_finishOrder.empty())
        finishBefore(coroutine, transition);
    if (coroutine.hasChosenTrack || chooseTrack(coroutine, transition))
        write(coroutine, transition);
}

char *CoroutineSlices::beginPieces()
{
    return m_output.begin(kMostPieces * m_encoder.room());
}

void CoroutineSlices::write(Coroutine &coroutine, const Transition &transition)
{
    const CoroutineId id = transition.coroutine;
    const CoroutineSums::Gap gap = m_sums.advance(transition);
    const Track thread = m_tracks.thread(m_sums.entry(id).pid, transition.tid);
    const LocationId location = transition.active ? 0 : locationOf(transition);
    const State before = coroutine.state;
    const bool isOpen = before != State::None && before != State::Dead;
    const bool follows = !gap.any() && isOpen && transition.active != (before == State::Running);
    const bool endsRun = follows && before == State::Running && thread.id == coroutine.thread.id;
    const std::uint64_t ts = std::max(transition.ts, coroutine.since);
    if (gap.any()) {
        CoroutineSums::Gap &sum = m_gaps[id];
        sum.lost += gap.lost;
        sum.missed += gap.missed;
    }
    m_leftOut.events += coroutine.track ? 0 : 1;

    char *at = beginPieces();
    if (isOpen) {
        End end{follows ? ts : coroutine.since, endsRun ? ts : coroutine.since};
        end.why = follows ? "" : "lost";
        end.whyRun = endsRun ? "" : follows ? "on another thread" : "lost";
        end.exactTs = ts != transition.ts ? transition.ts : 0;
        at = writeEnd(at, coroutine, id, end);
    }
    if (gap.any() || (isOpen && !follows))
        at = writeGap(at, coroutine, id, gap, ts);
    if (!transition.active && !endsRun) {
        Slice suspension{thread, ts, coroutine.run};
        suspension.category = Category::Suspended;
        suspension.location = location;
        suspension.args.number(ArgName::Coroutine, id);
        suspension.args.text(ArgName::Begin, before == State::None && !gap.any() ? "first event" : "lost");
        at = m_encoder.instant(at, suspension);
    }
    at = begin(at, coroutine, transition, ts, thread, location);
    m_output.end(at, LineOutput::Counts::Yes);
}

char *CoroutineSlices::begin(char *at, Coroutine &coroutine, const Transition &transition, std::uint64_t ts,
                             const Track &thread, LocationId location)
{
    const CoroutineId id = transition.coroutine;
    coroutine.state = transition.active                     ? State::Running
                      : transition.kind == PointKind::Final ? State::Finished
                                                            : State::Suspended;
    coroutine.since = ts;
    coroutine.n = transition.n;
    coroutine.addr = transition.addr;
    coroutine.thread = thread;
    coroutine.location = location;
    coroutine.kind = transition.kind;
    coroutine.hasWait = coroutine.state == State::Suspended && m_waits.find(id, transition.n) != nullptr;
    if (coroutine.track)
        at = m_encoder.begin(at, stateSlice(coroutine, id));
    return coroutine.state == State::Running ? m_encoder.begin(at, runSlice(coroutine, id)) : at;
}

void CoroutineSlices::introduce(const Coroutine &coroutine, CoroutineId id, Args &args) const
{
    const CoroutineSums::Entry &entry = m_sums.entry(id);
    args.number(ArgName::Coroutine, id);
    args.id(ArgName::ProbeId, entry.probeId);
    if (entry.birthTs != 0)
        args.id(ArgName::BirthTs, entry.birthTs);
    if (const CoroutineId parent = m_names.of(id).parent; parent != kNoCoroutine && coroutine.isFirst)
        args.number(ArgName::Parent, parent);
}

Slice CoroutineSlices::stateSlice(const Coroutine &coroutine, CoroutineId id) const
{
    Slice slice{coroutine.track, coroutine.since};
    slice.args.number(ArgName::N, coroutine.n);
    if (coroutine.state == State::Running) {
        slice.name = m_running;
        slice.category = Category::Running;
        slice.args.number(ArgName::Tid, coroutine.thread.tid);
    } else {
        const bool isFinished = coroutine.state == State::Finished;
        const TextId function = m_introduced.functionOf(coroutine.location);
        slice.name = isFinished ? m_finished : function != 0 ? function : m_suspended;
        slice.category = isFinished ? Category::Finished : Category::Suspended;
        slice.location = coroutine.location;
        if (coroutine.kind != PointKind::Await)
            slice.args.text(ArgName::Kind, pointKindName(coroutine.kind));
        if (coroutine.location == 0 && coroutine.addr != 0)
            slice.args.address(ArgName::Address, coroutine.addr);
        if (const PendingWaits::Wait *wait = coroutine.hasWait ? m_waits.find(id, coroutine.n) : nullptr)
            PendingWaits::addArgs(*wait, slice.args);
    }
    if (coroutine.isFirst)
        introduce(coroutine, id, slice.args);
    return slice;
}

Slice CoroutineSlices::runSlice(const Coroutine &coroutine, CoroutineId id) const
{
    Slice slice{coroutine.thread, coroutine.since, coroutine.run};
    slice.category = Category::Running;
    // Only targets of version 1 have no process. They report no wakes, so flows would be nothing but long files.
    slice.flow = m_sums.entry(id).pid != 0 ? flowOf(id, coroutine.n) : 0;
    slice.args.number(ArgName::Coroutine, id);
    return slice;
}

char *CoroutineSlices::writeEnd(char *at, Coroutine &coroutine, CoroutineId id, const End &end)
{
    if (coroutine.state == State::Running) {
        Args more;
        if (!end.whyRun.empty())
            more.text(ArgName::End, end.whyRun);
        if (end.isStillOpen)
            more.flag(ArgName::StillOpen);
        at = m_encoder.end(at, runSlice(coroutine, id), end.runTs, more);
    }
    if (coroutine.track) {
        Args more;
        if (!end.why.empty())
            more.text(ArgName::End, end.why);
        if (end.exactTs != 0)
            more.id(ArgName::Ts, end.exactTs);
        if (end.isStillOpen)
            more.flag(ArgName::StillOpen);
        const bool mayHaveWait = coroutine.state == State::Suspended && !coroutine.hasWait;
        if (const PendingWaits::Wait *wait = mayHaveWait ? m_waits.find(id, coroutine.n) : nullptr)
            PendingWaits::addArgs(*wait, more);
        at = m_encoder.end(at, stateSlice(coroutine, id), end.ts, more);
    }
    if (coroutine.state == State::Suspended)
        m_waits.remove(id, coroutine.n);
    coroutine.isFirst = false;
    return at;
}

/// Writes a slice for the time in which the state of a coroutine is unknown.
char *CoroutineSlices::writeGap(char *at, const Coroutine &coroutine, CoroutineId id, const CoroutineSums::Gap &gap,
                                std::uint64_t ts, bool isStillOpen)
{
    if (!coroutine.track)
        return at;
    const std::uint64_t birthTs = m_sums.entry(id).birthTs;
    const std::uint64_t unknownSince = birthTs != 0 && birthTs <= ts ? birthTs : ts;
    std::array<char, Slice::kMostName> name;
    Slice slice{coroutine.track, coroutine.state != State::None ? coroutine.since : unknownSince};
    slice.text = gapName(gap, name);
    slice.category = Category::Gap;
    if (gap.lost != 0)
        slice.args.id(ArgName::Lost, gap.lost);
    if (gap.missed != 0)
        slice.args.id(ArgName::Missed, gap.missed);
    if (gap.unexplained != 0)
        slice.args.id(ArgName::Unexplained, gap.unexplained);
    if (coroutine.state == State::None)
        introduce(coroutine, id, slice.args);
    Args more;
    if (isStillOpen)
        more.flag(ArgName::StillOpen);
    at = m_encoder.begin(at, slice);
    return m_encoder.end(at, slice, ts, more);
}

/// Writes losses without a later event.
CoroutineSums::Gap CoroutineSlices::lossesAtEnd(CoroutineId id) const
{
    const CoroutineSums::Entry &entry = m_sums.entry(id);
    const auto shown = m_gaps.find(id);
    const CoroutineSums::Gap before = shown != m_gaps.end() ? shown->second : CoroutineSums::Gap();
    return {entry.lost - std::min(entry.lost, before.lost), entry.missed - std::min(entry.missed, before.missed), 0};
}

/// Ends the present state because the coroutine has finished or was destroyed. Only targets with lanes report when that
/// was; otherwise it was noticed later, and the last run may have ended long before. A frame may also outlive its last
/// run.
char *CoroutineSlices::endBody(char *at, Coroutine &coroutine, CoroutineId id, std::uint64_t ts,
                               const CoroutineSums::Gap &gap, bool isDeath)
{
    ts = std::max(ts, coroutine.since);
    if (coroutine.state == State::None || coroutine.state == State::Dead)
        return gap.any() ? writeGap(at, coroutine, id, gap, ts) : at;
    const bool isKnown = !gap.any() && (coroutine.isLane || coroutine.state != State::Running);
    End end{isKnown ? ts : coroutine.since, isKnown && !isDeath ? ts : coroutine.since};
    end.why = gap.any() ? "lost" : !isKnown ? "unknown" : isDeath ? "destroyed" : "finished";
    end.whyRun = isKnown && isDeath ? "unknown" : end.why;
    at = writeEnd(at, coroutine, id, end);
    return isKnown ? at : writeGap(at, coroutine, id, gap, ts);
}

void CoroutineSlices::consume(const Finish &finish)
{
    Coroutine &coroutine = at(finish.coroutine);
    if (!coroutine.hasChosenTrack)
        chooseTrackByHeld(coroutine, finish.coroutine);
    if (coroutine.state == State::Finished || coroutine.state == State::Dead)
        return;
    char *at = endBody(beginPieces(), coroutine, finish.coroutine, finish.ts, {}, false);
    coroutine.since = std::max(finish.ts, coroutine.since);
    coroutine.state = State::Finished;
    coroutine.kind = PointKind::Await;
    coroutine.location = m_introduced.ofSite(finish.site);
    coroutine.addr = 0;
    if (coroutine.track)
        at = m_encoder.begin(at, stateSlice(coroutine, finish.coroutine));
    m_output.end(at);
}

void CoroutineSlices::consume(const Death &death)
{
    Coroutine &coroutine = at(death.coroutine);
    if (!coroutine.hasChosenTrack && (m_held.contains(death.coroutine) || lossesAtEnd(death.coroutine).any()))
        chooseTrackByHeld(coroutine, death.coroutine);
    if (!coroutine.hasChosenTrack || coroutine.state == State::Dead)
        return;
    // Only now: the events that were held have shown the losses before them.
    const CoroutineSums::Gap gap = lossesAtEnd(death.coroutine);
    m_output.end(endBody(beginPieces(), coroutine, death.coroutine, death.ts, gap, true));
    coroutine.since = std::max(death.ts, coroutine.since);
    coroutine.state = State::Dead;
}

void CoroutineSlices::consume(const Flag &flag)
{
    const Coroutine &coroutine = at(flag.coroutine);
    if (!coroutine.track)
        return;
    Slice slice{coroutine.track, coroutine.since};
    slice.text = "contradictions in its station";
    slice.category = Category::Gap;
    slice.args.text(ArgName::Reason, flag.reason == Flag::Reason::TwoWriters ? "two writers" : "dialect contradiction");
    m_output.end(m_encoder.instant(beginPieces(), slice));
}

void CoroutineSlices::endTrace(Coroutine &coroutine, CoroutineId id, std::uint64_t now)
{
    const CoroutineSums::Gap gap = coroutine.state != State::Dead ? lossesAtEnd(id) : CoroutineSums::Gap();
    if (!coroutine.hasChosenTrack && (gap.any() || m_held.contains(id)))
        chooseTrackByHeld(coroutine, id);
    if (!coroutine.hasChosenTrack)
        return;
    m_leftOut.coroutines += coroutine.track ? 0 : 1;
    const bool isOpen = coroutine.state != State::None && coroutine.state != State::Dead;
    now = std::max(now, coroutine.since);
    char *at = beginPieces();
    if (isOpen) {
        End end{gap.any() ? coroutine.since : now, gap.any() ? coroutine.since : now};
        end.why = gap.any() ? "lost" : "";
        end.whyRun = end.why;
        end.isStillOpen = !gap.any();
        at = writeEnd(at, coroutine, id, end);
    }
    if (gap.any())
        at = writeGap(at, coroutine, id, gap, now, true);
    m_output.end(at);
}

/// Gives tracks to the coroutines without one that have waited longest: often the user looks for these.
void CoroutineSlices::showWaiting()
{
    std::vector<CoroutineId> waiting;
    for (CoroutineId id = 0; id < m_coroutines.size(); ++id) {
        const Coroutine &coroutine = m_coroutines[id];
        if (coroutine.hasChosenTrack && !coroutine.track && coroutine.state == State::Suspended &&
            !lossesAtEnd(id).any())
            waiting.push_back(id);
    }
    const std::size_t count = std::min<std::size_t>(waiting.size(), m_limits.waitingAtEnd);
    std::partial_sort(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(count), waiting.end(),
                      [this](CoroutineId a, CoroutineId b) {
                          return std::pair(m_coroutines[a].since, a) < std::pair(m_coroutines[b].since, b);
                      });
    waiting.resize(count);
    for (const CoroutineId id : waiting) {
        Coroutine &coroutine = m_coroutines[id];
        giveTrack(coroutine, id, coroutine.function, Tracks::Limit::Ignored);
        coroutine.isFirst = true;
        coroutine.hasWait = m_waits.find(id, coroutine.n) != nullptr;
        m_output.end(m_encoder.begin(beginPieces(), stateSlice(coroutine, id)));
        --m_leftOut.events;
    }
}

void CoroutineSlices::end(std::uint64_t now)
{
    for (CoroutineId id = 0; id < m_coroutines.size(); ++id) {
        if (m_held.contains(id))
            chooseTrackByHeld(m_coroutines[id], id);
    }
    showWaiting();
    for (CoroutineId id = 0; id < m_coroutines.size(); ++id)
        endTrace(m_coroutines[id], id, now);
    if (m_withoutBirth.hasChosenTrack)
        endTrace(m_withoutBirth, kNoCoroutine, now);
    m_leftOut.waits += m_waits.size();
}

}  // namespace ct::viewers
