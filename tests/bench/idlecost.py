#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures what a batch run costs while its target idles: processor time and wake-ups of each thread.

Records ct_many, whose coroutines are all suspended. The floor is a thread of this script that only sleeps, with as many
wake-ups a second, at the same time. On a virtual machine a wake-up costs ten times as much as on a real one.

usage: idlecost.py BIN_DIR [--coroutines 100000] [--seconds 10] [--user nobody]
"""

import argparse
import glob
import os
import pwd
import subprocess
import sys
import tempfile
import threading
import time

SETTLE = 14  # seconds until everything about the target is read, and the engine looks for news more rarely


def threads_of(pid):
    """Processor time in ns, and number of time slices, of each thread."""
    found = {}
    for folder in glob.glob(f"/proc/{pid}/task/*"):
        try:
            with open(f"{folder}/comm", encoding="utf-8") as file:
                name = file.read().strip()
            with open(f"{folder}/schedstat", encoding="ascii") as file:
                running, _, slices = map(int, file.read().split())
        except (FileNotFoundError, ProcessLookupError):
            continue
        found[int(folder.rsplit("/", 1)[1])] = (name, running, slices)
    return found


class Floor(threading.Thread):
    """Sleeps `rate` times a second. Its cost of a wake-up, in ns, includes that of the interpreter, some 3 us."""

    def __init__(self, rate):
        super().__init__(daemon=True)
        self.pause, self.over, self.ns, self.wakes = 1 / rate, False, 0, 0

    def run(self):
        begin = time.thread_time_ns()
        while not self.over:
            time.sleep(self.pause)
            self.wakes += 1
            self.ns = time.thread_time_ns() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin_dir", type=os.path.abspath)
    parser.add_argument("--coroutines", default="100000")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--user")
    options = parser.parse_args()
    account = pwd.getpwnam(options.user) if options.user else None
    with tempfile.TemporaryDirectory() as folder:
        if account:
            os.chown(folder, account.pw_uid, account.pw_gid)
        run = subprocess.Popen(
            [os.path.join(options.bin_dir, "corotracer-gui"), "--batch", "-o", os.path.join(folder, "run.ctr"), "--",
             os.path.join(options.bin_dir, "ct_many"), "--coroutines", options.coroutines],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder,
            env={**os.environ, "HOME": folder, "XDG_CACHE_HOME": folder}, user=options.user,
            group=account.pw_gid if account else None, extra_groups=[] if account else None)
        try:
            time.sleep(SETTLE)
            before, begin = threads_of(run.pid), time.monotonic()
            floor = Floor(10)
            floor.start()
            time.sleep(options.seconds)
            after, seconds = threads_of(run.pid), time.monotonic() - begin
            floor.over = True
        finally:
            run.terminate()
            run.wait()
    if not after:
        sys.exit("the run has ended early; start it without this script to see why")
    print("| thread | of a core | wake-ups/s | us each |\n|---|---:|---:|---:|")
    total = 0
    for tid, (name, running, slices) in sorted(after.items(), key=lambda row: -row[1][1]):
        _, ran, had = before.get(tid, (name, 0, 0))
        total += running - ran
        if slices > had:
            print(f"| {name} | {(running - ran) / seconds / 1e7:.3f} % | {(slices - had) / seconds:.1f} | "
                  f"{(running - ran) / (slices - had) / 1e3:.0f} |")
    print(f"| all | {total / seconds / 1e7:.3f} % | | |")
    print(f"| the floor: only sleeps | | {floor.wakes / seconds:.1f} | {floor.ns / max(1, floor.wakes) / 1e3:.0f} |")


if __name__ == "__main__":
    main()
