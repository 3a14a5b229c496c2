// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What happened to each object that a target reports: its latest uses, and which of its waiters were woken after them.
#pragma once

#include "core/stream/stream.h"

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
    /// The latest wake of a coroutine that waited for the object; ts 0 = none.
    Wake woke;
    /// Wakes of its waiters since the latest signal or release.
    std::uint32_t wokenSince = 0;
    /// The coroutines that hold it, as far as reported; at most kMostHolders.
    std::vector<CoroutineId> holders;
    static constexpr std::size_t kMostHolders = 16;
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
    void addWait(const WaitsOn &wait);
    void addUse(const Use &use);
    void addWake(const Wake &wake);
    void addDeath(const Death &death);
    void forgetOldObjects();
    void forgetWaits();

    mutable std::mutex m_mutex;
    std::unordered_map<Key, ObjectState, Hash> m_objects;
    /// The latest waits of each coroutine, oldest first, without woken ones. A coroutine without such waits keeps its
    /// vector, because it soon needs the memory again.
    std::unordered_map<CoroutineId, std::vector<Wait>> m_waits;
    std::size_t m_waiting = 0;  ///< coroutines in m_waits that have waits
    std::uint64_t m_forgotten = 0;
    bool m_hasWakes = false;
};

}  // namespace ct
