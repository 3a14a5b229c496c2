#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kills the engine while much waits in its spill file, and compares what remains with what the target wrote.

ct_storm writes flat out beside two spinning processes until the spill file is large, and a moment longer. Then the
engine gets SIGKILL. Its folder must hold nothing but the recording. An engine that attaches to the region afterwards
must count every event as captured, lost, or missed before it attached.

usage: kill_with_backlog.py BIN_DIR [--gib 2] [--runs 3] [--user nobody] [--folder DIR]

DIR must be on a disk with room for twice as much, and writable for that user.
"""

import argparse
import glob
import json
import os
import pwd
import random
import subprocess
import sys
import tempfile
import time

PATIENCE = 110  # seconds in which the spill file must reach its size


def spilled(pid, folder):
    """Size of the engine's file without a name in the folder; 0 = none."""
    sizes = [0]
    for link in glob.glob(f"/proc/{pid}/fd/*"):
        try:
            name = os.readlink(link)
            if name.startswith(folder) and name.endswith("(deleted)"):
                sizes.append(os.stat(link).st_size)
        except OSError:
            pass  # closed meanwhile
    return max(sizes)


def killed(options, identity, folder):
    """One round. Returns the size of the spill file at the kill, the files left, and the sums of both sides."""
    program = lambda name: os.path.join(options.bin_dir, name)
    region, truth, summary = (os.path.join(folder, name) for name in ("r.shm", "truth.json", "summary.json"))
    environment = {**os.environ, "HOME": folder, "XDG_CACHE_HOME": folder, "CTP_SHM_PATH": region,
                   "CTP_SOCK_PATH": region + ".sock", "CTP_MAX_STATIONS": "2097150", "CT_EMITTED_FILE": truth}
    identity = {**identity, "cwd": folder, "env": environment, "stdin": subprocess.DEVNULL}
    quiet = {**identity, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    engine = subprocess.Popen([program("corotracer-gui"), "--batch", "--listen", "--shm", region, "-o", "run.ctr"], **quiet)
    started = [engine]
    try:
        while not os.path.exists(region + ".sock"):
            if engine.poll() is not None:
                sys.exit("the engine did not start; run it without this script to see why")
            time.sleep(0.05)
        started += [subprocess.Popen(["sh", "-c", "while :; do :; done"], **quiet) for _ in range(2)]
        storm = subprocess.Popen([program("ct_storm"), "--threads", "2", "--order", "random", "--seconds", "600"], **quiet)
        started.append(storm)
        end = time.monotonic() + PATIENCE
        while spilled(engine.pid, folder) < options.gib * 2**30 and time.monotonic() < end:
            time.sleep(0.05)
        time.sleep(random.random())
        size = spilled(engine.pid, folder)
        engine.kill()
        engine.wait()
        files = set(os.listdir(folder)) - {"r.shm", "r.shm.sock"}
        storm.terminate()
        storm.wait()
    finally:
        for process in started:
            process.kill()
            process.wait()
    subprocess.run([program("corotracer-gui"), "--batch", "--attach", region, "--summary", summary], check=True, **quiet)
    with open(summary, encoding="utf-8") as file:
        sums = json.load(file)
    with open(truth, encoding="utf-8") as file:
        emitted = json.load(file)["emitted"]
    return size, files, sums, emitted


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin_dir", type=os.path.abspath)
    parser.add_argument("--gib", type=float, default=2)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--user")
    parser.add_argument("--folder")
    options = parser.parse_args()
    account = pwd.getpwnam(options.user) if options.user else None
    identity = {"user": options.user, "group": account.pw_gid if account else None,
                "extra_groups": [] if account else None}
    isRight = True
    for _ in range(options.runs):
        with tempfile.TemporaryDirectory(dir=options.folder) as folder:
            if account:
                os.chown(folder, account.pw_uid, account.pw_gid)
            size, files, sums, emitted = killed(options, identity, folder)
        parts = [sums[name] for name in ("events", "lost_events", "missed_before_attach")]
        print(f"{size / 2**30:.2f} GiB in the spill file, left: {' '.join(sorted(files))}; {emitted:,} events = "
              f"{parts[0]:,} + {parts[1]:,} lost + {parts[2]:,} missed: {sum(parts) == emitted}", flush=True)
        isRight = isRight and sum(parts) == emitted and files == {"run.ctr"} and size > options.gib * 2**30
    sys.exit(0 if isRight else 1)


if __name__ == "__main__":
    main()
