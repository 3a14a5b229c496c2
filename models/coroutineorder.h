// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Computes which coroutines a table shows, and in which order. A pure function of the population and an OrderSpec, so
// it runs on any thread.
#pragma once

#include "core/addresses/addressresolver.h"
#include "core/analysis/processlives.h"
#include "core/trace/pagedvector.h"
#include "core/trace/population.h"
#include "models/generatorgroups.h"

#include <atomic>
#include <string>
#include <unordered_map>
#include <vector>

namespace ct {

/// Sort keys. They use raw values, not the displayed texts.
enum class OrderKey : std::uint8_t {
    Id,
    Name,  ///< the target's name, else the function of the body or of the address; coroutines without a name last
    State,
    Since,    ///< for coroutines of an ended process, shifted by the time since its end
    Where,    ///< by file and line of the site; then resolved locations, then unresolved addresses
    WaitsOn,  ///< kind, then object; coroutines without a known wait last
    Thread,
    Process,
    Parent,  ///< coroutines without a known parent last
    Events,
    Lost,
    RunTime,        ///< includes the present running interval
    SuspendedTime,  ///< includes the present suspension
    Birth,
};

/// One bit per CoroutineState.
constexpr std::uint32_t stateBit(CoroutineState state)
{
    return 1U << static_cast<unsigned>(state);
}
inline constexpr std::uint32_t kAllStates = 0xFFFF'FFFF;

struct OrderSpec {
    OrderKey key = OrderKey::Id;
    bool descending = false;
    std::uint32_t states = kAllStates;  ///< stateBit()s of the states to show
    bool groupGenerators = false;       ///< show only the first generator of each function
    /// Text to find, in any case; empty shows everything. Matches a substring of the name, or of the function of the
    /// body. Also matches a substring of the latest function or "file:line", of a site or a resolved address. A number
    /// also matches the whole id or probe id, in decimal or 0x hexadecimal.
    std::string text;

    /// Not every coroutine has a row.
    bool filters() const { return states != kAllStates || groupGenerators || !text.empty(); }
    bool operator==(const OrderSpec &) const = default;
};

/// Total running or suspended time of a coroutine in ns, including the present interval. `now` (ns) is the coroutine's
/// own: see ProcessLives::nowOf().
std::uint64_t runningSoFar(const CoroutineSnapshot &snapshot, std::uint64_t now);
std::uint64_t suspendedSoFar(const CoroutineSnapshot &snapshot, std::uint64_t now);

/// The row data of a paused table that would otherwise change, copied at one moment.
struct FrozenRows {
    std::uint64_t now = 0;
    ProcessLives lives;
    PagedVector<CoroutineSnapshot> snapshots{{.kept = false}};  ///< by id; `kept` is false without a record
    std::unordered_map<CoroutineId, WaitsOn> waits;             ///< waits of suspended coroutines, if known
};
FrozenRows freezeRows(const Population &population, std::uint32_t count, std::uint64_t now);

/// Decides whether a coroutine passes the filter of an OrderSpec. Matches the sites on construction: make a new filter
/// after sites were added. One thread.
class OrderFilter {
public:
    /// `resolver` may be null. It and the population must outlive the filter.
    OrderFilter(const Population &population, const OrderSpec &spec, const AddressResolver *resolver = nullptr);
    bool accepts(const CoroutineSnapshot &snapshot) const;

private:
    std::uint32_t m_states = kAllStates;
    bool m_hasText = false;
    bool m_isNumber = false;
    std::uint64_t m_number = 0;
    std::string m_wanted;  ///< the text to find, in lower case
    bool addressMatches(const CoroutineSnapshot &snapshot) const;

    const Population &m_population;
    const AddressResolver *m_resolver;
    mutable std::unordered_map<AddressResolver::Answer, bool> m_answers;  ///< cache: the location's text matches
    std::vector<bool> m_sites;      ///< by site id: function or "file:line" matches
    std::vector<bool> m_functions;  ///< by site id: function matches
};

/// The rows of a table.
struct CoroutineOrder {
    std::vector<CoroutineId> ids;
    GeneratorGroups groups;  ///< with OrderSpec::groupGenerators: rows that stand for more than one coroutine
};

/// Returns the ids below `count` that pass the filter, sorted; equal keys are ordered by id. Returns an empty result
/// early if `cancelled` becomes true. It is checked every few milliseconds, with relaxed order: it carries no data.
/// `resolver` provides resolved addresses and may be null.
CoroutineOrder computeOrder(const Population &population, std::uint32_t count, const OrderSpec &spec,
                            const std::atomic<bool> &cancelled, const AddressResolver *resolver = nullptr);
/// Sorts and filters frozen rows. Reads only sites, names and parents from the population.
CoroutineOrder computeOrder(const Population &population, const FrozenRows &frozen, const OrderSpec &spec,
                            const std::atomic<bool> &cancelled, const AddressResolver *resolver = nullptr);

}  // namespace ct
