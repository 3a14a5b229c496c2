#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the tests while other processes spin on every core.

Every suite has to pass --rounds times. Suites that depend on time, threads or processes have to pass --timing-rounds
times. The results, with the output of failures, are saved in --state after each chunk of suites: to resume an
interrupted run, repeat the command. Build first: the results belong to the commit of the sources, and a run is not
resumed at another commit. Exits with 1 if any suite failed, with 2 if nothing could be run.
"""

import argparse
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
TIMING_LABELS = {"gui", "integration", "targets"}
TIMING_NAMES = re.compile(
    r"concurrent|wakeup|process|harvestloop|laneharvest|probe_(?!package)|symbolworker|queuedsink|readahead|follow|memoryahead"
)
# A chunk. Its end is slow, because the longest suites then run alone; an interrupted one is repeated.
SUITES_AT_ONCE = 60
# A git hook, or git rebase --exec, sets these. With them, git would describe that repository instead of the sources.
REPOSITORY_VARIABLES = {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"}
# Spins until its parent ends, even if the parent is killed.
SPINNER = "import os, sys\nwhile os.getppid() == int(sys.argv[1]):\n    sum(range(100_000))"


class Trouble(Exception):
    pass


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


def commit_of(build):
    """The commit of the sources that the build tree belongs to, with the suffix -dirty if they were changed."""
    cache = build / "CMakeCache.txt"
    text = cache.read_text(encoding="utf-8") if cache.exists() else ""
    home = re.search(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$", text, re.MULTILINE)
    command = ["git", "-C", home[1] if home else str(ROOT), "describe", "--always", "--dirty", "--exclude=*", "--abbrev=12"]
    environment = {name: value for name, value in os.environ.items() if name not in REPOSITORY_VARIABLES}
    try:
        described = subprocess.run(command, env=environment, capture_output=True, text=True)
    except FileNotFoundError:
        return "unknown"
    return described.stdout.strip() if described.returncode == 0 else "unknown"


def suites_of(build):
    """The CTest tests of the build tree: {name: set of labels}."""
    if not (build / "CTestTestfile.cmake").exists():
        raise Trouble(f"{build} is no build tree with tests")
    listing = subprocess.run(["ctest", "--show-only=json-v1"], cwd=build, check=True, capture_output=True, text=True)
    found = {}
    for test in json.loads(listing.stdout)["tests"]:
        labels = [p["value"] for p in test.get("properties", []) if p["name"] == "LABELS"]
        found[test["name"]] = set(labels[0]) if labels else set()
    return found


def run_chunk(build, names, jobs):
    """Runs the suites once. Yields (name, passed, output) for each."""
    with tempfile.TemporaryDirectory() as scratch:
        report = pathlib.Path(scratch) / "report.xml"
        pattern = "^(" + "|".join(map(re.escape, names)) + ")$"
        subprocess.run(
            ["ctest", "-j", str(jobs), "-R", pattern, "--output-junit", str(report)], cwd=build, stdout=subprocess.DEVNULL
        )
        if not report.exists():
            raise Trouble(f"ctest wrote no results for {' '.join(names)}")
        cases = {case.get("name"): case for case in xml.etree.ElementTree.parse(report).getroot().iter("testcase")}
    for name in names:
        if name in cases:
            yield name, has_passed(cases[name]), cases[name].findtext("system-out") or ""
        else:
            yield name, False, "ctest did not run it"


def has_passed(case):
    """A suite that skips itself passes. A suite without a program fails, although CTest reports both as notrun."""
    if case.get("status") == "notrun":
        skipped = case.find("skipped")
        return skipped is not None and skipped.get("message", "").startswith("SKIP_")
    return case.get("status") in ("run", "disabled")


def load(path, commit):
    if not path.exists():
        return {"commit": commit, "passes": {}, "failures": []}
    state = json.loads(path.read_text(encoding="utf-8"))
    if state.get("commit", "unknown") != commit:
        raise Trouble(f"{path} has results of commit {state.get('commit', 'unknown')}, the sources stand at {commit}: "
                      "delete the file, or name another with --state")
    return state


def save(path, state):
    partial = path.with_suffix(".part")
    partial.write_text(json.dumps(state, indent=1), encoding="utf-8")
    partial.replace(path)


def next_chunk(wanted, state):
    """The unfinished suites with the fewest rounds. A failure counts as a round, too, to let the run end."""
    done = {name: state["passes"].get(name, 0) for name in wanted}
    for failure in state["failures"]:
        if failure["suite"] in done:
            done[failure["suite"]] += 1
    open_suites = [name for name in wanted if done[name] < wanted[name]]
    return sorted(open_suites, key=lambda name: done[name])[:SUITES_AT_ONCE]


def run(options):
    state_file = options.state or options.build / "busy.json"
    wanted = {}
    for name, labels in suites_of(options.build).items():
        timing = labels & TIMING_LABELS or TIMING_NAMES.search(name)
        if re.search(options.only, name):
            wanted[name] = options.timing_rounds if timing else options.rounds
    if not wanted:
        raise Trouble("no suite fits")
    state = load(state_file, commit_of(options.build))
    command = [sys.executable, "-c", SPINNER, str(os.getpid())]
    spinners = [subprocess.Popen(command) for _ in range(options.spinners)]
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
    print(f"{state['commit']}: {len(wanted)} suites, {len(failed)} of which failed at least once: "
          f"{' '.join(failed) or 'none'}")
    return 1 if failed else 0


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # runs the finally block, which ends the spinners
    try:
        return run(arguments())
    except Trouble as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
