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
std::size_t ReorderBuffer::tableIndexOf(std::uint64_t identity) const
{
    const std::size_t mask = m_table.size() - 1;
    std::size_t at = hashOf(identity) & mask;
    while (m_table[at] != 0 && m_waitLists[m_table[at] - 1].identity != identity)
        at = (at + 1) & mask;
    return at;
}

WaitList *ReorderBuffer::findWaitList(std::uint64_t identity)
{
    if (m_table.empty())
        return nullptr;
    const std::uint32_t entry = m_table[tableIndexOf(identity)];
    return entry != 0 ? &m_waitLists[entry - 1] : nullptr;
}

void ReorderBuffer::grow()
{
    m_table.assign(m_table.empty() ? kSmallestTable : m_table.size() * 2, 0);
    for (std::size_t i = 0; i < m_waitLists.size(); ++i) {
        if (m_waitLists[i].used)
            m_table[tableIndexOf(m_waitLists[i].identity)] = static_cast<std::uint32_t>(i + 1);
    }
}

WaitList &ReorderBuffer::make(std::uint64_t identity, std::uint64_t barrier)
{
    if ((size() + 1) * 2 > m_table.size())
        grow();
    if (m_freeWaitLists.empty()) {
        m_freeWaitLists.push_back(static_cast<std::uint32_t>(m_waitLists.size()));
        m_waitLists.emplace_back();
    }
    const std::uint32_t index = m_freeWaitLists.back();
    m_freeWaitLists.pop_back();
    WaitList &waitList = m_waitLists[index];
    waitList = {};
    waitList.identity = identity;
    waitList.barrier = barrier;
    waitList.used = true;
    m_table[tableIndexOf(identity)] = index + 1;
    return waitList;
}

void ReorderBuffer::erase(WaitList &waitList)
{
    while (waitList.first != WaitList::kNone)
        popFirst(waitList);
    const std::size_t mask = m_table.size() - 1;
    std::size_t freed = tableIndexOf(waitList.identity);
    m_freeWaitLists.push_back(m_table[freed] - 1);
    m_table[freed] = 0;
    waitList.used = false;
    // Move later entries up into the freed cell, so a search never ends too early.
    for (std::size_t at = (freed + 1) & mask; m_table[at] != 0; at = (at + 1) & mask) {
        const std::size_t home = hashOf(m_waitLists[m_table[at] - 1].identity) & mask;
        if (((at - home) & mask) < ((at - freed) & mask))
            continue;
        m_table[freed] = m_table[at];
        m_table[at] = 0;
        freed = at;
    }
}

bool ReorderBuffer::insert(WaitList &waitList, const Transition &transition, std::uint64_t barrier)
{
    const auto numberOf = [this](std::uint32_t event) { return m_events[event].transition.n; };
    std::uint32_t before = WaitList::kNone;  // the predecessor; kNone inserts at the front
    if (waitList.last != WaitList::kNone && numberOf(waitList.last) < transition.n) {
        before = waitList.last;
    } else if (waitList.first != WaitList::kNone && numberOf(waitList.first) <= transition.n) {
        before = waitList.hint != WaitList::kNone && numberOf(waitList.hint) <= transition.n ? waitList.hint
                                                                                             : waitList.first;
        int steps = 0;
        while (m_events[before].next != WaitList::kNone && numberOf(m_events[before].next) <= transition.n) {
            before = m_events[before].next;
            if (++steps > kMaxSteps)
                return false;
        }
        if (numberOf(before) == transition.n)
            return false;
    }
    if (m_freeEvents == WaitList::kNone) {
        m_freeEvents = static_cast<std::uint32_t>(m_events.size());
        m_events.emplace_back();
    }
    const std::uint32_t at = m_freeEvents;
    Event &event = m_events[at];
    m_freeEvents = event.next;
    event.transition = transition;
    event.barrier = barrier;
    std::uint32_t &link = before == WaitList::kNone ? waitList.first : m_events[before].next;
    event.next = link;
    link = at;
    if (event.next == WaitList::kNone)
        waitList.last = at;
    waitList.hint = at;
    return true;
}

void ReorderBuffer::popFirst(WaitList &waitList)
{
    const std::uint32_t at = waitList.first;
    waitList.first = m_events[at].next;
    if (waitList.first == WaitList::kNone)
        waitList.last = WaitList::kNone;
    if (waitList.hint == at)
        waitList.hint = WaitList::kNone;
    m_events[at].next = m_freeEvents;
    m_freeEvents = at;
}

bool ReorderBuffer::newestBefore(const WaitList &waitList, std::uint64_t barrier, std::uint64_t &n) const
{
    bool any = false;
    for (std::uint32_t at = waitList.first; at != WaitList::kNone; at = m_events[at].next) {
        if (m_events[at].barrier < barrier) {
            n = m_events[at].transition.n;
            any = true;
        }
    }
    return any;
}

void ReorderBuffer::newestUntil(const WaitList &waitList, std::uint64_t ns, std::uint64_t &end) const
{
    for (std::uint32_t at = waitList.first; at != WaitList::kNone && m_events[at].transition.ts < ns;
         at = m_events[at].next)
        end = m_events[at].transition.n + 1;
}

}  // namespace ct
