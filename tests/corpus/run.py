#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the labelled programs of the corpus live, and measures how often the diagnosis is right.

Each program runs in each variant, with several speeds and numbers of threads. corotracer-gui judges it after some
seconds. Reports are compared with tests/corpus/labels.ini: only warnings and errors accuse, and a broken program that
is not accused counts as a miss, whatever the reason. The result is the tables of docs/diagnosis.md. An interrupted run
continues where it stopped, as long as --state is kept.

usage: tests/corpus/run.py                      the quick matrix: one speed, two threads
       tests/corpus/run.py --full               all speeds and numbers of threads
       tests/corpus/run.py --healthy --repeat 20 --spinners 4    healthy programs on a busy machine
       tests/corpus/run.py --record FOLDER      also keep the recordings, FOLDER/VARIANT/PROGRAM.ctr
       tests/corpus/run.py --judge FOLDER       judge recordings instead of live runs, within seconds
"""

import argparse
import concurrent.futures
import contextlib
import itertools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import corpus  # noqa: E402
import families  # noqa: E402
import tables  # noqa: E402

ROOT = corpus.HERE.parent.parent
# Threads, and ms per unit.
QUICK = (2, 20)
RECORDED = (2, 90)
RECORDED_LONGER = 1.5  # s
# Spins until its parent ends, even if the parent is killed.
SPINNER = "import os, sys\nwhile os.getppid() == int(sys.argv[1]):\n    sum(range(100_000))"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release", help="build tree (%(default)s)")
    parser.add_argument("--full", action="store_true", help="all speeds and numbers of threads")
    parser.add_argument("--healthy", action="store_true", help="only healthy programs")
    parser.add_argument("--only", default="", metavar="WORD", help="programs whose names contain WORD")
    parser.add_argument("--variants", nargs="+", default=corpus.VARIANTS, choices=corpus.VARIANTS)
    parser.add_argument("--repeat", type=int, default=1, help="runs of each program in each setting")
    parser.add_argument("--spinners", type=int, default=0, help="processes that spin on the cores meanwhile")
    parser.add_argument("--jobs", type=int, default=3 * (os.cpu_count() or 1), help="programs at a time (%(default)s)")
    parser.add_argument("--record", type=pathlib.Path, metavar="FOLDER",
                        help="keep the recordings; programs pace themselves slower, so that these are small")
    parser.add_argument("--judge", type=pathlib.Path, metavar="FOLDER", help="judge these recordings")
    parser.add_argument("--state", type=pathlib.Path, help="results so far; an interrupted run continues with them")
    return parser.parse_args()


def settings_of(options, program):
    """Pairs of threads and ms per unit."""
    if options.record:
        return [RECORDED]
    if not options.full:
        return [QUICK]
    return list(itertools.product(*families.FAMILIES[program.family].matrix))


def runs_of(options):
    for program in corpus.programs():
        if (options.healthy and program.is_broken) or options.only not in program.name:
            continue
        if options.judge:
            for variant in program.variants:
                if variant in options.variants and (options.judge / variant / program.file).exists():
                    yield program, variant, *RECORDED, 0
            continue
        if families.binary(options.build, program.family) is None:
            print(f"{program.title} is not built", file=sys.stderr)
            continue
        for variant in program.recorded_variants if options.record else program.variants:
            if variant not in options.variants:
                continue
            for (threads, unit), repeat in itertools.product(settings_of(options, program), range(options.repeat)):
                if threads >= program.min_threads:
                    yield program, variant, threads, unit, repeat


def key_of(run):
    program, variant, threads, unit, repeat = run
    return f"{program.title} {variant} {threads} {unit} {repeat}"


def judge_recording(options, program, variant):
    return corpus.judge(options.build / "bin/corotracer-gui", options.judge / variant / program.file)


def judge_live(options, run):
    """Runs a program once."""
    program, variant = run[:2]
    with tempfile.TemporaryDirectory(prefix="corpus-") as folder:
        report = pathlib.Path(folder) / "report.json"
        recording = pathlib.Path(folder) / "run.ctr"
        duration = program.duration + (RECORDED_LONGER if options.record else 0)
        command = [options.build / "bin/corotracer-gui", "--batch", "--duration", str(duration), "-o", recording,
                   "--report", "json", "--report-out", report, "--", *families.command(options.programs, *run[:4])]
        done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
        if not report.exists():
            raise RuntimeError(done.stderr[-500:])
        if options.record:
            target = options.record / variant / program.file
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(recording, target)
        return json.loads(report.read_text(encoding="utf-8"))


def execute(options, run):
    """Returns what the report of one run says, with the label's judgement."""
    program, variant = run[:2]
    try:
        content = judge_recording(options, program, variant) if options.judge else judge_live(options, run)
    except (RuntimeError, subprocess.TimeoutExpired) as error:
        return {"error": str(error)}
    comparison = corpus.compare(program, variant, content)
    return {"found": comparison.is_found, "right": comparison.right, "abstained": comparison.has_abstained,
            "wrong": [corpus.text_of(finding) for finding in comparison.wrong],
            "wrong_rules": [finding["rule"] for finding in comparison.wrong],
            "info": [corpus.text_of(finding) for finding in content["findings"] if finding["severity"] == "info"],
            "abstentions": [f"{entry['rule']}: {entry['reason']}" for entry in content["abstained"]],
            "events": content["events"], "lost": content["lost"]}


@contextlib.contextmanager
def spinners(count):
    processes = [subprocess.Popen([sys.executable, "-c", SPINNER, str(os.getpid())]) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


@contextlib.contextmanager
def programs_at_a_neutral_path(options):
    """A recording has the paths of its programs. Those of a clone are nobody's business."""
    options.programs = options.build
    if not options.record:
        yield
        return
    with tempfile.TemporaryDirectory(prefix="corpus-programs-") as folder:
        options.programs = pathlib.Path(folder)
        for family in families.FAMILIES:
            if (built := families.binary(options.build, family)) is not None:
                copy = options.programs / built.relative_to(options.build)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(built, copy)
        yield


def execute_all(options, runs, results):
    lock = threading.Lock()

    def one(run):
        result = execute(options, run)
        with lock:
            results[key_of(run)] = result
            if options.state:
                # As a whole or not at all: the run may be interrupted at any time.
                unfinished = options.state.with_name(options.state.name + ".new")
                unfinished.write_text(json.dumps(results, indent=0), encoding="utf-8")
                unfinished.replace(options.state)
            is_bad = result.get("wrong") or "error" in result or (run[0].is_broken and not result["found"])
            if is_bad:
                print(key_of(run), json.dumps(result, indent=1), file=sys.stderr)

    with programs_at_a_neutral_path(options), spinners(options.spinners), concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(one, runs))


def main():
    options = arguments()
    results = {}
    if options.state and options.state.exists():
        results = json.loads(options.state.read_text(encoding="utf-8"))
    runs = list(runs_of(options))
    execute_all(options, [run for run in runs if key_of(run) not in results], results)
    outcomes = [tables.Outcome(run[0], run[1], results[key_of(run)]) for run in runs]
    print(tables.text(outcomes))
    return 1 if any("error" in outcome.result for outcome in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
