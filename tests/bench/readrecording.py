#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""How many events a second the Python module reads from a recording.

usage: readrecording.py RECORDING
       needs the module: PYTHONPATH=reader/python LD_LIBRARY_PATH=build/release/reader"""

import resource
import sys
import time

import corotracer

RUNS = 5


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def measure(name, work):
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        events = work()
        times.append(time.perf_counter() - start)
    median = sorted(times)[RUNS // 2]
    print(f"{name:40} {events / median / 1e6:6.1f} M events/s   {median:6.2f} s   {peak():6d} MiB at most so far")


def main():
    run = corotracer.open(sys.argv[1])
    measure("sums(): the library, without arrays", lambda: run.sums()["captured"])
    measure("batches(): arrays of 65,536 rows", lambda: sum(len(batch["events"]) for batch in run.batches()))
    measure("coroutines()", lambda: int(run.coroutines()["captured"].sum()))
    measure("threads()", lambda: int(run.threads()["events"].sum()))
    measure("events(): one array", lambda: len(run.events()))
    events = run.events()
    measure("to_pandas() of that array", lambda: len(events.to_pandas()))


if __name__ == "__main__":
    main()
