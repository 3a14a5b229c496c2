// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exporting/selectedstream.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace ct {

namespace {

constexpr std::uint64_t kAllNumbers = std::numeric_limits<std::uint64_t>::max();

template <class Row, class Predicate>
void copyIf(const std::vector<Row> &from, std::vector<Row> &to, const Predicate &predicate)
{
    std::copy_if(from.begin(), from.end(), std::back_inserter(to), predicate);
}

}  // namespace

SelectedStream::SelectedStream(Sink &sink, const TraceSelection &selection, const Population &population,
                               Unselected &unselected)
    : m_sink(sink), m_selection(selection), m_population(population), m_unselected(unselected)
{
    m_unselected.from = selection.from;
    m_unselected.to = selection.to;
}

Result<void> SelectedStream::consume(const Batch &batch)
{
    m_batch.clear();
    m_batch.now = std::min(batch.now, m_selection.to);
    m_batch.sites = batch.sites;
    addBirths(batch);
    addLosses(batch);
    for (const Transition &transition : batch.transitions)
        addTransition(transition);
    addNotes(batch.notes);
    addCauses(batch.notes);
    addEnds(batch);
    return m_sink.consume(m_batch);
}

void SelectedStream::addBirths(const Batch &batch)
{
    for (const Birth &birth : batch.births) {
        if (birth.coroutine >= m_coroutines.size())
            m_coroutines.resize(std::size_t{birth.coroutine} + 1);
        CoroutineSnapshot snapshot = m_population.at(birth.coroutine);
        snapshot.id = birth.coroutine;
        snapshot.birthTs = birth.birthTs;
        Coroutine &coroutine = m_coroutines[birth.coroutine];
        coroutine.isSelected = m_selection.hasCoroutine(snapshot);
        if (coroutine.isSelected)
            m_batch.births.push_back(birth);
        ++(coroutine.isSelected ? m_sums.coroutines : m_unselected.coroutines);
    }
}

void SelectedStream::addLosses(const Batch &batch)
{
    for (const Loss &loss : batch.losses) {
        if (isSelected(loss.coroutine))
            m_coroutines[loss.coroutine].losses.push_back(loss);
    }
}

/// Handles the losses before the number `end`: if `passes`, they pass; otherwise they count as not selected.
void SelectedStream::decideLosses(Coroutine &coroutine, std::uint64_t end, bool passes)
{
    std::size_t &next = coroutine.nextLoss;
    for (; next < coroutine.losses.size() && coroutine.losses[next].firstN < end; ++next) {
        const Loss &loss = coroutine.losses[next];
        if (!passes)
            continue;
        (loss.beforeAttach ? m_sums.missedBeforeAttach : m_sums.lost) += loss.count;
        m_batch.losses.push_back(loss);
    }
    if (next != coroutine.losses.size())
        return;
    coroutine.losses.clear();
    next = 0;
}

bool SelectedStream::selects(Coroutine &coroutine, const Transition &transition)
{
    if (transition.ts >= m_selection.to)
        coroutine.progress = Progress::Behind;
    if (coroutine.progress != Progress::Before || transition.ts < m_selection.from)
        return coroutine.progress == Progress::Within;
    coroutine.progress = Progress::Within;
    coroutine.firstN = transition.n;
    if (coroutine.hasEarlier) {
        m_unselected.firstNumbers[transition.coroutine] = transition.n;
        decideLosses(coroutine, transition.n, false);
    }
    return true;
}

void SelectedStream::addTransition(const Transition &transition)
{
    if (transition.coroutine >= m_coroutines.size() || !m_coroutines[transition.coroutine].isSelected) {
        ++m_unselected.events;
        return;
    }
    Coroutine &coroutine = m_coroutines[transition.coroutine];
    if (!selects(coroutine, transition)) {
        coroutine.hasEarlier = true;
        decideLosses(coroutine, transition.n, false);
        ++m_unselected.events;
        return;
    }
    decideLosses(coroutine, transition.n, true);
    coroutine.endN = transition.n + 1;
    m_batch.transitions.push_back(transition);
    ++m_sums.captured;
}

void SelectedStream::clearUnselected(CoroutineId &other) const
{
    if (!isSelected(other))
        other = kNoCoroutine;
}

