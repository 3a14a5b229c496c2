// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
#include "reader/src/rows.h"

#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

namespace ct {

namespace {

// The rows of the interface have the same size with every compiler and in every version.
static_assert(sizeof(ctr_site) == 48 && sizeof(ctr_birth) == 40 && sizeof(ctr_loss) == 24 && sizeof(ctr_death) == 16);
static_assert(sizeof(ctr_flag) == 8 && sizeof(ctr_name) == 24 && sizeof(ctr_parent) == 8 && sizeof(ctr_wait) == 32);
static_assert(sizeof(ctr_wake) == 32 && sizeof(ctr_drop) == 32 && sizeof(ctr_switch) == 16);
static_assert(sizeof(ctr_process) == 32 && sizeof(ctr_process_end) == 16 && sizeof(ctr_thread_name) == 24);
static_assert(sizeof(ctr_use) == 48 && sizeof(ctr_wakers_left) == 32 && sizeof(ctr_finish) == 16);
static_assert(sizeof(ctr_output) == 24 && sizeof(ctr_block) == 40 && sizeof(ctr_damage) == 32);

// Nearly all rows are transitions. Equal layouts allow copying them with memcpy.
static_assert(sizeof(ctr_transition) == 48 && sizeof(Transition) == sizeof(ctr_transition));
static_assert(std::is_trivially_copyable_v<Transition> && std::is_standard_layout_v<Transition>);
static_assert(offsetof(Transition, ts) == offsetof(ctr_transition, ts));
static_assert(offsetof(Transition, addr) == offsetof(ctr_transition, addr));
static_assert(offsetof(Transition, n) == offsetof(ctr_transition, n));
static_assert(offsetof(Transition, seq) == offsetof(ctr_transition, seq));
static_assert(offsetof(Transition, coroutine) == offsetof(ctr_transition, coroutine));
static_assert(offsetof(Transition, tid) == offsetof(ctr_transition, tid));
static_assert(offsetof(Transition, site) == offsetof(ctr_transition, site));
static_assert(offsetof(Transition, kind) == offsetof(ctr_transition, kind) && sizeof(PointKind) == 1);
static_assert(offsetof(Transition, active) == offsetof(ctr_transition, active) && sizeof(bool) == 1);

static_assert(static_cast<int>(PointKind::Yield) == CTR_YIELD && static_cast<int>(PointKind::Final) == CTR_FINAL);
static_assert(static_cast<int>(Dialect::Lane) == CTR_DIALECT_LANE);
static_assert(static_cast<int>(Flag::Reason::DialectContradiction) == CTR_DIALECT_CONTRADICTION);
static_assert(static_cast<int>(WaitKind::Coroutine) == CTR_WAIT_COROUTINE);
static_assert(static_cast<int>(UseKind::Signalled) == CTR_SIGNALLED);
static_assert(static_cast<int>(WaitKind::Other) == CTR_WAIT_OTHER && kNoCoroutine == CTR_NONE);

ctr_site rowOf(const Site &site)
{
    return {site.id, site.line, site.column, 0, textOf(site.file), textOf(site.function)};
}
ctr_birth rowOf(const Birth &birth)
{
    return {birth.probeId,
            birth.birthTs,
            birth.coroutine,
            birth.station,
            birth.generation,
            birth.pid,
            static_cast<std::uint32_t>(birth.dialect),
            0};
}
ctr_loss rowOf(const Loss &loss)
{
    return {loss.firstN, loss.count, loss.coroutine, loss.beforeAttach};
}
ctr_death rowOf(const Death &death)
{
    return {death.ts, death.coroutine, 0};
}
ctr_flag rowOf(const Flag &flag)
{
    return {flag.coroutine, static_cast<std::uint32_t>(flag.reason)};
}
ctr_name rowOf(const CoroutineName &name)
{
    return {name.coroutine, 0, textOf(name.name)};
}
ctr_parent rowOf(const Parent &parent)
{
    return {parent.coroutine, parent.parent};
}
ctr_wait rowOf(const WaitsOn &wait)
{
    return {wait.n, wait.object, wait.coroutine, wait.target, static_cast<std::uint32_t>(wait.kind), wait.part};
}
ctr_wake rowOf(const Wake &wake)
{
    return {wake.n, wake.ts, wake.coroutine, wake.by, wake.pid, wake.tid};
}
ctr_use rowOf(const Use &use)
{
    return {use.n, use.object, use.ts, use.by, static_cast<std::uint32_t>(use.kind), use.site, use.pid, use.tid, 0};
}
ctr_wakers_left rowOf(const WakersLeft &left)
{
    return {left.n, left.count, left.ts, left.coroutine, 0};
}
ctr_finish rowOf(const Finish &finish)
{
    return {finish.ts, finish.coroutine, finish.site};
}
ctr_drop rowOf(const Drop &drop)
{
    return {drop.records, drop.firstTs, drop.lastTs, drop.pid, drop.tid};
}
ctr_switch rowOf(const Switch &change)
{
    return {change.ts, change.pid, change.on};
}
ctr_process rowOf(const Process &process)
{
    return {process.ts, process.pid, 0, textOf(process.name)};
}
ctr_process_end rowOf(const ProcessEnd &end)
{
    return {end.ts, end.pid, 0};
}
ctr_thread_name rowOf(const ThreadName &name)
{
    return {name.pid, name.tid, textOf(name.name)};
}
template <class Enum>
std::uint32_t as32(Enum value)
{
    return static_cast<std::uint32_t>(value);
}
ctr_thread_sample rowOf(const ThreadSample &sample)
{
    return {sample.ts,  sample.object,      sample.cpuNs,      sample.runDelayNs, sample.pid,
            sample.tid, as32(sample.state), as32(sample.call), sample.isTimed,    0};
}
ctr_descriptor_sample rowOf(const DescriptorSample &sample)
{
    return {sample.ts,         sample.pending, sample.deadline, sample.pid,      sample.descriptor, sample.epoll,
            as32(sample.kind), sample.events,  sample.tcpState, sample.readEnds, sample.canWrite,   0};
}
ctr_process_sample rowOf(const ProcessSample &sample)
{
    return {sample.ts,
            sample.descriptorsTs,
            sample.stoppedSince,
            sample.pid,
            sample.threads,
            sample.areThreadsKnown,
            sample.areCallsKnown,
            sample.areDescriptorsKnown,
            0,
            sample.machineSuspendedNs};
}
ctr_output rowOf(const ctr::OutputPiece &piece)
{
    return {piece.ts, textOf(piece.bytes)};
}

}  // namespace

ctr_text textOf(std::string_view text)
{
    return {text.empty() ? "" : text.data(), text.size()};
}

ctr_sums sumsOf(const Accounting &sums)
{
    ctr_sums row{};
    row.captured = sums.captured;
    row.lost = sums.lost;
    row.missed_before_attach = sums.missedBeforeAttach;
    row.coroutines = sums.coroutines;
    row.coroutines_missed = sums.coroutinesMissed;
    row.untraced = sums.untraced;
    row.born_while_off = sums.bornWhileOff;
    row.born_before_init = sums.bornBeforeInit;
    row.flagged = sums.flaggedStations;
    row.sites_dropped = sums.sitesDropped;
    row.records_dropped = sums.recordsDropped;
    row.notes_dropped = sums.notesEvicted;
    row.notes_lost = sums.notesLost;
    row.not_written = sums.eventsNotWritten;
    row.times_approximate = sums.timesApproximate ? 1 : 0;
    row.lost_without_coroutine = sums.lostWithoutCoroutine;
    row.missed_without_coroutine = sums.missedWithoutCoroutine;
    return row;
}

template <class From, class To, class Row>
void Rows::put(const From &from, To &to, const Row *&rows, std::size_t &count)
{
    if (m_isNew)
        to.clear();
    for (const auto &row : from)
        to.push_back(rowOf(row));
    rows = to.data();
    count = to.size();
    m_count += from.size();
}

void Rows::clear()
{
    m_isNew = true;
    m_count = 0;
    m_texts.clear();
}

void Rows::keepTexts(Batch &batch, std::vector<ctr::OutputPiece> &outputs)
{
    Notes &notes = batch.notes;
    // Moving a vector leaves its elements, and so the texts in them, where they are.
    if (!batch.sites.empty() || !notes.names.empty() || !notes.processes.empty() || !notes.threadNames.empty() ||
        !outputs.empty())
        m_texts.push_back({std::move(batch.sites), std::move(notes.names), std::move(notes.processes),
                           std::move(notes.threadNames), std::move(outputs)});
}

const ctr_batch *Rows::append(const Batch &batch, const std::vector<ctr::OutputPiece> &outputs)
{
    m_batch.now = batch.now;
    const std::size_t before = m_isNew ? 0 : m_transitions.size();
    m_transitions.resize(before + batch.transitions.size());
    if (!batch.transitions.empty())
        std::memcpy(m_transitions.data() + before, batch.transitions.data(),
                    batch.transitions.size() * sizeof(ctr_transition));
    m_batch.transitions = m_transitions.data();
    m_batch.transition_count = m_transitions.size();
    m_count += batch.transitions.size();
    put(batch.sites, m_sites, m_batch.sites, m_batch.site_count);
    put(batch.births, m_births, m_batch.births, m_batch.birth_count);
    put(batch.losses, m_losses, m_batch.losses, m_batch.loss_count);
    put(batch.deaths, m_deaths, m_batch.deaths, m_batch.death_count);
    put(batch.flags, m_flags, m_batch.flags, m_batch.flag_count);
    put(batch.notes.names, m_names, m_batch.names, m_batch.name_count);
    put(batch.notes.parents, m_parents, m_batch.parents, m_batch.parent_count);
    put(batch.notes.waits, m_waits, m_batch.waits, m_batch.wait_count);
    put(batch.notes.wakes, m_wakes, m_batch.wakes, m_batch.wake_count);
    put(batch.notes.uses, m_uses, m_batch.uses, m_batch.use_count);
    put(batch.notes.wakersLeft, m_wakersLeft, m_batch.wakers_left, m_batch.wakers_left_count);
    put(batch.notes.finishes, m_finishes, m_batch.finishes, m_batch.finish_count);
    put(batch.notes.drops, m_drops, m_batch.drops, m_batch.drop_count);
    put(batch.notes.switches, m_switches, m_batch.switches, m_batch.switch_count);
    put(batch.notes.processes, m_processes, m_batch.processes, m_batch.process_count);
    put(batch.notes.processEnds, m_processEnds, m_batch.process_ends, m_batch.process_end_count);
    put(batch.notes.threadNames, m_threadNames, m_batch.thread_names, m_batch.thread_name_count);
    put(batch.notes.threadSamples, m_threadSamples, m_batch.thread_samples, m_batch.thread_sample_count);
    put(batch.notes.descriptorSamples, m_descriptorSamples, m_batch.descriptor_samples,
        m_batch.descriptor_sample_count);
    put(batch.notes.processSamples, m_processSamples, m_batch.process_samples, m_batch.process_sample_count);
    put(outputs, m_outputs, m_batch.outputs, m_batch.output_count);
    m_isNew = false;
    return &m_batch;
}

}  // namespace ct
