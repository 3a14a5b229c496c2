// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What happened to each object that a target reports: its latest uses, and which of its waiters were woken after them.
#pragma once

#include "core/base/idtable.h"
#include "core/stream/stream.h"

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ct {

/// The history of one object of a process. A Use with time 0 stands for none.
struct ObjectState {
    Use acquired;  ///< the latest of its kind, here and below
    Use released;
    Use signalled;
    std::uint64_t signals = 0;
    std::uint64_t signalsBySame = 0;    ///< the latest ones in a row by the coroutine of `signalled`
    std::uint64_t satisfiedBefore = 0;  ///< ns: the signal or release before the latest; 0 = none
    /// The latest wake of a coroutine that waited for the object; ts 0 = none.
    Wake woke;
    /// Wakes of its waiters since the latest signal or release.
    std::uint32_t wokenSince = 0;
    /// The coroutines that hold it, as far as reported; at most kMostHolders.
    std::vector<CoroutineId> holders;
    static constexpr std::size_t kMostHolders = 16;
    /// The latest acquisitions, at most kMostAcquisitions, in any order.
    struct Acquisition {
        std::uint64_t ts = 0;
        CoroutineId by = kNoCoroutine;
    };
    std::vector<Acquisition> acquisitions;
    std::uint64_t acquisitionCount = 0;
    static constexpr std::size_t kMostAcquisitions = 32;
    /// A coroutine that does not hold the object released it, as with a semaphore that signals; or it had more holders
    /// than can be remembered. So `holders` says nothing about who can release it.
    bool releasedByOthers = false;
    /// One signal or release was followed by wakes of several waiters, before the next one: a broadcast.
    bool wakesSeveral = false;
    /// Times (ns) of the latest broadcasts, oldest first, some of them only: kBroadcastGapNs apart or more. 0 = none.
    std::array<std::uint64_t, 8> broadcasts{};
    static constexpr std::uint64_t kBroadcastGapNs = 250'000'000;
    std::uint32_t wokenByBroadcast = 0;  ///< most waiters that one broadcast woke
    /// Wakes of waiters, and those of waiters that an earlier signal or release had perhaps passed over: another one
    /// came between the coroutine's wake before and this one. A bus that wakes by the kind of a message does so.
    std::uint32_t wakes = 0;
    std::uint32_t wakesAfterOthers = 0;

    /// The latest use that lets a waiter continue: a signal or a release.
    const Use &satisfied() const { return signalled.ts >= released.ts ? signalled : released; }
};

/// False for a time, a coroutine and a descriptor: samples and the population say whether they have come.
constexpr bool canBeSignalled(WaitKind kind)
{
    return kind != WaitKind::Timer && kind != WaitKind::Coroutine && kind != WaitKind::Descriptor;
}

/// What a coroutine did last, as far as the target reported. All rows oldest first; an empty row stands for none.
struct alignas(64) RecentCauses {
    struct Waited {
        std::uint64_t object = 0;
        std::uint32_t nextN = 0;  ///< number of the event after the suspension, its low bits; 0 = none
        WaitKind kind = WaitKind::Unknown;
        /// Nothing has woken the coroutine from this wait or from a later one. Timers, coroutines and descriptors do
        /// not count: no one signals them.
        bool isOpen = false;
    };
    /// A wake of the coroutine.
    struct Woken {
        std::uint64_t ts = 0;  ///< 0 = none
        /// The coroutine that woke it, else the one that signalled or released what it waited for. kNoCoroutine: a
        /// thread.
        CoroutineId by = kNoCoroutine;
        std::optional<WaitKind> waited;  ///< what the suspension waited for; nullopt: not reported
    };
    struct Signalled {
        std::uint64_t ts = 0;  ///< 0 = none
        std::uint64_t object = 0;
    };
    std::array<Waited, 4> waits{};  ///< several of one suspension, if it reported several
    std::array<Woken, 8> wakes{};
    std::array<Signalled, 4> signals{};  ///< by the coroutine; releases, too
};
/// A wait needs one cache line, and a wake three. 100,000 coroutines do not fit into the cache of a core.
static_assert(sizeof(RecentCauses) == 256);

/// A Sink for the causes of a run. One writer; any thread may read. A mutex protects the contents, because they are
/// containers: the writer locks it once for a batch with causes, and readers copy single objects.
class ObjectHistory final : public Sink {
public:
    /// Objects that are remembered. Beyond, the older half is forgotten.
    static constexpr std::size_t kMost = 1U << 18;
    /// Most coroutines whose causes are kept. If there are more, those without an open wait are forgotten; if that is
    /// not enough, others as well.
    static constexpr std::size_t kMostCoroutines = 1U << 19;
    /// Waits of one coroutine that were not followed by a wake.
    static constexpr std::size_t kMostWaits = 16;

    /// Writer only.
    Result<void> consume(const Batch &batch) override;

    // Any thread.

    /// Returns nullopt for an object without a use and without a wake of its waiters.
    std::optional<ObjectState> stateOf(std::uint32_t pid, std::uint64_t object) const;
    using Waiters = std::unordered_map<std::uint64_t, std::vector<CoroutineId>>;
    /// Returns by the object's address the coroutines that waited for it and were not woken, as far as the target
    /// reported; past waits included. Some may be of other processes.
    Waiters unwokenWaiters() const;
    /// Returns nullopt for a coroutine that has ended, or has no causes.
    std::optional<RecentCauses> recentOf(CoroutineId id) const;
    /// A wait that ended by the first wake after a signal or release.
    struct Served {
        std::uint64_t satisfiedAt = 0;      ///< ns, CLOCK_MONOTONIC
        std::uint64_t satisfiedBefore = 0;  ///< see ObjectState
        Wake woke;
    };
    /// Such waits of a process: the latest of each coroutine, of kMostServed coroutines at most.
    std::vector<Served> served(std::uint32_t pid) const;
    static constexpr std::size_t kMostServed = 1024;
    bool hasWakes() const;  ///< the target reports wakes
    std::uint64_t forgottenObjects() const;
    std::uint64_t forgottenWaits() const;  ///< coroutines whose open waits were forgotten
    /// True if the history of the object may lack earlier uses, because it was forgotten. Never wrongly false.
    bool wasForgotten(std::uint32_t pid, std::uint64_t object) const;

private:
    struct Key {
        std::uint32_t pid;
        std::uint64_t object;
        bool operator==(const Key &) const = default;
    };
    struct Hash {
        std::size_t operator()(const Key &key) const
        {
            return static_cast<std::size_t>((key.object ^ std::uint64_t{key.pid} << 40) * 0x9E37'79B9'7F4A'7C15U >> 20);
        }
    };
    void addUsesAndWakes(const Notes &notes);
    void addWait(const WaitsOn &wait, RecentCauses &known);
    void addUse(const Use &use, ObjectState &state);
    void addWake(const Wake &wake, RecentCauses &known);
    void enterWake(const Wake &wake, std::uint64_t before, RecentCauses::Waited &wait, RecentCauses::Woken &woken);
    void keepOlder(CoroutineId id, const RecentCauses::Waited &wait);
    bool isWaiting(CoroutineId id, const RecentCauses &known) const;
    ObjectState &objectAt(const Key &key);
    void addDeath(const Death &death);
    void forgetOldObjects();
    static std::size_t forgottenBit(const Key &key) { return Hash()(key) % kForgottenBits; }
    void forgetCoroutines();

    mutable std::mutex m_mutex;
    std::unordered_map<Key, ObjectState, Hash> m_objects;
    /// The entry that was needed last: a signal and the wake that follows it need the same one.
    std::pair<Key, ObjectState *> m_latestObject{};
    IdTable<RecentCauses> m_known;
    /// Open waits for which RecentCauses::waits has no room. Few coroutines have any.
    std::unordered_map<CoroutineId, std::vector<RecentCauses::Waited>> m_olderWaits;
    /// One bit for each object that was forgotten, at a place that others may share; empty until the first.
    std::vector<bool> m_forgotten;
    static constexpr std::size_t kForgottenBits = 1U << 22;
    std::vector<Served> m_served;  ///< by the low bits of the coroutine's id; empty until the first
    std::uint64_t m_forgottenObjects = 0;
    std::uint64_t m_forgottenWaits = 0;
    bool m_hasWakes = false;
};

}  // namespace ct