/// Notes other than causes. Those about processes concern the whole run, so they pass.
void SelectedStream::addNotes(const Notes &notes)
{
    Notes &passed = m_batch.notes;
    const auto inTime = [this](const auto &row) { return isInTime(row.ts); };
    passed.processes = notes.processes;
    passed.threadNames = notes.threadNames;
    copyIf(notes.names, passed.names, [this](const CoroutineName &name) { return isSelected(name.coroutine); });
    copyIf(notes.parents, passed.parents,
           [this](const Parent &row) { return isSelected(row.coroutine) && isSelected(row.parent); });
    copyIf(notes.drops, passed.drops,
           [this](const Drop &drop) { return drop.firstTs < m_selection.to && drop.lastTs >= m_selection.from; });
    for (const Drop &drop : passed.drops)
        m_recordsDropped += drop.records;
    copyIf(notes.switches, passed.switches, inTime);
    copyIf(notes.processEnds, passed.processEnds, [this](const ProcessEnd &end) { return end.ts < m_selection.to; });
    copyIf(notes.threadSamples, passed.threadSamples, inTime);
    copyIf(notes.descriptorSamples, passed.descriptorSamples, inTime);
    copyIf(notes.processSamples, passed.processSamples, inTime);
}

/// The wait of a selected suspension.
void SelectedStream::addWait(WaitsOn waits)
{
    if (!isSelected(waits.coroutine))
        return;
    const Coroutine &coroutine = m_coroutines[waits.coroutine];
    if (waits.n < coroutine.firstN || waits.n >= coroutine.endN)
        return;
    clearUnselected(waits.target);
    m_batch.notes.waits.push_back(waits);
}

void SelectedStream::addCauses(const Notes &notes)
{
    Notes &passed = m_batch.notes;
    const auto ofSelected = [this](const auto &row) { return isSelected(row.coroutine) && isInTime(row.ts); };
    for (const WaitsOn &waits : notes.waits)
        addWait(waits);
    copyIf(notes.wakes, passed.wakes, ofSelected);
    for (Wake &wake : passed.wakes)
        clearUnselected(wake.by);
    // A thread without a coroutine can use an object, too.
    copyIf(notes.uses, passed.uses, [this](const Use &use) {
        const bool isOfSelected = use.by == kNoCoroutine ? m_selection.coroutines.empty() : isSelected(use.by);
        return isOfSelected && isInTime(use.ts);
    });
    copyIf(notes.wakersLeft, passed.wakersLeft, ofSelected);
    copyIf(notes.finishes, passed.finishes, ofSelected);
    m_causes += passed.causes();
    m_unselected.causes += notes.causes() - passed.causes();
}

/// Deaths. Events that were lost before one are selected if it is.
void SelectedStream::addEnds(const Batch &batch)
{
    copyIf(batch.flags, m_batch.flags, [this](const Flag &flag) { return isSelected(flag.coroutine); });
    for (const Death &death : batch.deaths) {
        if (!isSelected(death.coroutine) || death.ts >= m_selection.to)
            continue;
        decideLosses(m_coroutines[death.coroutine], kAllNumbers, true);
        m_batch.deaths.push_back(death);
    }
}

Result<void> SelectedStream::finish(const Accounting &accounting)
{
    m_batch.clear();
    for (Coroutine &coroutine : m_coroutines) {
        if (m_selection.to == TraceSelection::kNoEnd)
            decideLosses(coroutine, kAllNumbers, true);
    }
    if (!m_batch.losses.empty()) {
        if (Result<void> passed = m_sink.consume(m_batch); !passed)
            return passed;
    }
    Accounting sums = accounting;
    sums.captured = m_sums.captured;
    sums.coroutines = m_sums.coroutines;
    sums.lost = m_sums.lost;
    sums.missedBeforeAttach = m_sums.missedBeforeAttach;
    sums.lostWithoutCoroutine = sums.missedWithoutCoroutine = 0;
    if (m_selection.hasTimes())
        sums.recordsDropped = m_recordsDropped;
    m_sums = sums;
    return m_sink.finish(sums);
}

}  // namespace ct
