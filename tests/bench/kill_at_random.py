#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kills targets and engines at random moments and checks that the region still opens, with exact counts.

Each round starts an engine (or none) and a target with several threads, births, deaths, hops, names and wakes, and
kills them at random moments. An independent reader (tests/support/ctp.py) reads the region, then corotracer-gui
--batch --attach does. Captured + lost + missed before attach must be the sum that the reader found.

usage: kill_at_random.py BIN_DIR [ROUNDS [SEED]]      1000 rounds by default; the seed of a failure is printed

CT_KEEP_REGIONS=FOLDER keeps the regions of failures, SEED.shm, as the killed processes left them.
"""

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import ctp  # noqa: E402

PATIENCE_S = 150


class Round:
    def __init__(self, bin_dir, folder, seed):
        self.random = random.Random(seed)
        self.bin_dir = bin_dir
        self.region = os.path.join(folder, "r.shm")
        self.summary = os.path.join(folder, "summary.json")
        self.processes = []

    def start(self, *command, **environment):
        process = subprocess.Popen(command, env={**os.environ, **environment}, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.processes.append(process)
        return process

    def kill(self, process):
        process.send_signal(signal.SIGKILL)
        process.wait(PATIENCE_S)

    def wait_a_little(self):
        time.sleep(self.random.choice([0, 0.001, 0.01, 0.05, 0.2]) * self.random.random())

    def target_under_an_engine(self):
        lanes = self.random.choice([[], ["--lane-size", "64KiB", "--lane-pool", "512KiB"], ["--no-lanes"]])
        engine = self.start(f"{self.bin_dir}/corotracer-gui", "--batch", "--listen", "--shm", self.region, *lanes)
        line = b""
        while b"CTP_SHM_PATH=" not in line:
            line = engine.stderr.readline()
            if not line:
                raise RuntimeError("the engine did not start")
        environment = dict(word.split("=", 1) for word in line.decode().split() if word.startswith("CTP_"))
        order = self.random.choice(["engine first", "target first", "engine before the target"])
        if order == "engine before the target":
            self.kill(engine)
        target = self.start(*self.target(), **environment)
        target.stdout.readline()  # the target runs now
        self.wait_a_little()
        first, second = (engine, target) if order == "engine first" else (target, engine)
        self.kill(first)
        self.wait_a_little()
        self.kill(second)

    def flight_recorder(self):
        target = self.start(*self.target(), CTP_FLIGHT_RECORDER=self.region)
        target.stdout.readline()
        self.wait_a_little()
        self.kill(target)

    def target(self):
        return [f"{self.bin_dir}/ct_kill", "--coroutines", str(self.random.choice([10, 200, 2000])), "--threads",
                str(self.random.choice([1, 3, 6]))]

    def compare(self):
        expected = ctp.sums(self.region)
        if os.environ.get("CT_KEEP_REGIONS"):  # keep a copy: the next engine writes into the region
            subprocess.run(["cp", "--sparse=always", self.region, self.region + ".left"], check=True)
        subprocess.run([f"{self.bin_dir}/corotracer-gui", "--batch", "--attach", self.region, "--summary",
                        self.summary], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.PIPE, timeout=PATIENCE_S)
        with open(self.summary, encoding="utf-8") as file:
            got = json.load(file)
        counted = got["events"] + got["lost_events"] + got["missed_before_attach"]
        problems = []
        if expected["lane_mode"] == ctp.LANES_OVERWRITE:
            # The sums include coroutines whose records were all overwritten.
            if counted != expected["events_ever"]:
                problems.append(f"{counted} events counted, {expected['events_ever']} there")
            generations = got["coroutines"] + got["coroutines_missed"]
            if generations != expected["generations_ever"]:
                problems.append(f"{generations} generations counted, {expected['generations_ever']} there")
        elif counted != expected["emitted"]:
            problems.append(f"{counted} events counted, {expected['emitted']} there")
        if got["coroutines"] != expected["coroutines"]:
            problems.append(f"{got['coroutines']} coroutines counted, {expected['coroutines']} there")
        if got["events"] < expected["in_lanes"]:
            problems.append(f"{got['events']} events captured, {expected['in_lanes']} in the lanes")
        if got["capture_error"] is not None:
            problems.append(got["capture_error"])
        return expected, problems

    def run(self):
        try:
            kind = self.random.choice([self.target_under_an_engine, self.target_under_an_engine, self.flight_recorder])
            kind()
            return self.compare()
        finally:
            for process in self.processes:
                if process.poll() is None:
                    self.kill(process)
                for stream in (process.stdout, process.stderr):
                    stream.close()


def main():
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else int.from_bytes(os.urandom(4), "little")
    failures = 0
    events = coroutines = 0
    for number in range(rounds):
        with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
            try:
                expected, problems = Round(sys.argv[1], folder, seed + number).run()
                events += expected["emitted"]
                coroutines += expected["coroutines"]
            except (RuntimeError, OSError, ValueError, subprocess.SubprocessError) as error:
                problems = [str(error), (getattr(error, "stderr", None) or b"").decode(errors="replace")]
            if problems:
                failures += 1
                print(f"seed {seed + number}: " + "; ".join(problems))
                if os.environ.get("CT_KEEP_REGIONS"):
                    subprocess.run(["cp", "--sparse=always", os.path.join(folder, "r.shm.left"),
                                    os.path.join(os.environ["CT_KEEP_REGIONS"], f"{seed + number}.shm")], check=False)
    print(f"{rounds} rounds from seed {seed}, {failures} failures; {coroutines} coroutines and {events} events were left")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
