// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/objecthistory.h"

#include <algorithm>

namespace ct {

namespace {

/// The latest signal or release of the object has woken several waiters.
void enterBroadcast(ObjectState &state)
{
    state.wakesSeveral = true;
    state.wokenByBroadcast = std::max(state.wokenByBroadcast, state.wokenSince);
    const std::uint64_t ts = state.satisfied().ts;
    if (ts < state.broadcasts.back() + ObjectState::kBroadcastGapNs)
        return;
    std::shift_left(state.broadcasts.begin(), state.broadcasts.end(), 1);
    state.broadcasts.back() = ts;
}

void enterAcquisition(ObjectState &state, const Use &use)
{
    const std::size_t next = state.acquisitionCount++ % ObjectState::kMostAcquisitions;
    if (next == state.acquisitions.size())
        state.acquisitions.emplace_back();
    state.acquisitions[next] = {use.ts, use.by};
}

}  // namespace

Result<void> ObjectHistory::consume(const Batch &batch)
{
    const Notes &notes = batch.notes;
    // The writer reads its own containers without the lock.
    const bool anyDied = !batch.deaths.empty() && !m_known.empty();
    if (notes.waits.empty() && notes.uses.empty() && notes.wakes.empty() && !anyDied)
        return {};
    const std::scoped_lock lock(m_mutex);
    m_hasWakes = m_hasWakes || !notes.wakes.empty();
    // All waits first: a wake names the suspension that it ended, so it finds its own among them.
    for (const WaitsOn &wait : notes.waits)
        addWait(wait);
    auto use = notes.uses.begin();
    for (const Wake &wake : notes.wakes) {
        for (; use != notes.uses.end() && use->ts <= wake.ts; ++use)
            addUse(*use);
        addWake(wake);
    }
    std::for_each(use, notes.uses.end(), [this](const Use &last) { addUse(last); });
    for (const Death &death : batch.deaths)
        addDeath(death);
    if (m_objects.size() > kMost)
        forgetOldObjects();
    if (m_waiting > kMost || m_known.size() > 2 * kMost)
        forgetWaits();
    return {};
}

void ObjectHistory::addWait(const WaitsOn &wait)
{
    Known &known = m_known[wait.coroutine];
    known.latestWaits.add({static_cast<std::uint32_t>(wait.n + 1), wait.kind, wait.object});
    if (wait.kind == WaitKind::Timer || wait.kind == WaitKind::Coroutine)
        return;  // the population knows the state of these
    std::vector<Wait> &waits = known.waits;
    m_waiting += waits.empty() ? 1 : 0;
    if (waits.size() == kMostWaits)
        waits.erase(waits.begin());
    waits.push_back({wait.n, wait.object});
}

void ObjectHistory::addDeath(const Death &death)
{
    const auto found = m_known.find(death.coroutine);
    if (found == m_known.end())
        return;
    m_waiting -= found->second.waits.empty() ? 0 : 1;
    m_known.erase(found);
}

void ObjectHistory::addUse(const Use &use)
{
    ObjectState &state = m_objects[{use.pid, use.object}];
    if (use.kind != UseKind::Acquired) {
        state.satisfiedBefore = state.satisfied().ts;
        if (use.by != kNoCoroutine)
            m_known[use.by].signals.add({use.ts, use.object});
    }
    switch (use.kind) {
    case UseKind::Acquired:
        state.acquired = use;
        enterAcquisition(state, use);
        if (state.holders.size() < ObjectState::kMostHolders)
            state.holders.push_back(use.by);
        else
            state.releasedByOthers = true;
        return;
    case UseKind::Released:
        state.released = use;
        if (const auto holder = std::find(state.holders.begin(), state.holders.end(), use.by);
            holder != state.holders.end())
            state.holders.erase(holder);
        else
            state.releasedByOthers = true;
        break;
    case UseKind::Signalled:
        state.signalsBySame = use.by == state.signalled.by ? state.signalsBySame + 1 : 1;
        state.signalled = use;
        ++state.signals;
        break;
    }
    state.wokenSince = 0;
}

void ObjectHistory::addWake(const Wake &wake)
{
    Known &known = m_known[wake.coroutine];
    RecentCauses::Woken woken{wake.ts, wake.by, std::nullopt};
    const auto &waits = known.latestWaits.rows();
    const auto waited = std::find_if(waits.begin(), waits.end(), [&wake](const RecentCauses::Waited &one) {
        return one.nextN != 0 && one.nextN == static_cast<std::uint32_t>(wake.n);
    });
    if (waited != waits.end())
        woken.waited = waited->kind;
    for (const Wait &wait : known.waits) {
        if (wait.n + 1 != wake.n)
            continue;
        ObjectState &state = m_objects[{wake.pid, wait.object}];
        state.woke = wake;
        ++state.wokenSince;
        if (state.wokenSince > 1 && state.satisfied().ts != 0)
            enterBroadcast(state);
        if (woken.by == kNoCoroutine && state.satisfied().ts != 0)
            woken.by = state.satisfied().by;
    }
    known.wakes.add(woken);
    m_waiting -= known.waits.empty() ? 0 : 1;
    std::erase_if(known.waits, [&wake](const Wait &wait) { return wait.n < wake.n; });
    m_waiting += known.waits.empty() ? 0 : 1;
}

/// A half, so that the cost for each further object is constant.
void ObjectHistory::forgetOldObjects()
{
    const auto latest = [](const ObjectState &state) {
        return std::max({state.acquired.ts, state.satisfied().ts, state.woke.ts});
    };
    std::vector<std::uint64_t> times;
    times.reserve(m_objects.size());
    for (const auto &[key, state] : m_objects)
        times.push_back(latest(state));
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    m_forgotten += std::erase_if(m_objects, [&](const auto &entry) { return latest(entry.second) < *middle; });
}

/// Coroutines without waits first. That is enough, or a half of the others follows: so the cost for each further wait
/// is constant.
void ObjectHistory::forgetWaits()
{
    std::erase_if(m_known, [](const auto &entry) { return entry.second.waits.empty(); });
    if (m_waiting <= kMost)
        return;
    m_forgotten += m_waiting - kMost / 2;
    for (auto entry = m_known.begin(); m_known.size() > kMost / 2;)
        entry = m_known.erase(entry);
    m_waiting = m_known.size();
}

std::optional<ObjectState> ObjectHistory::stateOf(std::uint32_t pid, std::uint64_t object) const
{
    const std::scoped_lock lock(m_mutex);
    const auto found = m_objects.find({pid, object});
    return found != m_objects.end() ? std::optional(found->second) : std::nullopt;
}

ObjectHistory::Waiters ObjectHistory::unwokenWaiters() const
{
    Waiters waiters;
    const std::scoped_lock lock(m_mutex);
    for (const auto &[coroutine, known] : m_known)
        for (const Wait &wait : known.waits)
            waiters[wait.object].push_back({coroutine, wait.n});
    return waiters;
}

std::optional<RecentCauses> ObjectHistory::recentOf(CoroutineId id) const
{
    const std::scoped_lock lock(m_mutex);
    const auto found = m_known.find(id);
    if (found == m_known.end())
        return std::nullopt;
    const Known &known = found->second;
    return RecentCauses{known.latestWaits.oldestFirst(), known.wakes.oldestFirst(), known.signals.oldestFirst()};
}

bool ObjectHistory::hasWakes() const
{
    const std::scoped_lock lock(m_mutex);
    return m_hasWakes;
}

std::uint64_t ObjectHistory::forgotten() const
{
    const std::scoped_lock lock(m_mutex);
    return m_forgotten;
}

}  // namespace ct
