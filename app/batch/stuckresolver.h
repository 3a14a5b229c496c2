// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Resolves the locations of stuck coroutines while the owner does other work. Qt-free.
#pragma once

#include "core/addresses/addressresolver.h"
#include "core/analysis/stuck.h"

#include <chrono>
#include <cstddef>
#include <vector>

namespace ct {

/// Use it on the thread of the owner of `resolver`, whose look-ahead is off during this object's life.
class StuckResolver {
public:
    /// Resolves the first 100,000 coroutines in `stuck` whose location is unknown. Takes at most `most`, and one second
    /// more for comparing.
    StuckResolver(const Population &population, const std::vector<StuckGroup> &stuck, AddressResolver &resolver,
                  std::chrono::milliseconds most);
    ~StuckResolver();
    StuckResolver(const StuckResolver &) = delete;
    StuckResolver &operator=(const StuckResolver &) = delete;

    /// Returns the address at which a stuck coroutine waits, as AddressResolver needs it.
    static AddressResolver::Query queryOf(const Population &population, const StuckCoroutine &stuck);

    /// Continues without waiting. Returns false when nothing more can be resolved, or the time is over. Call it about
    /// every millisecond.
    bool step();
    /// Number of coroutines whose location may still be resolved.
    std::size_t left() const { return m_open.size(); }

private:
    using Clock = std::chrono::steady_clock;

    void request();

    AddressResolver &m_resolver;
    std::vector<AddressResolver::Query> m_open;
    std::size_t m_requested = 0;  ///< the first so many in m_open were requested
    Clock::time_point m_requestUntil;
    Clock::time_point m_end;
};

}  // namespace ct
