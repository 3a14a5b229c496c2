// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The lives of processes, and how many of them have ended.
#include "core/analysis/processlives.h"
#include "tests/support/check.h"

namespace {

constexpr std::uint32_t kPid = 17;

/// A population that learns of the starts and ends of processes.
struct Processes {
    void starts(std::uint64_t ts)
    {
        ct::Batch batch;
        batch.now = ts;
        batch.notes.processes.push_back({kPid, ts, "server"});
        CHECK(static_cast<bool>(population.consume(batch)));
    }
    void ends(std::uint64_t ts)
    {
        ct::Batch batch;
        batch.now = ts;
        batch.notes.processEnds.push_back({kPid, ts});
        CHECK(static_cast<bool>(population.consume(batch)));
    }
    ct::ProcessLives lives() const { return ct::ProcessLives(population); }

    ct::Population population;
};

}  // namespace

CT_CASE(eachEndCountsOnce)
{
    Processes processes;
    CHECK_EQUAL(processes.lives().endedCount(), 0u);
    processes.starts(100);
    CHECK_EQUAL(processes.lives().endedCount(), 0u);
    processes.ends(200);
    CHECK_EQUAL(processes.lives().endedCount(), 1u);
    processes.starts(300);  // another process has the pid now
    CHECK_EQUAL(processes.lives().endedCount(), 1u);
    processes.ends(400);
    CHECK_EQUAL(processes.lives().endedCount(), 2u);
}

/// Its end was not seen.
CT_CASE(aReusedPidEndsTheEarlierProcess)
{
    Processes processes;
    processes.starts(100);
    processes.starts(300);
    const ct::ProcessLives lives = processes.lives();
    CHECK_EQUAL(lives.endedCount(), 1u);
    CHECK_EQUAL(lives.endOf(kPid, 150), 300u);
    CHECK_EQUAL(lives.endOf(kPid, 350), ct::ProcessLives::kLasting);
}
