// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/harvest/addednotes.h"

#include <algorithm>
#include <iterator>

namespace ct {

namespace {

std::size_t rowsOf(const Notes &notes)
{
    return notes.threadSamples.size() + notes.descriptorSamples.size() + notes.processSamples.size() +
           notes.finishes.size();
}

bool dies(const Batch &batch, CoroutineId id)
{
    return std::any_of(batch.deaths.begin(), batch.deaths.end(),
                       [id](const Death &death) { return death.coroutine == id; });
}

template <class Row>
void append(std::vector<Row> &to, const std::vector<Row> &from)
{
    to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

AddedNotes::~AddedNotes()
{
    receive();
}

void AddedNotes::add(std::uint64_t ts, Notes &&notes)
{
    auto added = std::make_unique<Added>();
    added->ts = ts;
    added->notes = std::move(notes);
    m_waiting.fetch_add(rowsOf(added->notes), std::memory_order_relaxed);
    m_added.push(added.release());
}

void AddedNotes::receive()
{
    const std::size_t before = m_received.size();
    for (Added *added = m_added.takeAll(); added; added = added->below)
        m_received.emplace(m_received.begin() + static_cast<std::ptrdiff_t>(before), added);
}

void AddedNotes::take(Batch &batch)
{
    receive();
    while (!m_received.empty() && m_received.front()->ts <= batch.now) {
        const Notes &notes = m_received.front()->notes;
        append(batch.notes.threadSamples, notes.threadSamples);
        append(batch.notes.descriptorSamples, notes.descriptorSamples);
        append(batch.notes.processSamples, notes.processSamples);
        std::copy_if(notes.finishes.begin(), notes.finishes.end(), std::back_inserter(batch.notes.finishes),
                     [&batch](const Finish &finish) { return !dies(batch, finish.coroutine); });
        m_waiting.fetch_sub(rowsOf(notes), std::memory_order_relaxed);
        m_received.pop_front();
    }
}

}  // namespace ct
