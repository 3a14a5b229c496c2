// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/objectnotes.h"

namespace ct {

void ObjectNotes::forgetWaits(CoroutineId id)
{
    const auto known = m_furtherWaits.find(id);
    if (known == m_furtherWaits.end())
        return;
    m_furtherWaitsCount -= known->second.size();
    m_furtherWaits.erase(known);
}

void ObjectNotes::addWait(const WaitsOn &waits)
{
    const auto known = m_furtherWaits.find(waits.coroutine);
    if (known != m_furtherWaits.end() && waits.n < known->second.front().n)
        return;  // of an earlier suspension: the lanes of several threads come in any order
    if (waits.indexOfPart() == 0 || (known != m_furtherWaits.end() && known->second.front().n != waits.n))
        forgetWaits(waits.coroutine);
    if (waits.indexOfPart() == 0 || m_furtherWaitsCount == kMostFurtherWaits)
        return;
    m_furtherWaits[waits.coroutine].push_back(waits);
    ++m_furtherWaitsCount;
}

void ObjectNotes::consume(const Batch &batch)
{
    const Notes &notes = batch.notes;
    // Deaths alone matter only where a wait could be forgotten. The writer reads its own container without the lock.
    if (notes.uses.empty() && notes.waits.empty() && (batch.deaths.empty() || m_furtherWaits.empty()))
        return;
    const std::scoped_lock lock(m_mutex);
    for (const Use &use : notes.uses)
        m_acquisitions.consume(use);
    for (const WaitsOn &waits : notes.waits)
        addWait(waits);
    for (const Death &death : batch.deaths)
        forgetWaits(death.coroutine);
}

std::vector<Use> ObjectNotes::holdersOf(std::uint32_t pid, std::uint64_t object) const
{
    const std::scoped_lock lock(m_mutex);
    return m_acquisitions.of(pid, object);
}

std::vector<Use> ObjectNotes::heldBy(CoroutineId id) const
{
    const std::scoped_lock lock(m_mutex);
    return m_acquisitions.by(id);
}

std::vector<WaitsOn> ObjectNotes::furtherWaits(CoroutineId id, std::uint64_t n) const
{
    const std::scoped_lock lock(m_mutex);
    const auto found = m_furtherWaits.find(id);
    return found != m_furtherWaits.end() && found->second.front().n == n ? found->second : std::vector<WaitsOn>{};
}

}  // namespace ct
