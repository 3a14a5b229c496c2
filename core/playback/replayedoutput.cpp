// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/playback/replayedoutput.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ct {

namespace {

/// Counts the piece itself, too, because many small pieces would need much memory.
std::size_t costOf(const ctr::OutputPiece &piece)
{
    return piece.bytes.size() + sizeof(piece);
}

}  // namespace

ctr::OutputPiece ReplayedOutput::takeFirst(Queue &queue)
{
    ctr::OutputPiece first = std::move(queue.pieces.front());
    queue.pieces.pop_front();
    queue.bytes -= costOf(first);
    return first;
}

void ReplayedOutput::appendPiece(Queue &queue, ctr::OutputPiece piece, std::size_t most)
{
    queue.bytes += costOf(piece);
    queue.pieces.push_back(std::move(piece));
    while (queue.bytes > most && queue.pieces.size() > 1) {
        const std::string bytes = takeFirst(queue).bytes;
        m_linesLeftOut += static_cast<std::uint64_t>(std::count(bytes.begin(), bytes.end(), '\n'));
    }
}

void ReplayedOutput::addPiece(ctr::OutputPiece piece)
{
    const std::lock_guard lock(m_mutex);
    if (m_pending.pieces.empty() && piece.ts <= m_until)
        appendPiece(m_due, std::move(piece), kMostDue);
    else
        appendPiece(m_pending, std::move(piece), kMostPending);
}

void ReplayedOutput::release(std::uint64_t until)
{
    const std::lock_guard lock(m_mutex);
    m_until = std::max(m_until, until);
    while (!m_pending.pieces.empty() && m_pending.pieces.front().ts <= m_until)
        appendPiece(m_due, takeFirst(m_pending), kMostDue);
}

std::optional<std::uint64_t> ReplayedOutput::pendingSince() const
{
    const std::lock_guard lock(m_mutex);
    return m_pending.pieces.empty() ? std::nullopt : std::optional(m_pending.pieces.front().ts);
}

ReplayedOutput::DueOutput ReplayedOutput::takeDueOutput()
{
    const std::lock_guard lock(m_mutex);
    DueOutput taken;
    taken.pieces.assign(std::make_move_iterator(m_due.pieces.begin()), std::make_move_iterator(m_due.pieces.end()));
    m_due = {};
    taken.linesLeftOut = std::exchange(m_linesLeftOut, 0);
    return taken;
}

}  // namespace ct
