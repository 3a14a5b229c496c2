#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests the Rust crate under an engine, with a program that has an executor of its own. Each compiler that is at hand
builds the program; Debian's builds it for AArch64, too, if bootstrap.sh installed what that needs.

usage: tst_rust_probe.py ENGINE BUILD_DIR [unittest arguments]
"""

import os
import sys
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import rusttest  # noqa: E402
from rusttest import Capture  # noqa: E402

ENGINE = ""
PROGRAM = []


def captured(*arguments, **options):
    return Capture(ENGINE, *PROGRAM, *arguments, **options)


class Captured(unittest.TestCase):
    def check_counts(self, capture):
        self.assertEqual(capture.status, 0, capture.errors)
        self.assertEqual(capture.counts(), capture.own_counts())
        for sum_ in ("lost_events", "missed_before_attach", "untraced_coroutines", "records_dropped", "notes_lost",
                     "threads_without_lane", "sites_dropped"):
            self.assertEqual(capture.sums[sum_], 0, sum_)


class UnderAnEngine(Captured):
    def ids(self, capture):
        return dict(capture.rows("SELECT name, coroutine FROM coroutines"))

    def test_tasks_that_move_between_threads(self):
        capture = captured("storm", 4, 200, 100)
        self.check_counts(capture)
        self.assertEqual(capture.counts(), (200, 200 * 201))
        names = dict(capture.rows("SELECT name, count(*) FROM coroutines GROUP BY name"))
        self.assertEqual(names, {"even": 100, "odd": 100})
        threads = {name for (name,) in capture.rows("SELECT name FROM threads")}
        self.assertTrue(threads and threads <= {f"worker {i}" for i in range(4)}, threads)
        # Each coroutine alternates, and its numbers are complete.
        wrong = capture.rows("SELECT count(*) FROM coro_trace_events WHERE is_active = n % 2")
        self.assertEqual(wrong, [(0,)])

    def test_the_site_is_the_line_that_made_the_wrapper(self):
        capture = captured("storm", 1, 1, 1)
        ((file, function, line),) = capture.rows("SELECT file, function, line FROM sites")
        with open(os.path.join(HERE, "plain", file), encoding="utf-8") as source:
            self.assertIn(".traced()", source.read().splitlines()[line - 1])
        self.assertEqual(function, "rust_plain::modes::yields")
        kinds = capture.rows("SELECT kind FROM coro_trace_events ORDER BY n")
        self.assertEqual([kind for (kind,) in kinds], ["initial", "await", "await"])

    def test_short_threads_use_one_lane_after_the_other(self):
        capture = captured("shortlived", 40)
        self.check_counts(capture)
        self.assertLess(capture.sums["lanes"], 40)
        names = {name for (name,) in capture.rows("SELECT name FROM threads")}
        self.assertEqual(names, {f"short {i}" for i in range(40)})

    def test_parents_awaited_futures_and_wakes(self):
        capture = captured("nested")
        self.check_counts(capture)
        ids = self.ids(capture)
        parents = capture.rows("SELECT coroutine, parent FROM coroutines WHERE parent IS NOT NULL")
        self.assertEqual(parents, [(ids["inner"], ids["outer"])])
        waits = capture.rows("SELECT coroutine, n, kind, target, mode FROM waits")
        self.assertEqual(waits, [(ids["outer"], 1, "coroutine", ids["inner"], "one")])
        # The task is woken: its root future, which has the waker.
        wakes = capture.rows("SELECT coroutine, n, by_coroutine FROM wakes")
        self.assertEqual(wakes, [(ids["outer"], 2, ids["waker"])])

    def test_a_wait_for_several_futures(self):
        capture = captured("joined")
        self.check_counts(capture)
        ids = self.ids(capture)
        waits = capture.rows("SELECT n, target, mode, position FROM waits WHERE kind = 'coroutine' ORDER BY n, position")
        self.assertEqual(waits, [(1, ids["second"], "any", 0), (1, ids["third"], "any", 1), (3, ids["second"], "one", 0)])

    def test_futures_that_lost_their_last_waker(self):
        capture = captured("wakers")
        self.check_counts(capture)
        ids = self.ids(capture)
        left = capture.rows("SELECT coroutine, n, wakers FROM wakers_left ORDER BY coroutine")
        self.assertEqual(left, [(ids["orphan"], 2, 0), (ids["lost"], 2, 0)])
        wakes = capture.rows("SELECT coroutine, n FROM wakes")
        self.assertEqual(wakes, [(ids["woken"], 2)])

    def test_a_future_that_moves_to_another_executor(self):
        capture = captured("moved")
        self.check_counts(capture)
        self.assertEqual(capture.rows("SELECT n FROM wakes"), [(12,)])

    def test_objects_and_waits(self):
        capture = captured("objects")
        self.check_counts(capture)
        ids = self.ids(capture)
        user, low = ids["user"], ids["low level"]
        uses = capture.rows("SELECT kind, by_coroutine, n FROM uses ORDER BY ts")
        self.assertEqual(uses, [("acquired", user, 3), ("released", user, 3), ("signalled", user, 3), ("acquired", None, 0)])
        waits = capture.rows("SELECT coroutine, n, kind, mode FROM waits ORDER BY coroutine, n, position")
        self.assertEqual(waits, [(user, 1, "lock", "one"), (user, 3, "channel", "any"), (user, 3, "timer", "any"),
                                 (user, 5, "descriptor", "all"), (user, 5, "other", "all"),
                                 (low, 1, "descriptor", "one"), (low, 1, "descriptor", "one")])
        lock = capture.rows("SELECT DISTINCT object FROM uses")
        self.assertEqual(len(lock), 1)

    def test_off_and_on(self):
        capture = captured("switched")
        self.check_counts(capture)
        self.assertEqual(capture.sums["born_while_off"], 1)
        self.assertEqual(capture.rows("SELECT is_on FROM switches ORDER BY ts"), [(0,), (1,)])

    def test_a_forked_child_is_off(self):
        capture = captured("fork", 0)
        self.check_counts(capture)
        self.assertEqual(capture.sums["processes"], 1)

    def test_a_forked_child_that_attaches(self):
        capture = captured("fork", 1)
        self.check_counts(capture)
        self.assertEqual(capture.sums["processes"], 2)
        self.assertEqual(capture.sums["born_before_init"], 1)

    def test_errno_is_preserved(self):
        self.check_counts(captured("errno", 70000))

    def test_a_full_lane_drops_and_counts(self):
        capture = captured("errno", 300000, options=["--lane-size", "64KiB"])
        self.assertEqual(capture.status, 0, capture.errors)
        self.assertEqual(capture.counts()[0], capture.own_counts()[0])
        self.assertEqual(capture.sums["events"] + capture.sums["lost_events"], capture.own_counts()[1])
        ((reported,),) = capture.rows("SELECT sum(records) FROM drops")  # those at the end of a thread are not
        self.assertTrue(0 < (reported or 0) <= capture.sums["records_dropped"], capture.sums["records_dropped"])

    def test_without_lanes_only_the_latest_events(self):
        capture = captured("storm", 2, 50, 100, options=["--no-lanes"])
        self.assertEqual(capture.status, 0, capture.errors)
        self.assertEqual(capture.sums["events"] + capture.sums["lost_events"], capture.own_counts()[1])
        self.assertEqual(capture.counts()[0], 50)
        self.assertGreaterEqual(capture.sums["events"], 50 * 8)
        self.assertEqual(capture.rows("SELECT DISTINCT dialect FROM coroutines"), [("seqlock",)])
        self.assertEqual(capture.rows("SELECT function FROM sites"), [("rust_plain::modes::yields",)])


class LimitedAddressSpace(Captured):
    """Not in an emulator, which needs address space of its own."""

    def test_limited_address_space(self):
        program = ["-c", "ulimit -v 1048576 && exec \"$0\" storm 2 50 100", *PROGRAM]
        capture = Capture(ENGINE, "/bin/sh", *program)
        self.check_counts(capture)
        self.assertEqual(capture.sums["processes_partly_mapped"], 1)

    def test_too_little_address_space(self):
        program = ["-c", "ulimit -v 12000 && exec \"$0\" moved", *PROGRAM]
        capture = Capture(ENGINE, "/bin/sh", *program)
        self.assertEqual(capture.status, 0, capture.errors)
        self.assertEqual(capture.counts(), (0, 0))
        self.assertEqual(capture.sums["processes_unmapped"], 1)
        self.assertIn("too little address space", capture.errors)


def main():
    global ENGINE, PROGRAM
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    ENGINE, build_dir = map(os.path.abspath, sys.argv[1:3])
    for toolchain in rusttest.require_toolchains(__file__) + rusttest.aarch64_toolchains():
        print(toolchain, flush=True)
        toolchain.run("tests/rust/plain", build_dir, "build", "--release")
        PROGRAM = toolchain.program(build_dir, "rust-plain")
        suites = ["UnderAnEngine"] + ([] if toolchain.emulator else ["LimitedAddressSpace"])
        if not unittest.main(argv=[sys.argv[0], *(sys.argv[3:] or suites)], exit=False).result.wasSuccessful():
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
