#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the tests while other processes spin on every core.

Every suite has to pass --rounds times, and those that depend on time, threads or processes --timing-rounds times.
Results are kept in --state after each chunk of suites, so that an interrupted run goes on where it stopped; a failure
is kept with its output. Exits with 1 if any suite failed. The result of the latest whole run is in CONTRIBUTING.md.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
TIMING_LABELS = {"gui", "integration", "targets"}
TIMING_NAMES = re.compile(
    r"concurrent|wakeup|process|harvestloop|laneharvest|probe_|symbolworker|queuedsink|readahead|follow|memoryahead"
)
SUITES_AT_ONCE = 12


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release", help="build tree (%(default)s)")
    parser.add_argument("--state", type=pathlib.Path, help="results so far (BUILD/busy.json); delete it to start again")
    parser.add_argument("--rounds", type=int, default=3, help="passes of every suite (%(default)s)")
    parser.add_argument("--timing-rounds", type=int, default=20, help="passes of timing-dependent suites (%(default)s)")
    parser.add_argument("--spinners", type=int, default=2 * (os.cpu_count() or 1), help="processes (%(default)s)")
    parser.add_argument("--jobs", type=int, default=2, help="tests at a time (%(default)s)")
    parser.add_argument("--only", default="", metavar="REGEX", help="suites whose names match")
    return parser.parse_args()


def suites_of(build):
    """Each CTest test with its number of required passes undecided: {name: set of labels}."""
    listing = subprocess.run(["ctest", "--show-only=json-v1"], cwd=build, check=True, capture_output=True, text=True)
    found = {}
    for test in json.loads(listing.stdout)["tests"]:
        labels = [p["value"] for p in test.get("properties", []) if p["name"] == "LABELS"]
        found[test["name"]] = set(labels[0]) if labels else set()
    return found


def run_chunk(build, names, jobs):
    """Runs the suites once; yields (name, passed, output)."""
    with tempfile.TemporaryDirectory() as scratch:
        report = pathlib.Path(scratch) / "report.xml"
        pattern = "^(" + "|".join(map(re.escape, names)) + ")$"
        subprocess.run(
            ["ctest", "-j", str(jobs), "-R", pattern, "--output-junit", str(report)], cwd=build, stdout=subprocess.DEVNULL
        )
        for case in xml.etree.ElementTree.parse(report).getroot().iter("testcase"):
            output = case.findtext("system-out") or ""
            yield case.get("name"), case.get("status") in ("run", "notrun", "disabled"), output


def load(path):
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"passes": {}, "failures": []}


def save(path, state):
    partial = path.with_suffix(".part")
    partial.write_text(json.dumps(state, indent=1), encoding="utf-8")
    partial.replace(path)


def next_chunk(wanted, state):
    """The suites that lack the most passes; a failure counts as a round, too, so that the run ends."""
    done = {name: state["passes"].get(name, 0) for name in wanted}
    for failure in state["failures"]:
        if failure["suite"] in done:
            done[failure["suite"]] += 1
    open_suites = [name for name in wanted if done[name] < wanted[name]]
    return sorted(open_suites, key=lambda name: done[name])[:SUITES_AT_ONCE]


def main():
    options = arguments()
    state_file = options.state or options.build / "busy.json"
    wanted = {}
    for name, labels in suites_of(options.build).items():
        timing = labels & TIMING_LABELS or TIMING_NAMES.search(name)
        if re.search(options.only, name):
            wanted[name] = options.timing_rounds if timing else options.rounds
    state = load(state_file)
    spinners = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(options.spinners)]
    try:
        while chunk := next_chunk(wanted, state):
            for name, passed, output in run_chunk(options.build, chunk, options.jobs):
                if passed:
                    state["passes"][name] = state["passes"].get(name, 0) + 1
                else:
                    state["failures"].append({"suite": name, "output": output})
                    print(f"FAILED {name}", flush=True)
            save(state_file, state)
            print(f"{sum(state['passes'].get(n, 0) for n in wanted)} of {sum(wanted.values())} passes", flush=True)
    finally:
        for spinner in spinners:
            spinner.kill()
    failed = sorted({failure["suite"] for failure in state["failures"]} & set(wanted))
    print(f"{len(wanted)} suites, {len(failed)} of which failed at least once: {' '.join(failed) or 'none'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
