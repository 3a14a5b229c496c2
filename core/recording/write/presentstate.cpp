// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recording/write/presentstate.h"

#include <algorithm>

namespace ct::ctr {

void PresentState::addBirth(const Birth &birth)
{
    const std::uint32_t number = birth.coroutine >> kPageBits;
    if (number >= m_pages.size())
        m_pages.resize(number + 1);
    if (!m_pages[number]) {
        m_pages[number] = std::make_unique<Page>();
        m_pages[number]->indexes.fill(kNone);
    }
    auto index = static_cast<std::uint32_t>(m_living.size());
    if (m_free.empty()) {
        m_living.emplace_back();
    } else {
        index = m_free.back();
        m_free.pop_back();
        m_living[index] = Living{};
        if (index < m_causes.size())
            m_causes[index] = Causes{};
    }
    m_living[index].birth = birth;
    m_pages[number]->indexes[birth.coroutine & kPageMask] = index;
    ++m_pages[number]->used;
    m_born = std::max(m_born, birth.coroutine + 1);
}

/// Index in m_living; kNone = the coroutine is not alive.
std::uint32_t PresentState::indexOf(CoroutineId id) const
{
    const std::uint32_t number = id >> kPageBits;
    return number < m_pages.size() && m_pages[number] ? m_pages[number]->indexes[id & kPageMask] : kNone;
}

PresentState::Rare *PresentState::rareOf(CoroutineId id)
{
    return indexOf(id) == kNone ? nullptr : &m_rare[id];
}

PresentState::Causes *PresentState::causesOf(CoroutineId id)
{
    const std::uint32_t index = indexOf(id);
    if (index == kNone)
        return nullptr;
    if (index >= m_causes.size())
        m_causes.resize(std::max<std::size_t>(m_living.size(), 2 * m_causes.size()));
    return &m_causes[index];
}

void PresentState::remove(CoroutineId id)
{
    const std::uint32_t index = indexOf(id);
    if (index == kNone)
        return;
    std::unique_ptr<Page> &page = m_pages[id >> kPageBits];
    page->indexes[id & kPageMask] = kNone;
    m_free.push_back(index);
    if (--page->used == 0)
        page.reset();
    if (!m_rare.empty())
        m_rare.erase(id);
}

void PresentState::consumeNotes(const Notes &notes)
{
    m_processes.insert(m_processes.end(), notes.processes.begin(), notes.processes.end());
    m_ends.insert(m_ends.end(), notes.processEnds.begin(), notes.processEnds.end());
    for (const Process &process : notes.processes) {
        std::uint64_t &start = m_spans[process.pid].start;
        start = std::max(start, process.ts != 0 ? process.ts : m_now);
    }
    for (const ProcessEnd &end : notes.processEnds) {
        std::uint64_t &latest = m_spans[end.pid].end;
        latest = std::max(latest, end.ts);
    }
    for (const ThreadName &thread : notes.threadNames)
        m_threads[{thread.pid, thread.tid}] = thread.name;
    for (const Switch &change : notes.switches)
        m_switches[change.pid] = change;
    for (const CoroutineName &name : notes.names) {
        if (Rare *const rare = rareOf(name.coroutine))
            rare->name = name.name;
    }
    for (const Parent &parent : notes.parents) {
        if (const std::uint32_t index = indexOf(parent.coroutine); index != kNone)
            m_living[index].parent = parent.parent;
    }
    for (const Finish &finish : notes.finishes) {
        if (Rare *const rare = rareOf(finish.coroutine))
            rare->finish = finish;
    }
}

void PresentState::consumeCauses(const Notes &notes)
{
    for (const WaitsOn &waits : notes.waits) {
        Causes *const causes = causesOf(waits.coroutine);
        // The lanes of several threads come in any order, so a wait of an earlier suspension may come later.
        if (causes && waits.n < causes->waits.n)
            continue;
        if (causes && waits.indexOfPart() != 0 && causes->waits.n == waits.n) {
            std::vector<WaitsOn> &further = m_rare[waits.coroutine].furtherWaits;
            if (further.size() < kMostFurtherWaits)
                further.push_back(waits);
        } else if (causes) {
            causes->waits = waits;
            if (const auto found = m_rare.find(waits.coroutine); found != m_rare.end())
                found->second.furtherWaits.clear();
        }
    }
    for (const Wake &wake : notes.wakes) {
        if (Causes *const causes = causesOf(wake.coroutine); causes && wake.ts >= causes->wake.ts)
            causes->wake = wake;
    }
    for (const WakersLeft &left : notes.wakersLeft) {
        if (Causes *const causes = causesOf(left.coroutine))
            causes->wakersLeft = left;
    }
    for (const Use &use : notes.uses)
        m_acquisitions.consume(use);
}

void PresentState::consume(const Batch &batch)
{
    m_now = std::max(m_now, batch.now);
    m_sites.insert(m_sites.end(), batch.sites.begin(), batch.sites.end());
    for (const Birth &birth : batch.births)
        addBirth(birth);
    for (const Loss &loss : batch.losses) {
        if (Rare *const rare = rareOf(loss.coroutine))
            (loss.beforeAttach ? rare->missed : rare->lost) += loss.count;
    }
    for (const Transition &transition : batch.transitions) {
        if (const std::uint32_t index = indexOf(transition.coroutine); index != kNone) [[likely]]
            m_living[index].latest[transition.active] = transition;
    }
    consumeNotes(batch.notes);
    consumeCauses(batch.notes);
    m_samples.consume(batch.notes);
    for (const Flag &flag : batch.flags) {
        if (Rare *const rare = rareOf(flag.coroutine))
            rare->flag = flag.reason;
    }
    for (const Death &death : batch.deaths)
        remove(death.coroutine);
}

void PresentState::appendTo(Batch &batch, std::uint32_t index) const
{
    const Living &living = m_living[index];
    const CoroutineId id = living.birth.coroutine;
    batch.births.push_back(living.birth);
    const bool suspendedLast = living.latest[0].n > living.latest[1].n;
    for (const Transition &transition : {living.latest[suspendedLast], living.latest[!suspendedLast]}) {
        if (transition.coroutine != kNoCoroutine)
            batch.transitions.push_back(transition);
    }
    if (index < m_causes.size() && m_causes[index].waits.coroutine == id)
        batch.notes.waits.push_back(m_causes[index].waits);
    if (index < m_causes.size() && m_causes[index].wake.coroutine == id)
        batch.notes.wakes.push_back(m_causes[index].wake);
    if (index < m_causes.size() && m_causes[index].wakersLeft.coroutine == id)
        batch.notes.wakersLeft.push_back(m_causes[index].wakersLeft);
    if (living.parent != kNoCoroutine)
        batch.notes.parents.push_back({id, living.parent});
    const auto found = m_rare.find(id);
    if (found == m_rare.end())
        return;
    const Rare &rare = found->second;
    // A keyframe only counts missed and lost events, so their losses begin at event number 0.
    if (rare.missed != 0)
        batch.losses.push_back({id, 0, rare.missed, true});
    if (rare.lost != 0)
        batch.losses.push_back({id, rare.missed, rare.lost, false});
    if (!rare.name.empty())
        batch.notes.names.push_back({id, rare.name});
    batch.notes.waits.insert(batch.notes.waits.end(), rare.furtherWaits.begin(), rare.furtherWaits.end());
    if (rare.finish)
        batch.notes.finishes.push_back(*rare.finish);
    if (rare.flag)
        batch.flags.push_back({id, *rare.flag});
}

std::set<std::uint32_t> PresentState::endedProcesses() const
{
    std::set<std::uint32_t> gone;
    for (const auto &[pid, span] : m_spans) {
        if (span.end != 0 && span.end >= span.start && span.end + kLateRowsNs < m_now)
            gone.insert(pid);
    }
    for (const std::unique_ptr<Page> &page : m_pages) {
        if (gone.empty())
            break;
        if (!page)
            continue;
        for (const std::uint32_t index : page->indexes) {
            if (index != kNone)
                gone.erase(m_living[index].birth.pid);
        }
    }
    return gone;
}

void PresentState::removeProcesses(const std::set<std::uint32_t> &pids)
{
    const auto isOne = [&pids](const auto &row) { return pids.contains(row.pid); };
    const auto isKeyOfOne = [&pids](const auto &entry) { return pids.contains(entry.first); };
    std::erase_if(m_processes, isOne);
    std::erase_if(m_ends, isOne);
    std::erase_if(m_threads, [&pids](const auto &entry) { return pids.contains(entry.first.first); });
    std::erase_if(m_switches, isKeyOfOne);
    std::erase_if(m_spans, isKeyOfOne);
    m_samples.removeProcesses(pids);
}

Batch PresentState::keyframe() const
{
    Batch batch;
    batch.now = m_now;
    batch.sites = m_sites;
    batch.notes.processes = m_processes;
    batch.notes.processEnds = m_ends;
    for (const auto &[who, name] : m_threads)
        batch.notes.threadNames.push_back({who.first, who.second, name});
    for (const auto &[pid, change] : m_switches)
        batch.notes.switches.push_back(change);
    for (const std::unique_ptr<Page> &page : m_pages) {
        if (!page)
            continue;
        for (const std::uint32_t index : page->indexes) {
            if (index != kNone)
                appendTo(batch, index);
        }
    }
    m_samples.appendTo(batch.notes);
    batch.notes.uses = m_acquisitions.all();
    for (Use &use : batch.notes.uses) {
        if (!lives(use.by))
            use.by = kNoCoroutine;
    }
    return batch;
}

}  // namespace ct::ctr
