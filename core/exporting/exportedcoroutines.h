// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which events of each coroutine a trace has when an export begins. During the export, the trace may grow and evict
// records of ended coroutines.
#pragma once

#include "core/trace/history.h"
#include "core/trace/overflowcount.h"
#include "core/trace/pagedvector.h"
#include "core/trace/population.h"

#include <cstdint>
#include <functional>

namespace ct {

/// The event numbers of one coroutine.
struct ExportedCoroutine {
    static constexpr std::uint64_t kWithoutRecord = ~std::uint64_t{1};
    static constexpr std::uint64_t kNoEnd = ~std::uint64_t{0};
    std::uint64_t end = kWithoutRecord;  ///< one past its latest number; kWithoutRecord: it had no record
    std::uint32_t first = 0;             ///< its lowest number
    Flag::Reason flagReason = Flag::Reason::TwoWriters;
    std::uint64_t captured = 0;
    std::uint64_t lost = 0;
    std::uint64_t missed = 0;   ///< published, and gone before the engine attached
    std::uint64_t deathTs = 0;  ///< ns; 0 = alive
    bool hasRecord() const { return end != kWithoutRecord; }
    /// The coroutine is flagged, so its event numbers are not valid.
    bool isFlagged() const { return end == kNoEnd; }
};

/// For one thread. Each coroutine either has a record or is counted in overflow(), never both.
class ExportedCoroutines {
public:
    /// Called repeatedly; returning false cancels.
    using GoOn = std::function<bool()>;

    /// Returns false when cancelled. Makes a limited number of tries, however fast the trace evicts records.
    bool fill(const Population &population, const GoOn &goOn);

    std::uint32_t size() const { return m_coroutines.size(); }
    const ExportedCoroutine &operator[](CoroutineId id) const { return m_coroutines[id]; }
    /// Removes a coroutine whose record was evicted after fill().
    void remove(CoroutineId id);

    /// Sums over the coroutines with a record here.
    struct Sums {
        std::uint64_t coroutines = 0;
        std::uint64_t captured = 0;
        std::uint64_t lost = 0;
        std::uint64_t missed = 0;
    };
    const Sums &sums() const { return m_sums; }
    const Overflow &overflow() const { return m_overflow; }

private:
    void removeEvicted(const Population &population);
    void addToOverflow(const Sums &before, const Sums &after);
    bool addNew(const Population &population, const GoOn &goOn);
    void addCoroutine(const CoroutineSnapshot &snapshot);

    PagedVector<ExportedCoroutine> m_coroutines;
    Sums m_sums;
    Overflow m_overflow;
};

/// Waits until the history has all events of the population, because the same thread fills it next. Gives up after two
/// seconds, or when `goOn` returns false.
void awaitHistory(const Population &population, const History &history, const ExportedCoroutines::GoOn &goOn);

}  // namespace ct
