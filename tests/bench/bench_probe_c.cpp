// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Measures the functions of the C interface, in the program and with the floor of bench_probe.cpp.
#include "corotracer.h"
#include "tests/bench/proberegion.h"

namespace {

using namespace probebench;

/// Calls a function of the C interface, for a coroutine that was resumed.
template <class Call>
void callFromC(benchmark::State &state, Call call)
{
    corotracer_coroutine self{};
    corotracer_birth(&self, nullptr);
    corotracer_resume(&self);
    for (auto _ : state)
        call(&self);
    corotracer_death(&self);
}
void cPair(benchmark::State &state)
{
    callFromC(state, [](corotracer_coroutine *self) {
        corotracer_suspend(self, COROTRACER_AWAIT, COROTRACER_HERE);
        corotracer_resume(self);
    });
}
BENCHMARK(cPair)->Name("c_pair_no_engine")->Setup(noEngine);
BENCHMARK(cPair)->Name("c_pair_off")->Setup(switchedOff)->Teardown(switchedOn);
BENCHMARK(cPair)->Name("c_pair_with_lane")->Setup(withLanes);

void cPairWithoutLocation(benchmark::State &state)
{
    callFromC(state, [](corotracer_coroutine *self) {
        corotracer_suspend(self, COROTRACER_AWAIT, nullptr);
        corotracer_resume(self);
    });
}
BENCHMARK(cPairWithoutLocation)->Name("c_pair_without_location_with_lane")->Setup(withLanes);

void cWait(benchmark::State &state)
{
    callFromC(state, [](corotracer_coroutine *self) { corotracer_waits_on(self, COROTRACER_WAIT_LOCK, 1, 0); });
}
BENCHMARK(cWait)->Name("c_wait_with_lane")->Setup(withLanes);

void cWaitWithDeadline(benchmark::State &state)
{
    callFromC(state, [](corotracer_coroutine *self) { corotracer_waits_on(self, COROTRACER_WAIT_LOCK, 1, 2); });
}
BENCHMARK(cWaitWithDeadline)->Name("c_wait_with_deadline_with_lane")->Setup(withLanes);

void cWake(benchmark::State &state)
{
    callFromC(state, [](corotracer_coroutine *self) { corotracer_wake(self, self); });
}
BENCHMARK(cWake)->Name("c_wake_with_lane")->Setup(withLanes);

void cUse(benchmark::State &state)
{
    callFromC(state, [](corotracer_coroutine *self) { corotracer_acquired(self, COROTRACER_HERE); });
}
BENCHMARK(cUse)->Name("c_use_with_lane")->Setup(withLanes);

void cName(benchmark::State &state)
{
    callFromC(state, [](corotracer_coroutine *self) { corotracer_set_name(self, "worker of the pool"); });
}
BENCHMARK(cName)->Name("c_name_with_lane")->Setup(withLanes);

void cLife(benchmark::State &state)
{
    corotracer_coroutine self{};
    for (auto _ : state) {
        corotracer_birth(&self, nullptr);
        corotracer_death(&self);
    }
}
BENCHMARK(cLife)->Name("c_birth_and_death_with_lane")->Setup(withLanes);
BENCHMARK(cLife)->Name("c_birth_and_death_off")->Setup(switchedOff)->Teardown(switchedOn);

}  // namespace
