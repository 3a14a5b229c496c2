#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures how long after its threshold a live verdict is reported.

Runs the broken programs of the corpus (with causes) one after the other, each until the rule of its defect accuses it.
The delay is the time from the moment at which the threshold of the rule was reached to the moment at which the window
would show the finding. For a stall, it begins with the first sample that shows all threads asleep, at most 250 ms
later than they do. A leak is left out: its rule has no single threshold.

usage: tests/bench/verdictdelay.py [--spinners 4] [--repeat 3] [--only WORD]
"""

import argparse
import collections
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, os.fspath(ROOT / "tests/corpus"))
import corpus  # noqa: E402
import families  # noqa: E402
import run  # noqa: E402
import tables  # noqa: E402

# s, as in docs/diagnosis.md.
THRESHOLDS = {"lost-wakeup": 1, "deadlock": 0.1, "stall": 1, "lost-wake-race": 1, "never-run": 1, "starvation": 0.5,
              "long-run": 1, "blocking-call": 1, "never-started": 5, "double-resume": 0, "after-death": 0}
LATE, LATE_FACTOR = 0.5, 3
UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}
DURATION = "([0-9.]+ (?:ns|us|ms|s))"
PATIENCE = 20  # s


def seconds(text):
    number, unit = text.split()
    return float(number) * UNITS[unit]


def delay_of(rule, finding):
    """s. The message says how long ago the time of the rule began, or what the late wait was compared with."""
    judged, reported = int(finding["judged_at_ns"]) / 1e9, int(finding["reported_at_ns"]) / 1e9
    begin, threshold = int(finding["since_ns"]) / 1e9, THRESHOLDS[rule]
    if ago := re.search(f"{DURATION} ago|threads? of the process (?:have|has) waited for {DURATION}", finding["message"]):
        begin = judged - seconds(ago[1] or ago[2])
    elif late := re.search(f"earlier waits there took at most {DURATION}", finding["message"]):
        threshold = max(LATE, LATE_FACTOR * seconds(late[1]))
    return reported - begin - threshold


def measure(options, program):
    rule = program.expected[0]
    command = [options.build / "bin/bench_verdict", rule, str(PATIENCE),
               *families.command(options.build, program, "causes", *run.QUICK)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=4 * PATIENCE, check=True)
    finding = json.loads(done.stdout.strip().splitlines()[-1])
    if not finding:
        print(f"{program.title}: not found within {PATIENCE} s", file=sys.stderr)
        return None
    delay = delay_of(rule, finding)
    print(f"{program.title}: {rule} {delay:.2f} s: {finding['message']}", file=sys.stderr)
    return delay


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release", help="build tree (%(default)s)")
    parser.add_argument("--spinners", type=int, default=0, help="processes that spin on the cores meanwhile")
    parser.add_argument("--repeat", type=int, default=1, help="runs of each program")
    parser.add_argument("--only", default="", metavar="WORD", help="programs whose names contain WORD")
    options = parser.parse_args()
    programs = [program for program in corpus.programs() if program.is_broken and program.family == "own"
                and program.expected[0] in THRESHOLDS and options.only in program.name]
    delays = collections.defaultdict(list)
    with run.spinners(options.spinners):
        for program in programs * options.repeat:
            delay = measure(options, program)
            if delay is not None:
                delays[program.expected[0]].append(delay)
    every = [delay for of_rule in delays.values() for delay in of_rule]
    rows = [[rule, len(of_rule), f"{statistics.median(of_rule):.2f} s", f"{max(of_rule):.2f} s"]
            for rule, of_rule in [*delays.items(), ("all", every)] if of_rule]
    print(tables.table(["rule", "runs", "median", "longest"], rows))


if __name__ == "__main__":
    main()
