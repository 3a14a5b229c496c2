// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// How much a trace has of each coroutine when an export begins. The trace may grow and drop records of coroutines that
// have ended at the same time.
#pragma once

#include "core/trace/notkept.h"
#include "core/trace/pagedvector.h"
#include "core/trace/population.h"

#include <cstdint>
#include <functional>

namespace ct {

/// The numbers of one coroutine.
struct CoroutineStock {
    static constexpr std::uint64_t kNotThere = ~std::uint64_t{1};
    static constexpr std::uint64_t kNoEnd = ~std::uint64_t{0};
    std::uint64_t end = kNotThere;  ///< one behind its latest number; kNotThere: there was no record of it
    std::uint64_t first = 0;        ///< its lowest number
    std::uint64_t captured = 0;
    std::uint64_t lost = 0;
    std::uint64_t missed = 0;   ///< before the capture was attached
    std::uint64_t deathTs = 0;  ///< 0 = it lived
    bool isThere() const { return end != kNotThere; }
    /// Its numbers mean nothing.
    bool isFlagged() const { return end == kNoEnd; }
};

/// On one thread. Every coroutine is among those with a record or in notKept(), and never in both.
class TraceStock {
public:
    /// Called between pieces; false cancels.
    using GoOn = std::function<bool()>;

    /// False: cancelled. Ends after a limited number of tries, however fast the trace drops records.
    bool take(const Population &population, const GoOn &goOn);

    std::uint32_t size() const { return m_coroutines.size(); }
    const CoroutineStock &operator[](CoroutineId id) const { return m_coroutines[id]; }
    /// Its record was dropped after take().
    void forget(CoroutineId id);

    /// Sums over the coroutines that have a record here.
    struct Sums {
        std::uint64_t coroutines = 0;
        std::uint64_t captured = 0;
        std::uint64_t lost = 0;
        std::uint64_t missed = 0;
    };
    const Sums &sums() const { return m_sums; }
    const NotKept &notKept() const { return m_notKept; }

private:
    void forgetDropped(const Population &population);
    void addToNotKept(const Sums &before, const Sums &after);
    bool addNew(const Population &population, const GoOn &goOn);
    void add(const CoroutineSnapshot &snapshot);

    PagedVector<CoroutineStock> m_coroutines;
    Sums m_sums;
    NotKept m_notKept;
};

}  // namespace ct
