// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which coroutines a table shows and in which order: a pure function of the population and a wish, so that it can
// run on any thread.
#pragma once

#include "core/analysis/processlives.h"
#include "core/session/places.h"
#include "core/trace/pagedvector.h"
#include "core/trace/population.h"

#include <atomic>
#include <string>
#include <unordered_map>
#include <vector>

namespace ct {

/// What can be sorted by; raw values, never their texts.
enum class OrderKey : std::uint8_t {
    Id,
    Name,  ///< given by the target, else the function of its body, or of its address; the nameless last
    State,
    Since,    ///< those whose process has ended among the others as if they had begun so much later
    Where,    ///< file, line, function; places without a site after them, then those of which only the address is known
    WaitsOn,  ///< kind, then object; those that wait for nothing known last
    Thread,
    Process,
    Parent,  ///< those without a known one last
    Events,
    Lost,
    RunTime,        ///< so far, a running interval included
    SuspendedTime,  ///< so far, a lasting suspension included
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
    std::uint32_t states = kAllStates;  ///< stateBit()s to be shown
    /// Substring of the name, of the latest site's function or "file:line", or of the body's function (any case), all
    /// of these also as they are known of an address; or the whole id, or the probe id in decimal or 0x hexadecimal.
    /// Empty: everything.
    std::string text;

    bool filters() const { return states != kAllStates || !text.empty(); }
    bool operator==(const OrderSpec &) const = default;
};

/// Time a coroutine has spent running / suspended at `now`, the present interval included. `now`: to that coroutine.
std::uint64_t runningSoFar(const CoroutineSnapshot &snapshot, std::uint64_t now);
std::uint64_t suspendedSoFar(const CoroutineSnapshot &snapshot, std::uint64_t now);

/// What the rows of a paused table show: everything that would change, as it was at one moment.
struct FrozenRows {
    std::uint64_t now = 0;
    ProcessLives lives;
    PagedVector<CoroutineSnapshot> snapshots{{.kept = false}};  ///< by id
    std::unordered_map<CoroutineId, WaitsOn> waits;             ///< of those that said it
};
FrozenRows freezeRows(const Population &population, std::uint32_t count, std::uint64_t now);

/// Decides about single coroutines; made anew when sites were added.
class OrderFilter {
public:
    /// `places` may be null, and must outlive it, as the population must.
    OrderFilter(const Population &population, const OrderSpec &spec, const Places *places = nullptr);
    bool accepts(const CoroutineSnapshot &snapshot) const;

private:
    std::uint32_t m_states = kAllStates;
    bool m_hasText = false;
    bool m_isNumber = false;
    std::uint64_t m_number = 0;
    std::string m_wanted;  ///< in lower case
    bool addressMatches(const CoroutineSnapshot &snapshot) const;

    const Population &m_population;
    const Places *m_places;
    mutable std::unordered_map<Places::Answer, bool> m_answers;  ///< a cache: its text matches
    std::vector<bool> m_sites;                                   ///< by id: its text matches
    std::vector<bool> m_functions;                               ///< by id: its function does
};

/// The ids below `count` that pass the filter, sorted; equal keys by id. Stops early, with an empty result, once
/// `cancelled` is set (looked at every few milliseconds; relaxed, it carries no data). `places`: what is known of
/// addresses, may be null.
std::vector<CoroutineId> computeOrder(const Population &population, std::uint32_t count, const OrderSpec &spec,
                                      const std::atomic<bool> &cancelled, const Places *places = nullptr);
/// The same over frozen rows; only sites, names and parents are asked of the population.
std::vector<CoroutineId> computeOrder(const Population &population, const FrozenRows &frozen, const OrderSpec &spec,
                                      const std::atomic<bool> &cancelled, const Places *places = nullptr);

}  // namespace ct
