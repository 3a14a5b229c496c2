#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares the memory of the window during a long run with its budget.

Starts corotracer-gui (offscreen, settings and recordings in a temporary folder) with ct_storm at a rate, samples its
resident memory each second, and prints the highest figures and the size of the recording.

usage: resident.py BIN_DIR [--seconds 600] [--rate 5000000] [--keep-mib 0] [--coroutines 1000]
       keep-mib 0: the default budget, a quarter of the machine's memory
"""

import argparse
import os
import re
import subprocess
import tempfile
import time

FIGURES = ("VmRSS", "RssAnon", "RssFile", "RssShmem")


def status_of(pid):
    """The FIGURES of /proc/PID/status, in MiB."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        found = dict(re.findall(r"^(\w+):\s+(\d+) kB", file.read(), re.MULTILINE))
    return {name: int(found.get(name, 0)) / 1024 for name in FIGURES}


def budget_of(keep_mib):
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return keep_mib or pages / 4 / 2**20


def run(options, folder):
    settings = os.path.join(folder, "config", "corotracer-gui")
    os.makedirs(settings)
    with open(os.path.join(settings, "corotracer-gui.conf"), "w", encoding="ascii") as file:
        file.write(f"[capture]\nkeepMiB={options.keep_mib}\n")
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "XDG_CONFIG_HOME": os.path.join(folder, "config"),
                   "XDG_CACHE_HOME": os.path.join(folder, "cache")}
    picture = options.picture or os.path.join(folder, "window.png")
    window = subprocess.Popen(
        [f"{options.bin_dir}/corotracer-gui", "--screenshot", picture, "--screenshot-after",
         str(options.seconds + 5), "--", f"{options.bin_dir}/ct_storm", "--coroutines", str(options.coroutines),
         "--rate", str(options.rate), "--seconds", str(options.seconds)],
        env=environment, stdin=subprocess.DEVNULL)
    highest = dict.fromkeys(FIGURES, 0.0)
    begin = time.monotonic()
    while window.poll() is None:
        try:
            now = status_of(window.pid)
        except (FileNotFoundError, ProcessLookupError):
            break
        highest = {name: max(highest[name], now[name]) for name in FIGURES}
        if options.verbose and int(time.monotonic() - begin) % 30 == 0:
            print({name: round(value) for name, value in now.items()}, flush=True)
        time.sleep(1)
    window.wait()
    return highest


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bin_dir")
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--rate", type=int, default=5_000_000)
    parser.add_argument("--keep-mib", type=int, default=0)
    parser.add_argument("--coroutines", type=int, default=1000)
    parser.add_argument("--picture")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        highest = run(options, folder)
        recorded = sum(os.path.getsize(os.path.join(where, name)) for where, _, names in os.walk(folder)
                       for name in names if name.endswith(".ctr"))
    budget = budget_of(options.keep_mib)
    print(f"budget {budget:.0f} MiB; highest: " + ", ".join(f"{name} {value:.0f} MiB" for name, value in
                                                            highest.items()))
    print(f"resident / budget: {highest['VmRSS'] / budget:.2f}; without the region that it shares with the target: "
          f"{(highest['VmRSS'] - highest['RssShmem']) / budget:.2f}; recording at the end {recorded / 2**20:.0f} MiB")


if __name__ == "__main__":
    main()
