// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/databases/changingrows.h"

#include "core/base/utf8.h"
#include "core/stream/dialectname.h"

#include <algorithm>

namespace ct {

namespace {

Result<void> writeSite(RowStore &store, const Site &site)
{
    const std::string file = validUtf8(site.file);
    const std::string function = validUtf8(site.function);
    return store.add(Table::Sites, Row().number(site.id).text(file).known(site.line).known(site.column).text(function));
}

}  // namespace

void ChangingRows::addBatch(const Batch &batch, std::uint64_t events)
{
    const std::uint64_t eventsAfter = events + batch.transitions.size();
    addBirths(batch, events);
    for (const Site &site : batch.sites)
        m_changedSites.insert_or_assign(site.id, site);
    for (const CoroutineName &name : batch.notes.names) {
        if (change(name.coroutine))
            m_names[name.coroutine] = validUtf8(name.name);
    }
    for (const Parent &parent : batch.notes.parents) {
        if (Coroutine *const coroutine = change(parent.coroutine))
            coroutine->parent = parent.parent;
    }
    for (const Finish &finish : batch.notes.finishes) {
        if (Coroutine *const coroutine = change(finish.coroutine)) {
            coroutine->finishTs = finish.ts;
            coroutine->finishSite = finish.site;
            coroutine->finishedAfter = eventsAfter;
        }
    }
    for (const Flag &flag : batch.flags) {
        if (Coroutine *const coroutine = change(flag.coroutine))
            coroutine->isFlagged = true;
    }
    for (const Death &death : batch.deaths) {
        if (Coroutine *const coroutine = change(death.coroutine)) {
            coroutine->deathTs = death.ts;
            coroutine->diedAfter = eventsAfter;
        }
    }
    addProcesses(batch.notes, eventsAfter);
}

void ChangingRows::addBirths(const Batch &batch, std::uint64_t events)
{
    for (const Birth &birth : batch.births) {
        if (birth.coroutine == kNoCoroutine)
            continue;
        if (birth.coroutine >= m_coroutines.size())
            m_coroutines.resize(static_cast<std::size_t>(birth.coroutine) + 1);
        Coroutine &coroutine = m_coroutines[birth.coroutine];
        coroutine.station = birth.station;
        coroutine.generation = birth.generation;
        coroutine.dialect = birth.dialect;
        coroutine.bornAfter = events;
        if (!std::exchange(coroutine.isBorn, true)) {
            ++m_births;
            m_newborn.push_back(birth.coroutine);
        }
        (void)change(birth.coroutine);
    }
}

void ChangingRows::addProcesses(const Notes &notes, std::uint64_t eventsAfter)
{
    for (const ct::Process &process : notes.processes) {
        m_changedProcesses.insert(m_processes.size());
        m_processes.push_back({process.pid, process.ts, std::nullopt, validUtf8(process.name), eventsAfter, 0});
    }
    for (const ThreadName &thread : notes.threadNames)
        m_changedThreads[{thread.pid, thread.tid}] = validUtf8(thread.name);
    for (const ProcessEnd &end : notes.processEnds) {
        // The system reuses pids: the end belongs to the oldest process with this pid that has no end yet.
        auto ended = std::find_if(m_processes.begin(), m_processes.end(),
                                  [&](const Process &process) { return process.pid == end.pid && !process.endTs; });
        if (ended == m_processes.end())
            ended = m_processes.insert(ended, {end.pid, 0, std::nullopt, {}, std::nullopt, 0});
        ended->endTs = end.ts;
        ended->endedAfter = eventsAfter;
        m_changedProcesses.insert(static_cast<std::size_t>(ended - m_processes.begin()));
    }
}

/// Marks the coroutine as changed. Returns nullptr if it has no birth.
ChangingRows::Coroutine *ChangingRows::change(CoroutineId id)
{
    if (id >= m_coroutines.size() || !m_coroutines[id].isBorn)
        return nullptr;
    Coroutine &coroutine = m_coroutines[id];
    if (!std::exchange(coroutine.isChanged, true))
        m_changed.push_back(id);
    return &coroutine;
}

Result<void> ChangingRows::writeCoroutine(RowStore &store, const CoroutineSums &sums, CoroutineId id) const
{
    const Coroutine &coroutine = m_coroutines[id];
    const CoroutineSums::Entry &entry = sums.entry(id);
    const auto name = m_names.find(id);
    return store.add(Table::Coroutines, Row()
                                            .number(id)
                                            .number(entry.probeId)
                                            .known(entry.pid)
                                            .number(coroutine.station)
                                            .number(coroutine.generation)
                                            .text(dialectName(coroutine.dialect))
                                            .known(entry.birthTs)
                                            .numberIf(coroutine.deathTs.has_value(), coroutine.deathTs.value_or(0))
                                            .number(coroutine.isFlagged ? 1 : 0)
                                            .number(entry.events)
                                            .number(entry.lost)
                                            .number(entry.missed)
                                            .number(entry.unexplained)
                                            .textIfAny(name != m_names.end() ? name->second : std::string_view())
                                            .numberIf(coroutine.parent != kNoCoroutine, coroutine.parent)
                                            .numberIf(coroutine.finishTs.has_value(), coroutine.finishTs.value_or(0))
                                            .known(coroutine.finishSite)
                                            .number(coroutine.bornAfter)
                                            .numberIf(coroutine.deathTs.has_value(), coroutine.diedAfter)
                                            .numberIf(coroutine.finishTs.has_value(), coroutine.finishedAfter));
}

Result<void> ChangingRows::writeProcess(RowStore &store, std::size_t index) const
{
    const Process &process = m_processes[index];
    return store.add(Table::Processes, Row()
                                           .number(index + 1)
                                           .number(process.pid)
                                           .textIfAny(process.name)
                                           .known(process.firstTs)
                                           .numberIf(process.endTs.has_value(), process.endTs.value_or(0))
                                           .numberIf(process.after.has_value(), process.after.value_or(0))
                                           .numberIf(process.endTs.has_value(), process.endedAfter));
}

Result<void> ChangingRows::writeChanged(RowStore &store, const CoroutineSums &sums)
{
    Result<void> written;
    const auto writeAll = [&written](const auto &rows, const auto &write) {
        for (auto row = rows.begin(); written && row != rows.end(); ++row)
            written = write(*row);
    };
    writeAll(m_changedSites, [&](const auto &site) { return writeSite(store, site.second); });
    writeAll(m_changedProcesses, [&](std::size_t index) { return writeProcess(store, index); });
    writeAll(m_changedThreads, [&](const auto &thread) {
        return store.add(Table::Threads,
                         Row().number(thread.first.first).number(thread.first.second).text(thread.second));
    });
    writeAll(m_changed, [&](CoroutineId id) {
        m_coroutines[id].isChanged = false;
        return writeCoroutine(store, sums, id);
    });
    m_changedSites.clear();
    m_changedProcesses.clear();
    m_changedThreads.clear();
    m_changed.clear();
    return written;
}

void ChangingRows::takeBackBirths()
{
    for (const CoroutineId id : m_newborn)
        m_coroutines[id] = {};
    m_births -= m_newborn.size();
    m_newborn.clear();
    std::erase_if(m_changed, [this](CoroutineId id) { return !m_coroutines[id].isBorn; });
}

Result<void> ChangingRows::writeLast(RowStore &store, const CoroutineSums &sums)
{
    std::set<std::uint32_t> unnamed;
    for (CoroutineId id = 0; id < m_coroutines.size(); ++id) {
        const CoroutineSums::Entry &entry = sums.entry(id);
        if ((entry.events | entry.lost | entry.missed | entry.unexplained) != 0)
            (void)change(id);
        if (m_coroutines[id].isBorn && entry.pid != 0)
            unnamed.insert(entry.pid);
    }
    for (const Process &process : m_processes)
        unnamed.erase(process.pid);
    for (const std::uint32_t pid : unnamed) {
        m_changedProcesses.insert(m_processes.size());
        m_processes.push_back({pid, 0, std::nullopt, {}, std::nullopt, 0});
    }
    return writeChanged(store, sums);
}

}  // namespace ct
