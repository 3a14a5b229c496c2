// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/harvest/pendingnotes.h"

namespace ct {

namespace {

/// Limit of waiting notes. Only a target that writes nonsense exceeds it.
constexpr std::size_t kMost = 4'194'304;

}  // namespace

bool PendingNotes::keep(const PendingNote &note)
{
    if (m_notes.size() >= kMost)
        return false;
    const std::uint64_t number = m_first + m_notes.size();
    m_notes.push_back({note, 0, false});
    const auto [found, isFirst] = m_chains.try_emplace(note.awaited, Chain{number, number});
    if (!isFirst) {
        at(found->second.last).next = number;
        found->second.last = number;
    }
    return true;
}

std::optional<PendingNote> PendingNotes::takeNoteOf(std::uint64_t identity)
{
    const auto found = m_chains.find(identity);
    if (found == m_chains.end())
        return std::nullopt;
    Chain &chain = found->second;
    Kept &kept = at(chain.first);
    kept.taken = true;
    const PendingNote note = kept.note;
    if (chain.first == chain.last)
        m_chains.erase(found);
    else
        chain.first = kept.next;
    dropTaken();
    return note;
}

std::optional<PendingNote> PendingNotes::takeDueNote(std::uint64_t ns)
{
    // The front was not removed, so it is the first of its chain.
    if (m_notes.empty() || m_notes.front().note.due >= ns)
        return std::nullopt;
    return takeNoteOf(m_notes.front().note.awaited);
}

void PendingNotes::dropTaken()
{
    for (; !m_notes.empty() && m_notes.front().taken; ++m_first)
        m_notes.pop_front();
}

}  // namespace ct
