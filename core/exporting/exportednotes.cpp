// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exporting/exportednotes.h"

#include "core/exporting/exportedsamples.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace ct {

namespace {

constexpr std::uint64_t kCausesAtOnce = 8192;

}  // namespace

void ExportedNotes::begin()
{
    m_end = m_history.noteCount();
    m_written.resize(m_coroutines.size());
}

void ExportedNotes::addProcesses(Notes &to) const
{
    for (ProcessSnapshot &process : m_population.processes()) {
        if (process.firstTs != 0 || process.endTs != 0 || !process.name.empty())
            to.processes.push_back({process.pid, process.firstTs, std::move(process.name)});
    }
    to.threadNames = m_population.threadNames();
    to.drops = m_population.drops();
    addSwitches(0, to);
}

void ExportedNotes::addSwitches(std::uint64_t after, Notes &to) const
{
    for (const Switch &change : m_population.switches()) {
        if (change.ts > after)
            to.switches.push_back(change);
    }
}

void ExportedNotes::addProcessEnds(Notes &to) const
{
    for (const ProcessSnapshot &process : m_population.processes()) {
        if (process.endTs != 0)
            to.processEnds.push_back({process.pid, process.endTs});
    }
}

void ExportedNotes::addSamples(Notes &to) const
{
    ExportedSamples(m_population).addRemembered(to);
}

void ExportedNotes::addNameAndParent(CoroutineId id, Notes &to) const
{
    if (m_population.hasName(id))
        to.names.push_back({id, m_population.notes(id).name});
    const CoroutineId parent = m_population.parentOf(id);
    if (parent < id && isExported(parent))
        to.parents.push_back({id, parent});
}

void ExportedNotes::addRecorded(const Notes &causes, Notes &to)
{
    m_recorded += causes.causes();
    addCauses(causes, to);
}

bool ExportedNotes::addNext(Notes &to)
{
    Notes causes;
    const std::uint64_t most = std::min(kCausesAtOnce, m_end - std::min(m_position, m_end));
    if (most == 0 || !m_history.readNotes(m_position, most, causes)) {
        m_evicted = m_end - std::min(m_end, m_read);
        return false;
    }
    const std::uint64_t behind = m_position - std::min(m_position, m_end);  // causes newer than the export
    const std::uint64_t count = causes.causes();
    m_read += count - std::min(count, behind);
    addCauses(std::move(causes), to);
    return true;
}

void ExportedNotes::addLatest(CoroutineId id, Notes &to)
{
    if (!hasRecord(id))
        return;
    const CoroutineNotes notes = m_population.notes(id);
    if (notes.parent != kNoCoroutine && notes.parent > id && isExported(notes.parent))
        to.parents.push_back({id, notes.parent});
    if (m_evicted != 0 && notes.waitsOn && !m_written[id].hasWait && isExported(notes.waitsOn->target)) {
        to.waits.push_back(*notes.waitsOn);
        --m_evicted;
    }
    if (m_evicted != 0 && notes.lastWake && !m_written[id].hasWake && isExported(notes.lastWake->by)) {
        to.wakes.push_back(*notes.lastWake);
        --m_evicted;
    }
    // An ended state without a final suspension comes from a finish.
    if (m_evicted != 0 && !m_written[id].hasFinish) {
        const CoroutineSnapshot snapshot = m_population.at(id);
        if (snapshot.state == CoroutineState::Finished && snapshot.kind != PointKind::Final) {
            to.finishes.push_back({id, snapshot.since, snapshot.site});
            --m_evicted;
        }
    }
}

/// Adds causes of exported coroutines.
void ExportedNotes::addCauses(Notes causes, Notes &to)
{
    // The note is useful even if its other coroutine is not exported.
    const auto clearUnexported = [this](CoroutineId &other) {
        if (other < m_coroutines.size() && !hasRecord(other))
            other = kNoCoroutine;
    };
    for (WaitsOn &waits : causes.waits)
        clearUnexported(waits.target);
    for (Wake &wake : causes.wakes)
        clearUnexported(wake.by);
    for (Use &use : causes.uses)
        clearUnexported(use.by);
    std::erase_if(causes.waits,
                  [this](const WaitsOn &waits) { return !hasRecord(waits.coroutine) || !isExported(waits.target); });
    std::erase_if(causes.wakes,
                  [this](const Wake &wake) { return !hasRecord(wake.coroutine) || !isExported(wake.by); });
    std::erase_if(causes.uses, [this](const Use &use) { return !isExported(use.by); });
    const auto hasNoRecord = [this](const auto &row) { return !hasRecord(row.coroutine); };
    std::erase_if(causes.wakersLeft, hasNoRecord);
    std::erase_if(causes.finishes, hasNoRecord);
    for (const Finish &finish : causes.finishes)
        m_written[finish.coroutine].hasFinish = true;
    for (const WaitsOn &waits : causes.waits)
        m_written[waits.coroutine].hasWait = true;
    for (const Wake &wake : causes.wakes)
        m_written[wake.coroutine].hasWake = true;
    to.waits = std::move(causes.waits);
    to.wakes = std::move(causes.wakes);
    to.uses = std::move(causes.uses);
    to.wakersLeft = std::move(causes.wakersLeft);
    to.finishes = std::move(causes.finishes);
}

}  // namespace ct
