// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Coroutines and notes of one process for tests of a Population.
#pragma once

#include "core/trace/population.h"
#include "tests/support/check.h"
#include "tests/support/events.h"

namespace ct::test {

inline constexpr std::uint32_t kPid = 10;

inline Birth birth(CoroutineId id, std::uint32_t pid = kPid)
{
    Birth born;
    born.coroutine = id;
    born.pid = pid;
    born.dialect = Dialect::Lane;
    return born;
}

inline Transition transition(CoroutineId id, std::uint64_t n, std::uint64_t ts)
{
    const bool active = n % 2 != 0;
    Transition event = eventOf(Dialect::Lane, id, n, ts, active, active ? kUnknownSite : 1);
    event.tid = 42;
    return event;
}

inline void feed(Population &population, const Batch &batch)
{
    CHECK(static_cast<bool>(population.consume(batch)));
}

inline void createCoroutines(Population &population, CoroutineId count)
{
    Batch batch;
    for (CoroutineId id = 0; id < count; ++id)
        batch.births.push_back(birth(id));
    feed(population, batch);
}

inline void feedParents(Population &population, std::vector<Parent> parents)
{
    Batch batch;
    batch.notes.parents = std::move(parents);
    feed(population, batch);
}

}  // namespace ct::test
