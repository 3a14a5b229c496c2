#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Shows what each thread of a capture does while other programs keep the processors busy.

Records ct_storm to a file for ten seconds, next to spinning processes. Prints, for each thread of the engine and of the
target: its share of a core, the share of time in which it waited for a core, and its page faults a second. With --perf,
also prints the functions that use the most time (perf record, clock samples).

usage: threadtimes.py BIN_DIR [--spinners 2] [--rate 10000000] [--coroutines 1000] [--user nobody] [--perf]

Run it as root with --user, or as an ordinary user: root's harvest thread gets a higher priority.
"""

import argparse
import collections
import glob
import json
import os
import pwd
import subprocess
import sys
import tempfile
import time

BEGIN, LENGTH = 2, 6  # seconds of the run that are measured
TICK = os.sysconf("SC_CLK_TCK")


def threads_of(pid):
    """Processor time and waiting time in s, and minor faults, of each thread."""
    found = {}
    for folder in glob.glob(f"/proc/{pid}/task/*"):
        try:
            with open(f"{folder}/stat", encoding="utf-8") as file:
                name, fields = file.read().rsplit(")", 1)
            with open(f"{folder}/schedstat", encoding="ascii") as file:
                running, waiting, _ = map(int, file.read().split())
        except (FileNotFoundError, ProcessLookupError):
            continue
        fields = fields.split()
        found[int(folder.rsplit("/", 1)[1])] = (name.split("(", 1)[1], running / 1e9, waiting / 1e9, int(fields[7]),
                                                int(fields[12]) / TICK)
    return found


def child_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        children = file.read().split()
    return int(children[0]) if children else None


def print_threads(title, before, after, seconds):
    sums = collections.defaultdict(lambda: [0, 0.0, 0.0, 0, 0.0])
    for tid, (name, *values) in after.items():
        if tid in before:
            differences = [now - then for now, then in zip(values, before[tid][1:])]
            sums[name] = [a + b for a, b in zip(sums[name], [1, *differences])]
    for name, (count, running, waiting, faults, system) in sorted(sums.items(), key=lambda row: -row[1][1]):
        if running / seconds >= 0.005:
            print(f"| {title}: {name}{f' ({count})' if count > 1 else ''} | {running / seconds:.0%} |"
                  f" {system / seconds:.0%} | {waiting / seconds:.0%} | {faults / seconds:,.0f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin_dir", type=os.path.abspath)
    parser.add_argument("--spinners", type=int, default=2)
    parser.add_argument("--rate", default="10000000")
    parser.add_argument("--coroutines", default="1000")
    parser.add_argument("--user")
    parser.add_argument("--perf", action="store_true")
    options = parser.parse_args()
    account = pwd.getpwnam(options.user) if options.user else None
    identity = {"user": options.user, "group": account.pw_gid if account else None,
                "extra_groups": [] if account else None, "stdin": subprocess.DEVNULL}
    with tempfile.TemporaryDirectory() as folder:
        if account:
            os.chown(folder, account.pw_uid, account.pw_gid)
        summary = os.path.join(folder, "run.json")
        spinners = [subprocess.Popen(["sh", "-c", "while :; do :; done"], **identity) for _ in range(options.spinners)]
        try:
            run = subprocess.Popen(
                [os.path.join(options.bin_dir, "corotracer-gui"), "--batch", "-o", os.path.join(folder, "run.ctr"),
                 "--summary", summary, "--", os.path.join(options.bin_dir, "ct_storm"), "--threads", "2", "--coroutines",
                 options.coroutines, "--rate", options.rate, "--seconds", "10"],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder,
                env={**os.environ, "HOME": folder, "XDG_CACHE_HOME": folder}, **identity)
            time.sleep(BEGIN)
            target = child_of(run.pid)
            if target is None:
                sys.exit("the target did not start; run the command without this script to see why")
            begin = time.monotonic()
            before = [threads_of(pid) for pid in (run.pid, target)]
            samples = os.path.join(folder, "perf.data")
            if options.perf:
                subprocess.run(["perf", "record", "-q", "-e", "cpu-clock", "-F", "997", "-p", f"{run.pid}", "-o", samples,
                                "--", "sleep", str(LENGTH)], check=True, stdout=subprocess.DEVNULL)
            else:
                time.sleep(LENGTH)
            after = [threads_of(pid) for pid in (run.pid, target)]
            seconds = time.monotonic() - begin
            run.wait()
        finally:
            for spinner in spinners:
                spinner.kill()
                spinner.wait()
        with open(summary, encoding="utf-8") as file:
            sums = json.load(file)
        events = sums["events"] + sums["lost_events"]
        print(f"{options.spinners} spinners, {events:,} events, lost {sums['lost_events'] / events:.2%}\n")
        print("| thread | runs | in the kernel | waits for a core | page faults/s |\n|---|---:|---:|---:|---:|")
        for title, then, now in zip(("engine", "target"), before, after):
            print_threads(title, then, now, seconds)
        if options.perf:
            subprocess.run(["perf", "report", "-q", "-i", samples, "--sort", "comm,symbol", "--stdio", "--percent-limit",
                            "1"], check=False, stderr=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
