// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/objecthistory.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <utility>

namespace ct {

namespace {

/// Asks for the memory of `value`. Always inline, because g++ 12 removes calls of functions that do nothing else.
template <class T>
[[gnu::always_inline]] inline void prefetch(const T &value)
{
    constexpr std::size_t kCacheLine = 64;
    for (std::size_t at = 0; at < sizeof(T); at += kCacheLine)
        __builtin_prefetch(reinterpret_cast<const std::byte *>(&value) + at, 1);
}

/// Finds the values of rows ahead of the one that is added, so that their memory is in the cache in time. By blocks: in
/// a short loop, the processor waits for several of them at once.
template <class Row, class Value, class Find>
class FoundAhead {
public:
    FoundAhead(const std::vector<Row> &rows, Find find) : m_rows(rows), m_find(std::move(find)) {}

    /// Call for each row in turn.
    Value &of(std::size_t index)
    {
        if (index + kBlock >= m_next)
            for (const std::size_t end = std::min(m_next + kBlock, m_rows.size()); m_next < end; ++m_next)
                m_found[m_next % m_found.size()] = m_find(m_rows[m_next]);
        return *m_found[index % m_found.size()];
    }

private:
    static constexpr std::size_t kBlock = 32;
    const std::vector<Row> &m_rows;
    const Find m_find;
    std::size_t m_next = 0;
    std::array<Value *, 2 * kBlock> m_found{};
};

template <class Value, class Row, class Find>
FoundAhead<Row, Value, Find> foundAhead(const std::vector<Row> &rows, Find find)
{
    return {rows, std::move(find)};
}

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

/// Removes the oldest row.
template <class Row, std::size_t count>
void append(std::array<Row, count> &rows, const Row &row)
{
    std::shift_left(rows.begin(), rows.end(), 1);
    rows.back() = row;
}

/// True if the wake is from this wait, or from a later one.
bool hasPassed(const Wake &wake, const RecentCauses::Waited &wait)
{
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(wake.n) - wait.nextN) >= 0;
}

bool isLater(const RecentCauses::Waited &one, const RecentCauses::Waited &other)
{
    return one.nextN != 0 && static_cast<std::int32_t>(one.nextN - other.nextN) > 0;
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
    auto waiters = foundAhead<RecentCauses>(notes.waits, [this](const WaitsOn &wait) {
        RecentCauses &known = m_known[wait.coroutine];
        prefetch(known.waits);
        return &known;
    });
    for (std::size_t i = 0; i < notes.waits.size(); ++i)
        addWait(notes.waits[i], waiters.of(i));
    addUsesAndWakes(notes);
    for (const Death &death : batch.deaths)
        addDeath(death);
    if (m_objects.size() > kMost)
        forgetOldObjects();
    if (m_known.size() > kMostCoroutines)
        forgetCoroutines();
    return {};
}

/// In the order of their times.
void ObjectHistory::addUsesAndWakes(const Notes &notes)
{
    auto objects = foundAhead<ObjectState>(notes.uses, [this](const Use &use) {
        if (const RecentCauses *const by = m_known.find(use.by))
            prefetch(by->signals);
        ObjectState &state = m_objects[{use.pid, use.object}];
        prefetch(state.signalled);
        prefetch(state.woke);
        return &state;
    });
    auto woken = foundAhead<RecentCauses>(notes.wakes, [this](const Wake &wake) {
        RecentCauses &known = m_known[wake.coroutine];
        prefetch(known.waits);
        prefetch(known.wakes);
        return &known;
    });
    std::size_t use = 0;
    const auto addUsesUntil = [&](std::uint64_t ts) {
        for (; use < notes.uses.size() && notes.uses[use].ts <= ts; ++use)
            addUse(notes.uses[use], objects.of(use));
    };
    for (std::size_t i = 0; i < notes.wakes.size(); ++i) {
        addUsesUntil(notes.wakes[i].ts);
        addWake(notes.wakes[i], woken.of(i));
    }
    addUsesUntil(std::numeric_limits<std::uint64_t>::max());
}

bool ObjectHistory::isWaiting(CoroutineId id, const RecentCauses &known) const
{
    return std::any_of(known.waits.begin(), known.waits.end(), [](const auto &wait) { return wait.isOpen; }) ||
           m_olderWaits.contains(id);
}

void ObjectHistory::addWait(const WaitsOn &wait, RecentCauses &known)
{
    if (known.waits.front().isOpen)
        keepOlder(wait.coroutine, known.waits.front());
    append(known.waits, {wait.object, static_cast<std::uint32_t>(wait.n + 1), wait.kind, canBeSignalled(wait.kind)});
    // The waits of a coroutine that changed its thread come from several lanes, and in any order within a batch.
    for (std::size_t i = known.waits.size() - 1; i != 0 && isLater(known.waits[i - 1], known.waits[i]); --i)
        std::swap(known.waits[i - 1], known.waits[i]);
}

void ObjectHistory::keepOlder(CoroutineId id, const RecentCauses::Waited &wait)
{
    std::vector<RecentCauses::Waited> &older = m_olderWaits[id];
    if (older.size() + RecentCauses().waits.size() == kMostWaits)
        older.erase(older.begin());
    older.push_back(wait);
}

void ObjectHistory::addDeath(const Death &death)
{
    m_olderWaits.erase(death.coroutine);
    m_known.erase(death.coroutine);
}

ObjectState &ObjectHistory::objectAt(const Key &key)
{
    if (!m_latestObject.second || !(m_latestObject.first == key))
        m_latestObject = {key, &m_objects[key]};
    return *m_latestObject.second;
}

void ObjectHistory::addUse(const Use &use, ObjectState &state)
{
    m_latestObject = {{use.pid, use.object}, &state};
    if (use.kind != UseKind::Acquired) {
        state.satisfiedBefore = state.satisfied().ts;
        if (use.by != kNoCoroutine)
            append(m_known[use.by].signals, {use.ts, use.object});
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
        else if (const auto unknown = std::find(state.holders.begin(), state.holders.end(), kNoCoroutine);
                 unknown != state.holders.end())
            state.holders.erase(unknown);  // a coroutine that starts at once is not known before its first suspension
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

void ObjectHistory::addWake(const Wake &wake, RecentCauses &known)
{
    RecentCauses::Woken woken{wake.ts, wake.by, std::nullopt};
    const std::uint64_t before = known.wakes.back().ts;
    if (const auto found = m_olderWaits.find(wake.coroutine); found != m_olderWaits.end()) {
        for (RecentCauses::Waited &wait : found->second)
            enterWake(wake, before, wait, woken);
        if (std::erase_if(found->second, [](const auto &wait) { return !wait.isOpen; }); found->second.empty())
            m_olderWaits.erase(found);
    }
    for (RecentCauses::Waited &wait : known.waits)
        enterWake(wake, before, wait, woken);
    append(known.wakes, woken);
}

/// Enters the wake of a coroutine in one of its waits, and in the object of that wait. `before`: its wake before (ns).
void ObjectHistory::enterWake(const Wake &wake, std::uint64_t before, RecentCauses::Waited &wait,
                              RecentCauses::Woken &woken)
{
    if (wait.nextN == 0 || !hasPassed(wake, wait))
        return;
    const bool wasOpen = std::exchange(wait.isOpen, false);
    if (wait.nextN != static_cast<std::uint32_t>(wake.n))
        return;
    if (!woken.waited)
        woken.waited = wait.kind;
    if (!wasOpen)
        return;
    ObjectState &state = objectAt({wake.pid, wait.object});
    state.woke = wake;
    ++state.wokenSince;
    ++state.wakes;
    state.wakesAfterOthers += before != 0 && state.satisfiedBefore > before ? 1 : 0;
    if (state.satisfied().ts != 0) {
        if (state.wokenSince > 1) {
            enterBroadcast(state);
        } else {
            m_served.resize(kMostServed);
            m_served[wake.coroutine % kMostServed] = {state.satisfied().ts, state.satisfiedBefore, wake};
        }
    }
    if (woken.by == kNoCoroutine && state.satisfied().ts != 0)
        woken.by = state.satisfied().by;
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
    m_forgotten.resize(kForgottenBits);
    m_forgottenObjects += std::erase_if(m_objects, [&](const auto &entry) {
        const bool isOld = latest(entry.second) < *middle;
        if (isOld)
            m_forgotten[forgottenBit(entry.first)] = true;
        return isOld;
    });
    m_latestObject = {};
}

/// Coroutines without open waits first. That is enough, or the older ones of the others follow: so the cost for each
/// further coroutine is constant.
void ObjectHistory::forgetCoroutines()
{
    m_known.forEach([this](CoroutineId id, const RecentCauses &known) {
        if (!isWaiting(id, known))
            m_known.erase(id);
    });
    if (m_known.size() <= kMostCoroutines / 2)
        return;
    m_known.forEach([this](CoroutineId id, const RecentCauses &) {
        if (m_known.size() <= kMostCoroutines / 4)
            return;
        addDeath({id, 0});
        ++m_forgottenWaits;
    });
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
    m_known.forEach([&waiters](CoroutineId id, const RecentCauses &known) {
        for (const RecentCauses::Waited &wait : known.waits)
            if (wait.isOpen)
                waiters[wait.object].push_back(id);
    });
    for (const auto &[id, waits] : m_olderWaits)
        for (const RecentCauses::Waited &wait : waits)
            waiters[wait.object].push_back(id);
    return waiters;
}

std::optional<RecentCauses> ObjectHistory::recentOf(CoroutineId id) const
{
    const std::scoped_lock lock(m_mutex);
    const RecentCauses *const known = m_known.find(id);
    return known ? std::optional(*known) : std::nullopt;
}

std::vector<ObjectHistory::Served> ObjectHistory::served(std::uint32_t pid) const
{
    std::vector<Served> served;
    const std::scoped_lock lock(m_mutex);
    std::copy_if(m_served.begin(), m_served.end(), std::back_inserter(served),
                 [pid](const Served &one) { return one.satisfiedAt != 0 && one.woke.pid == pid; });
    return served;
}

bool ObjectHistory::hasWakes() const
{
    const std::scoped_lock lock(m_mutex);
    return m_hasWakes;
}

std::uint64_t ObjectHistory::forgottenObjects() const
{
    const std::scoped_lock lock(m_mutex);
    return m_forgottenObjects;
}

std::uint64_t ObjectHistory::forgottenWaits() const
{
    const std::scoped_lock lock(m_mutex);
    return m_forgottenWaits;
}

bool ObjectHistory::wasForgotten(std::uint32_t pid, std::uint64_t object) const
{
    const std::scoped_lock lock(m_mutex);
    return !m_forgotten.empty() && m_forgotten[forgottenBit({pid, object})];
}

}  // namespace ct
