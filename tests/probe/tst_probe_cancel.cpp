// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// pthread_cancel: a traced thread is unwound as without the probe. The probe's system calls must not act as
// cancellation points.
#include "tests/probe/lanetest.h"

#include <pthread.h>

namespace {

using namespace lanetest;
using probetest::inChild;

/// Runs `run` in a thread with a pending cancellation, followed by a cancellation point.
void cancelled(void (*run)())
{
    const auto body = [](void *argument) -> void * {
        ::pthread_cancel(::pthread_self());
        (*static_cast<void (**)()>(argument))();
        ::pthread_testcancel();
        return nullptr;
    };
    pthread_t thread;
    void *result = nullptr;
    REQUIRE(::pthread_create(&thread, nullptr, body, &run) == 0);
    REQUIRE(::pthread_join(thread, &result) == 0);
    CHECK(result == PTHREAD_CANCELED);
}

void suspendOnce()
{
    Traced coroutine;
    coroutine.write_trace(1, false);
}

CT_CASE(aCancelledThreadCompletesItsFirstEvent)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        cancelled(suspendOnce);
        CHECK_EQUAL(region.lanes(), 1U);
    });
}

CT_CASE(aCancelledThreadCompletesAWakeUp)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        region.header().tracer_sleeping.store(1);
        cancelled(suspendOnce);
        CHECK_EQUAL(region.header().tracer_sleeping.load(), 0U);
    });
}

CT_CASE(aCancelledThreadCompletesInitTracer)
{
    const Region region;
    inChild([&] {
        cancelled([] { corotracer::InitTracer(); });
        suspendOnce();
        CHECK_EQUAL(region.lanes(), 1U);
    });
}

}  // namespace
