// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Locations that were resolved from addresses: they sort and filter coroutines.
#include "models/coroutineorder.h"
#include "tests/support/check.h"

using namespace ct;

namespace {

constexpr std::uint64_t kNow = 100'000'000'000;

FrameLocation locationOf(CoroutineId id, const std::string &function, const std::string &file, std::uint32_t line)
{
    return {id, 0x1000 + id * 64, kNow + id, 0, line, 1, file, function};
}

/// Six coroutines that are suspended at addresses without a site. The address of coroutine 5 has no location.
struct Unnamed {
    Unnamed()
    {
        Batch batch;
        for (CoroutineId id = 0; id < 6; ++id) {
            batch.births.push_back({id, id, 1, 0, Dialect::Seqlock, id + 1, kNow});
            batch.transitions.push_back({kNow + id, 0x1000 + id * 64, 0, 2, id, 5, 0, PointKind::Await, false});
        }
        batch.now = kNow + 60'000'000'000;
        CHECK(static_cast<bool>(population->consume(batch)));
        resolver->addFrames({locationOf(0, "work::write(int)", "/src/b.cpp", 30),
                             locationOf(1, "work::read(int)", "/src/a.cpp", 9),
                             locationOf(2, "work::write(int)", "/src/b.cpp", 30),
                             locationOf(3, "work::read(int)", "/src/a.cpp", 7), locationOf(4, "other::idle()", "", 0)});
    }
    std::vector<CoroutineId> order(OrderKey key, const std::string &text = {}) const
    {
        OrderSpec spec;
        spec.key = key;
        spec.text = text;
        return computeOrder(*population, population->size(), spec, cancelled, resolver.get()).ids;
    }

    std::atomic<bool> cancelled{false};
    std::shared_ptr<Population> population = std::make_shared<Population>();
    std::shared_ptr<AddressResolver> resolver =
        std::make_shared<AddressResolver>(std::make_shared<SymbolWorker>(), population);
};

using Ids = std::vector<CoroutineId>;

}  // namespace

CT_CASE(sortedByFileAndLine)
{
    const Unnamed run;
    CHECK(run.order(OrderKey::Where) == Ids({4, 3, 1, 0, 2, 5}));
    CHECK(run.order(OrderKey::Name) == Ids({4, 1, 3, 0, 2, 5}));
}

CT_CASE(findsByFunctionAndLocation)
{
    const Unnamed run;
    CHECK(run.order(OrderKey::Id, "WORK::read") == Ids({1, 3}));
    CHECK(run.order(OrderKey::Id, "b.cpp:30") == Ids({0, 2}));
    CHECK(run.order(OrderKey::Id, "idle") == Ids({4}));
    CHECK(run.order(OrderKey::Id, "nowhere").empty());
    FrozenRows frozen = freezeRows(*run.population, 6, run.population->now());
    OrderSpec spec;
    spec.key = OrderKey::Where;
    CHECK(computeOrder(*run.population, frozen, spec, run.cancelled, run.resolver.get()).ids ==
          Ids({4, 3, 1, 0, 2, 5}));
}
