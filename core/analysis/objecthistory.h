// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What happened to each object that a target reports: its latest uses, and which of its waiters were woken after them.
#pragma once

#include "core/stream/stream.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
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

    /// The latest use that lets a waiter continue: a signal or a release.
    const Use &satisfied() const { return signalled.ts >= released.ts ? signalled : released; }
};

/// What a coroutine did last, as far as the target reported. Times 0 stand for none.
struct RecentCauses {
    /// A wake of the coroutine.
    struct Woken {
        std::uint64_t ts = 0;
        /// The coroutine that woke it, else the one that signalled or released what it waited for. kNoCoroutine: a
        /// thread.
        CoroutineId by = kNoCoroutine;
        std::optional<WaitKind> waited;  ///< what the suspension waited for; nullopt: not reported
    };
    struct Signalled {
        std::uint64_t ts = 0;
        std::uint64_t object = 0;
    };
    struct Waited {
        std::uint32_t nextN = 0;  ///< number of the event after the suspension, its low bits; 0 = none
        WaitKind kind = WaitKind::Unknown;
        std::uint64_t object = 0;
    };
    std::array<Waited, 4> waits{};  ///< oldest first, as all here; several of one suspension, if it reported several
    std::array<Woken, 8> wakes{};
    std::array<Signalled, 4> signals{};  ///< by the coroutine; releases, too
};

/// A Sink for the causes of a run. One writer; any thread may read. A mutex protects the contents, because they are
/// containers: the writer locks it once for a batch with causes, and readers copy single objects.
class ObjectHistory final : public Sink {
public:
    /// Objects and waits of coroutines remembered. Beyond, the older half is forgotten.
    static constexpr std::size_t kMost = 1U << 18;
    /// Waits of one coroutine that were not followed by a wake.
    static constexpr std::size_t kMostWaits = 16;

    /// Writer only.
    Result<void> consume(const Batch &batch) override;

    // Any thread.

    /// Returns nullopt for an object without a use and without a wake of its waiters.
    std::optional<ObjectState> stateOf(std::uint32_t pid, std::uint64_t object) const;
    /// A suspension that waited for an object and was not woken, as far as the target reported.
    struct Waiter {
        CoroutineId coroutine = kNoCoroutine;
        std::uint64_t n = 0;  ///< number of the suspension
    };
    using Waiters = std::unordered_map<std::uint64_t, std::vector<Waiter>>;
    /// Returns all waiters by the object's address, past ones included. Some may be of other processes.
    Waiters unwokenWaiters() const;
    /// Returns nullopt for a coroutine that has ended, or has no causes.
    std::optional<RecentCauses> recentOf(CoroutineId id) const;
    bool hasWakes() const;            ///< the target reports wakes
    std::uint64_t forgotten() const;  ///< objects and waits that were forgotten

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
    struct Wait {
        std::uint64_t n = 0;  ///< number of the suspension
        std::uint64_t object = 0;
    };
    /// The latest rows of a few, without moving them.
    template <class Row, std::size_t count>
    class Latest {
    public:
        void add(const Row &row)
        {
            m_rows[m_next] = row;
            m_next = (m_next + 1) % count;
        }
        const std::array<Row, count> &rows() const { return m_rows; }
        std::array<Row, count> oldestFirst() const
        {
            std::array<Row, count> rows = m_rows;
            std::rotate(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(m_next), rows.end());
            return rows;
        }

    private:
        std::size_t m_next = 0;
        std::array<Row, count> m_rows{};
    };
    /// What is remembered about one coroutine.
    struct Known {
        /// The latest waits, oldest first, without woken ones. Keeps its memory, because the coroutine soon needs it
        /// again.
        std::vector<Wait> waits;
        Latest<RecentCauses::Waited, 4> latestWaits;
        Latest<RecentCauses::Woken, 8> wakes;
        Latest<RecentCauses::Signalled, 4> signals;
    };
    void addWait(const WaitsOn &wait);
    void addUse(const Use &use);
    void addWake(const Wake &wake);
    void addDeath(const Death &death);
    void forgetOldObjects();
    void forgetWaits();

    mutable std::mutex m_mutex;
    std::unordered_map<Key, ObjectState, Hash> m_objects;
    std::unordered_map<CoroutineId, Known> m_known;
    std::size_t m_waiting = 0;  ///< coroutines in m_known that have waits
    std::uint64_t m_forgotten = 0;
    bool m_hasWakes = false;
};

}  // namespace ct
