// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The adapter for Boost.Asio without an engine, with threads: this suite also runs under the thread sanitizer.
#include "tests/support/check.h"
#include "tests/targets/programrun.h"

CT_CASE(asioWithThreadsHasExactCounts)
{
#if !CT_HAS_ASIO
    CHECK_SKIP("Boost 1.81 was not found when this build was configured; install libboost1.81-dev, "
               "libboost-fiber1.81-dev and libboost-context1.81-dev");
#endif
    for (const char *threads : {"1", "3"}) {
        const targets::Run run = targets::runProgram(
            {"peer_asio", "--connections", "50", "--rounds", "3", "--threads", threads}, {.stations = 1000});
        CHECK_EQUAL(run.errors, "");
        CHECK_EQUAL(run.exitStatus, 0);
        // As in tst_peer_asio.cpp. The region has no lanes, so the events are counted in its stations.
        CHECK_EQUAL(run.born, 4U * 50 + 14);
        CHECK_EQUAL(run.eventsSeqlock, 50U * (8 * 3 + 26) + 84);
        CHECK_EQUAL(run.alive, 0U);
    }
}

CT_CASE(asioUntracedWorksAsBefore)
{
#if !CT_HAS_ASIO
    CHECK_SKIP("Boost 1.81 was not found when this build was configured");
#endif
    const targets::Run run = targets::runProgram({"peer_asio", "--connections", "50", "--threads", "2"});
    CHECK_EQUAL(run.errors, "");
    CHECK_EQUAL(run.exitStatus, 0);
    CHECK_EQUAL(run.output, "0 coroutines left\n");
}

CT_CASE(asioCompiledWithTracingOffIsUntraced)
{
#if !CT_HAS_ASIO
    CHECK_SKIP("Boost 1.81 was not found when this build was configured");
#endif
    const targets::Run run =
        targets::runProgram({"peer_asio_off", "--connections", "50", "--threads", "2"}, {.stations = 1000});
    CHECK_EQUAL(run.errors, "");
    CHECK_EQUAL(run.exitStatus, 0);
    CHECK_EQUAL(run.born, 0U);
}
