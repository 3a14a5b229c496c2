#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Captured share of the storm, headless, and the proof that the accounts close: captured + lost + missed = emitted.

usage: capture_share.py BIN_DIR [RUNS]      (BIN_DIR: build/release/bin)
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile

STORMS = [(10, 1, 20_000_000), (1_000, 2, 20_000_000), (100_000, 2, 20_000_000)]


def run(bin_dir, coroutines, threads, transitions, folder):
    summary, emitted = os.path.join(folder, "summary.json"), os.path.join(folder, "emitted.json")
    command = [f"{bin_dir}/corotracer-gui", "--batch", "--summary", summary, "--", f"{bin_dir}/ct_storm",
               "--coroutines", str(coroutines), "--threads", str(threads), "--transitions", str(transitions)]
    subprocess.run(command, check=True, env={**os.environ, "CT_EMITTED_FILE": emitted},
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(summary, encoding="utf-8") as file:
        got = json.load(file)
    with open(emitted, encoding="utf-8") as file:
        true = json.load(file)
    counted = got["events"] + got["lost_events"] + got["missed_before_attach"]
    return {"share": got["events"] / max(1, true["emitted"]), "exact": counted == true["emitted"],
            "rate": true["emitted"] / (got["duration_ns"] / 1e9)}


def main():
    bin_dir = sys.argv[1]
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    print("| coroutines | threads | emitted/s (median) | captured share (median, min..max) | accounts exact |")
    print("|---:|---:|---:|---:|---|")
    all_exact = True
    with tempfile.TemporaryDirectory() as folder:
        for coroutines, threads, transitions in STORMS:
            results = [run(bin_dir, coroutines, threads, transitions, folder) for _ in range(runs)]
            shares = sorted(result["share"] for result in results)
            exact = sum(result["exact"] for result in results)
            all_exact = all_exact and exact == runs
            print(f"| {coroutines:,} | {threads} | {statistics.median(r['rate'] for r in results) / 1e6:.1f} M "
                  f"| {statistics.median(shares):.1%} ({shares[0]:.1%}..{shares[-1]:.1%}) | {exact} of {runs} |")
    return 0 if all_exact else 1


if __name__ == "__main__":
    sys.exit(main())
