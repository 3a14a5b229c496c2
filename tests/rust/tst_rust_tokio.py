#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests the Rust crate with Tokio, as Debian's librust-tokio-dev has it: twelve scenarios whose events follow from
their code, and a forgotten sender that is found.

usage: tst_rust_tokio.py ENGINE BUILD_DIR [unittest arguments]
"""

import os
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import rusttest  # noqa: E402
from rusttest import Capture  # noqa: E402

ENGINE = BUILD_DIR = ""
TOOLCHAIN = None
# Events and futures of each scenario on the current-thread runtime with paused time. The events are those of the
# existing SDK's own integration program.
EVENTS = [3, 60, 17, 6, 33, 38, 13, 40, 700, 13, 4, 4]
FUTURES = [1, 20, 1, 2, 11, 8, 1, 8, 100, 1, 2, 1]


def captured(program, *arguments, **options):
    return Capture(ENGINE, *TOOLCHAIN.program(BUILD_DIR, program), *arguments, **options)


class Scenarios(unittest.TestCase):
    def check(self, capture, counts):
        self.assertEqual(capture.status, 0, capture.errors)
        self.assertEqual(capture.own_counts(), counts)
        self.assertEqual(capture.counts(), counts)
        self.assertEqual(capture.sums["lost_events"] + capture.sums["untraced_coroutines"], 0)

    def test_each_on_the_current_thread(self):
        for number, counts in enumerate(zip(FUTURES, EVENTS), 1):
            with self.subTest(scenario=number):
                self.check(captured("rust_scenarios", "paused", number), counts)

    def test_all_on_the_current_thread(self):
        self.check(captured("rust_scenarios", "paused"), (156, 931))

    def test_on_several_threads_each_future_counts_its_own_polls(self):
        for _ in range(5):
            capture = captured("rust_scenarios", "threads")
            self.check(capture, capture.own_counts())
            self.assertEqual(capture.counts()[0], 156)


class ForgottenSender(unittest.TestCase):
    def test_it_is_found_by_name_and_line(self):
        capture = captured("rust_forgotten_sender", 30, options=["--duration", "4"])
        names = dict(capture.rows("SELECT coroutine, name FROM coroutines"))
        stuck = {names[coroutine["coroutine"]]: coroutine for coroutine in capture.sums["stuck"]}
        self.assertIn("answer for session 7", stuck)  # on a busy machine, others may be late, too
        location = stuck["answer for session 7"]["site"].split()[0]
        file, line = location.rsplit(":", 1)
        source = pathlib.Path(HERE, "tokio", file).read_text(encoding="utf-8").splitlines()
        self.assertIn("receiver.traced()", source[int(line) - 1])
        # The session waits for its answer.
        ((target, waiting),) = capture.rows(
            "SELECT DISTINCT target.name, coroutines.name FROM waits JOIN coroutines USING (coroutine) "
            "JOIN coroutines AS target ON target.coroutine = waits.target WHERE coroutines.name = 'session 7'")
        self.assertEqual((waiting, target), ("session 7", "answer for session 7"))


def main():
    global ENGINE, BUILD_DIR, TOOLCHAIN
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    ENGINE, BUILD_DIR = map(os.path.abspath, sys.argv[1:3])
    if not list(pathlib.Path("/usr/share/cargo/registry").glob("tokio-1.*")):
        rusttest.skip(__file__, "no Tokio (librust-tokio-dev): packaging/bootstrap.sh test-all")
    for toolchain in rusttest.require_toolchains(__file__):
        print(toolchain, flush=True)
        toolchain.run("tests/rust/tokio", BUILD_DIR, "build", "--release")
        TOOLCHAIN = toolchain
        if not unittest.main(argv=[sys.argv[0], *sys.argv[3:]], exit=False).result.wasSuccessful():
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
