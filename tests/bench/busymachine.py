#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures how many events a capture loses while other programs keep the processors busy.

Each load is a target at a steady rate (or flat out), recorded by `corotracer-gui --batch -o run.ctr` next to spinning
processes or compilers. Prints a table: the median and the worst share of lost events over the runs, how many seconds
the stream was behind the target at most, and whether the sums agree with those of the target.

usage: busymachine.py BIN_DIR [--runs 10] [--user nobody] [--folder DIR] [--only TEXT] [--json FILE]

Run it as root with --user, or as an ordinary user: root's harvest thread gets a higher priority. DIR must be on a disk
and writable for that user. Loads whose name contains TEXT run alone.
"""

import argparse
import json
import os
import pwd
import signal
import statistics
import subprocess
import sys
import tempfile

SPIN = "while :; do :; done"
# A source that takes the compiler some seconds, and is compiled again and again.
SOURCE = "#include <regex>\n#include <map>\n#include <iostream>\nint main() { std::regex r(\"a+\"); std::map<int, int> m; }\n"

# name, options of ct_storm, seconds, niceness of each spinner, number of compilers
LOADS = [
    ("10 M/s, 1,000 coroutines, quiet", ["--threads", "2", "--coroutines", "1000", "--rate", "10000000"], 10, [], 0),
    ("10 M/s, 100,000 coroutines, quiet", ["--threads", "2", "--coroutines", "100000", "--rate", "10000000"], 10, [], 0),
    ("10 M/s, 1,000 coroutines, niced spinner", ["--threads", "2", "--coroutines", "1000", "--rate", "10000000"], 10,
     [19], 0),
    ("10 M/s, 1,000 coroutines, 2 spinners", ["--threads", "2", "--coroutines", "1000", "--rate", "10000000"], 10,
     [0, 0], 0),
    ("10 M/s, 100,000 coroutines, 2 spinners", ["--threads", "2", "--coroutines", "100000", "--rate", "10000000"], 10,
     [0, 0], 0),
    ("25 M/s, 1,000 coroutines, 2 spinners", ["--threads", "2", "--coroutines", "1000", "--rate", "25000000"], 5,
     [0, 0], 0),
    ("4 M/s, 1,000,000 coroutines, 2 compilers", ["--threads", "2", "--coroutines", "1000000", "--rate", "4000000"], 10,
     [], 2),
    ("flat out, 1 thread, quiet", ["--threads", "1", "--coroutines", "1000"], 5, [], 0),
    ("2 M/s, 1,000 coroutines, 6 spinners", ["--threads", "2", "--coroutines", "1000", "--rate", "2000000"], 60,
     [0] * 6, 0),
]


def started(options, command, **more):
    return subprocess.Popen(command, user=options.user, group=options.group, extra_groups=[] if options.user else None,
                            start_new_session=True, stdin=subprocess.DEVNULL, **{"stdout": subprocess.DEVNULL, **more})


def others(options, folder, niceness, compilers):
    """Starts the programs that keep the processors busy."""
    spinners = [started(options, ["nice", "-n", str(nice), "sh", "-c", SPIN]) for nice in niceness]
    source = os.path.join(folder, "busy.cpp")
    with open(source, "w", encoding="ascii") as file:
        file.write(SOURCE)
    os.chmod(source, 0o644)
    loop = f"while :; do g++ -std=c++20 -O2 -S '{source}' -o -; done"
    return spinners + [started(options, ["sh", "-c", loop]) for _ in range(compilers)]


def ended(processes):
    for process in processes:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def capture(options, folder, storm, seconds):
    """Records one run of ct_storm. Returns its summary, and whether all sums agree."""
    recording, summary, truth = (os.path.join(folder, name) for name in ("run.ctr", "run.json", "truth.json"))
    for name in (recording, summary, truth):
        if os.path.exists(name):
            os.unlink(name)
    environment = {**os.environ, "CT_EMITTED_FILE": truth, "HOME": folder, "XDG_CACHE_HOME": folder}
    target = [os.path.join(options.bin_dir, "ct_storm"), "--seconds", str(seconds), *storm]
    command = [os.path.join(options.bin_dir, "corotracer-gui"), "--batch", "-o", recording, "--summary", summary, "--",
               *target]
    run = started(options, command, env=environment, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        message = run.communicate()[1].decode(errors="replace")
    finally:
        if run.poll() is None:  # interrupted; the engine then ends the target
            run.terminate()
            run.wait()
    if run.returncode != 0 or not os.path.exists(summary):
        sys.exit(f"{' '.join(command)} failed with status {run.returncode}:\n{message}")
    with open(summary, encoding="utf-8") as file:
        sums = json.load(file)
    with open(truth, encoding="utf-8") as file:
        emitted = json.load(file)["emitted"]
    published = sums["events"] + sums["lost_events"] + sums["missed_before_attach"]
    return {"emitted": emitted, "lost": sums["lost_events"] / emitted, "exact": published == emitted,
            "written": sums["events_not_written"] == 0, "behind": sums["most_behind_ns"] / 1e9}


def measure(options, folder, load):
    name, storm, seconds, niceness, compilers = load
    busy = others(options, folder, niceness, compilers)
    try:
        runs = [capture(options, folder, storm, seconds) for _ in range(options.runs)]
    finally:
        ended(busy)
    lost = [run["lost"] for run in runs]
    agree = all(run["exact"] and run["written"] for run in runs)
    behind = max(run["behind"] for run in runs)
    print(f"| {name} | {statistics.median(lost):.2%} | {max(lost):.2%} | {behind:.1f} s | "
          f"{'yes' if agree else '**no**'} |", flush=True)
    return {"load": name, "runs": runs}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin_dir", type=os.path.abspath)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--user")
    parser.add_argument("--folder")
    parser.add_argument("--only", default="")
    parser.add_argument("--json")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the other programs are ended
    account = pwd.getpwnam(options.user) if options.user else None
    options.group = account.pw_gid if account else None
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        if account:
            os.chown(folder, account.pw_uid, account.pw_gid)
        print("| load | lost, median | lost, worst | behind, worst | sums agree |\n|---|---:|---:|---:|---|",
              flush=True)
        results = [measure(options, folder, load) for load in LOADS if options.only in load[0]]
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)


if __name__ == "__main__":
    main()
