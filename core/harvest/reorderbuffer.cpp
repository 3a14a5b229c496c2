// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/harvest/reorderbuffer.h"

namespace ct {

namespace {

constexpr std::size_t kSmallestTable = 1024;
/// Limit of steps in the search for an event's position. Lanes are read in order of time, so only a target that writes
/// nonsense needs more than a few.
constexpr int kMaxSteps = 4096;

std::size_t hashOf(std::uint64_t identity)
{
    return static_cast<std::size_t>(((identity ^ identity >> 32) * 0x9E37'79B9'7F4A'7C15ULL) >> 24);
}

}  // namespace

/// Returns the table index of an identity, or the one where it would be inserted.
std::size_t ReorderBuffer::placeOf(std::uint64_t identity) const
{
    const std::size_t mask = m_table.size() - 1;
    std::size_t at = hashOf(identity) & mask;
    while (m_table[at] != 0 && m_holds[m_table[at] - 1].identity != identity)
        at = (at + 1) & mask;
    return at;
}

Hold *ReorderBuffer::find(std::uint64_t identity)
{
    if (m_table.empty())
        return nullptr;
    const std::uint32_t entry = m_table[placeOf(identity)];
    return entry != 0 ? &m_holds[entry - 1] : nullptr;
}

void ReorderBuffer::grow()
{
    m_table.assign(m_table.empty() ? kSmallestTable : m_table.size() * 2, 0);
    for (std::size_t i = 0; i < m_holds.size(); ++i) {
        if (m_holds[i].used)
            m_table[placeOf(m_holds[i].identity)] = static_cast<std::uint32_t>(i + 1);
    }
}

Hold &ReorderBuffer::make(std::uint64_t identity, std::uint64_t barrier)
{
    if ((size() + 1) * 2 > m_table.size())
        grow();
    if (m_freeHolds.empty()) {
        m_freeHolds.push_back(static_cast<std::uint32_t>(m_holds.size()));
        m_holds.emplace_back();
    }
    const std::uint32_t index = m_freeHolds.back();
    m_freeHolds.pop_back();
    Hold &hold = m_holds[index];
    hold = {};
    hold.identity = identity;
    hold.barrier = barrier;
    hold.used = true;
    m_table[placeOf(identity)] = index + 1;
    return hold;
}

void ReorderBuffer::erase(Hold &hold)
{
    while (hold.first != Hold::kNone)
        popFirst(hold);
    const std::size_t mask = m_table.size() - 1;
    std::size_t hole = placeOf(hold.identity);
    m_freeHolds.push_back(m_table[hole] - 1);
    m_table[hole] = 0;
    hold.used = false;
    // Move the entries behind the gap up, so a search never ends too early.
    for (std::size_t at = (hole + 1) & mask; m_table[at] != 0; at = (at + 1) & mask) {
        const std::size_t home = hashOf(m_holds[m_table[at] - 1].identity) & mask;
        if (((at - home) & mask) < ((at - hole) & mask))
            continue;
        m_table[hole] = m_table[at];
        m_table[at] = 0;
        hole = at;
    }
}

bool ReorderBuffer::insert(Hold &hold, const Transition &transition, std::uint64_t barrier)
{
    const auto numberOf = [this](std::uint32_t event) { return m_events[event].transition.n; };
    std::uint32_t before = Hold::kNone;  // the predecessor; kNone inserts at the front
    if (hold.last != Hold::kNone && numberOf(hold.last) < transition.n) {
        before = hold.last;
    } else if (hold.first != Hold::kNone && numberOf(hold.first) <= transition.n) {
        before = hold.hint != Hold::kNone && numberOf(hold.hint) <= transition.n ? hold.hint : hold.first;
        int steps = 0;
        while (m_events[before].next != Hold::kNone && numberOf(m_events[before].next) <= transition.n) {
            before = m_events[before].next;
            if (++steps > kMaxSteps)
                return false;
        }
        if (numberOf(before) == transition.n)
            return false;
    }
    if (m_freeEvents == Hold::kNone) {
        m_freeEvents = static_cast<std::uint32_t>(m_events.size());
        m_events.emplace_back();
    }
    const std::uint32_t at = m_freeEvents;
    Event &event = m_events[at];
    m_freeEvents = event.next;
    event.transition = transition;
    event.barrier = barrier;
    std::uint32_t &link = before == Hold::kNone ? hold.first : m_events[before].next;
    event.next = link;
    link = at;
    if (event.next == Hold::kNone)
        hold.last = at;
    hold.hint = at;
    return true;
}

void ReorderBuffer::popFirst(Hold &hold)
{
    const std::uint32_t at = hold.first;
    hold.first = m_events[at].next;
    if (hold.first == Hold::kNone)
        hold.last = Hold::kNone;
    if (hold.hint == at)
        hold.hint = Hold::kNone;
    m_events[at].next = m_freeEvents;
    m_freeEvents = at;
}

bool ReorderBuffer::newestBefore(const Hold &hold, std::uint64_t barrier, std::uint64_t &n) const
{
    bool any = false;
    for (std::uint32_t at = hold.first; at != Hold::kNone; at = m_events[at].next) {
        if (m_events[at].barrier < barrier) {
            n = m_events[at].transition.n;
            any = true;
        }
    }
    return any;
}

void ReorderBuffer::newestUntil(const Hold &hold, std::uint64_t ns, std::uint64_t &end) const
{
    for (std::uint32_t at = hold.first; at != Hold::kNone && m_events[at].transition.ts < ns; at = m_events[at].next)
        end = m_events[at].transition.n + 1;
}

}  // namespace ct
