#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures the figures of docs/performance.md for the whole capture, each with its bound or its peer of the same run.

usage: capture.py BIN_DIR [--runs N] [--seconds S] [--only NAME ...] [--json FILE]

Medians of N runs [3]; storms last S seconds [10]. NAMEs: see the functions that are named `measure_...`.
"""

import argparse
import json
import mmap
import os
import platform
import statistics
import subprocess
import sys
import tempfile


class Bench:
    def __init__(self, bin_dir, runs, seconds, warm_gib):
        self.bin_dir, self.runs, self.seconds, self.warm_gib = bin_dir, runs, seconds, warm_gib
        self.folder = tempfile.TemporaryDirectory()
        self.rows = []

    def program(self, name):
        return os.path.join(self.bin_dir, name)

    def capture(self, options, target, *arguments, repeat=None, warm=True):
        """Runs bench_capture and adds the sums that the target itself counted to each result."""
        results = []
        for _ in range(repeat or self.runs):
            if warm:
                warm_up(self.warm_gib)
            truth = os.path.join(self.folder.name, "truth.json")
            output = subprocess.run(
                [self.program("bench_capture"), *map(str, options), "--", self.program(target), *map(str, arguments)],
                check=True, stdout=subprocess.PIPE, env={**os.environ, "CT_EMITTED_FILE": truth}).stdout
            result = json.loads(output.decode().splitlines()[-1])
            with open(truth, encoding="utf-8") as file:
                result["truth"] = json.load(file)
            result["exact"] = (result["captured"] + result["lost"] + result["missed"] == result["truth"]["emitted"]
                               and result["untraced"] == result["truth"]["untraced"])
            results.append(result)
        return results

    def storm(self, *arguments, options=("--budget-mib", 1024, "--prepared")):
        """Runs ct_storm. The memory of the history is prepared first and then reused: on a virtual machine, the first
        touch of a page costs more than everything else."""
        results = self.capture(options, "ct_storm", "--seconds", self.seconds, *arguments, warm=False)
        for result in results:
            seconds = result["truth"]["storm_ns"] / 1e9
            result["rate"] = result["truth"]["emitted"] / seconds
            result["captured_rate"] = result["captured"] / seconds
            result["harvest_share"] = result["harvest_ns"] / 1e9 / seconds
        return results

    def row(self, what, figure, must, met, more=None):
        self.rows.append({"what": what, "figure": figure, "must": must, "met": met, **(more or {})})
        print(f"| {what} | {figure} | {must} | {'yes' if met else '**no**'} |", flush=True)


def warm_up(gibibytes):
    """Touches memory, to make the host of a virtual machine provide it: the first touch runs at 0.5 GB/s, later ones at
    9 GB/s. Free memory returns to the host after a while."""
    if gibibytes == 0:
        return
    size = gibibytes << 30
    memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    memory.madvise(mmap.MADV_HUGEPAGE)
    for offset in range(0, size, 4096):
        memory[offset] = 1
    memory.close()


def median(results, key):
    return statistics.median(result[key] for result in results)


def total(results, key):
    return sum(result[key] for result in results)


def exact(results):
    return f"{sum(result['exact'] for result in results)} of {len(results)} exact"


def storm_figure(results):
    """Formats the results of storms, with the losses of each run: they come in bursts, and a median would hide them."""
    losses = ", ".join(str(result["lost"]) for result in results)
    return (f"{median(results, 'rate') / 1e6:.1f} M events/s, lost {losses} of "
            f"{median(results, 'captured') + median(results, 'lost'):.0f}, harvest thread "
            f"{median(results, 'harvest_share'):.0%} of a core, {exact(results)}")


def lossless(results):
    return total(results, "lost") == 0 and all(result["exact"] for result in results)


def google(bench, program, pattern, counter="cpu_time"):
    """Medians of a Google Benchmark program, in ns, by name."""
    output = subprocess.run([bench.program(program), f"--benchmark_filter={pattern}", "--benchmark_format=json",
                             f"--benchmark_repetitions={2 * bench.runs + 1}", "--benchmark_min_time=0.1",
                             "--benchmark_enable_random_interleaving=true", "--benchmark_report_aggregates_only=true"],
                            check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    benchmarks = json.loads(output)["benchmarks"]
    return {entry["run_name"]: entry[counter] for entry in benchmarks if entry["aggregate_name"] == "median"}


def measure_probe(bench):
    ns = google(bench, "bench_probe",
                "^(floor|transition_without_lanes|transition_off|transition_no_engine|counter_alone"
                "|(floor_random|floor_random_warm|transition_with_lane_random)/.*)$")
    for what, name, floor, must in (
            ("transition without lanes, hot", "transition_without_lanes", "floor", 1.25),
            ("transition with lane, random order over 1,000", "transition_with_lane_random/1000", "floor_random/1000", 1.5),
            ("transition with lane, random order over 100,000", "transition_with_lane_random/100000",
             "floor_random/100000", 2)):
        ratio = ns[name] / ns[floor]
        figure = f"{ns[name]:.1f} ns = {ratio:.2f} x the floor of {ns[floor]:.1f} ns"
        if (warm := floor.replace("random", "random_warm")) in ns and warm != floor:
            figure += f"; {ns[name] / ns[warm]:.2f} x the floor with a frame in the cache, {ns[warm]:.1f} ns"
        bench.row(what, figure, f"{must} x", ratio <= must, {"ns": ns})
    bench.row("off; no engine", f"{ns['transition_off']:.2f} ns; {ns['transition_no_engine']:.2f} ns",
              "one load, one branch", ns["transition_off"] < 1.5, {"ns": ns})


def measure_flat(bench):
    results = bench.storm("--threads", 1, "--coroutines", 1000, "--order", "round")
    bench.row(f"storm, one flat-out thread, {bench.seconds} s", storm_figure(results), "zero lost",
              lossless(results), {"results": results})
    peer = bench.storm("--threads", 1, "--coroutines", 1000, "--order", "round", options=["--no-trace"])
    bench.row("its peer: the same, nothing consumes the stream", storm_figure(peer), "-", True, {"results": peer})
    paced = bench.storm("--threads", 1, "--coroutines", 1000, "--order", "round", "--rate", 50_000_000)
    bench.row("the same thread paced to 50 M events/s", storm_figure(paced), "-", True, {"results": paced})
    per_event = [result["history_bytes"] / max(1, result["history_events"]) for result in results]
    bench.row("in-memory trace", f"{statistics.median(per_event):.2f} B/event", "16 B/event",
              statistics.median(per_event) <= 16, {"bytes_per_event": per_event})


def measure_paced(bench):
    for threads in (2, 8):
        results = bench.storm("--threads", threads, "--coroutines", 1000, "--order", "random", "--rate", 25_000_000)
        bench.row(f"storm, {threads} threads paced to 25 M events/s", storm_figure(results), "zero lost",
                  lossless(results) and median(results, "rate") > 24e6, {"results": results})


def measure_fast(bench):
    for threads in (2, 8):
        results = bench.storm("--threads", threads, "--coroutines", 1000, "--order", "random", "--rate", 60_000_000)
        bench.row(f"storm, {threads} threads paced to 60 M events/s (aim)", storm_figure(results), "-", True,
                  {"results": results})


def measure_unpaced(bench):
    one = bench.storm("--threads", 1, "--coroutines", 1000, "--order", "random")
    reference = median(one, "captured_rate")
    bench.row("peer of the unpaced storms: one thread", f"captured {reference / 1e6:.1f} M events/s, {exact(one)}", "-",
              True, {"results": one})
    for threads in (2, 8):
        results = bench.storm("--threads", threads, "--coroutines", 1000, "--order", "random")
        share = median(results, "captured_rate") / reference
        bench.row(f"storm, {threads} threads unpaced",
                  f"emitted {median(results, 'rate') / 1e6:.1f} M, captured {median(results, 'captured_rate') / 1e6:.1f} M "
                  f"events/s = {share:.0%} of the one-thread rate, {exact(results)}",
                  "exact, 80 % of the one-thread rate", share >= 0.8 and all(result["exact"] for result in results),
                  {"results": results})


def measure_version1(bench):
    arguments = ["--coroutines", 1000, "--threads", 2, "--transitions", 2_000_000 * bench.seconds]
    ours = bench.capture([], "ct_oldsdk", *arguments)
    peer = [json.loads(subprocess.run([bench.program("peer_reader"), "1000", bench.program("ct_oldsdk"),
                                       *map(str, arguments)], check=True, stdout=subprocess.PIPE).stdout.splitlines()[-1])
            for _ in range(bench.runs)]
    lost = statistics.median(result["lost"] / result["truth"]["emitted"] for result in ours)
    lost_by_peer = statistics.median(1 - result["captured"] / result["emitted"] for result in peer)
    bench.row("version-1 storm, stations only",
              f"lost {lost:.1%}; a reader that loops over all 8 slots {lost_by_peer:.1%}; {exact(ours)}",
              "exact, at most half the loss", lost <= lost_by_peer / 2 and all(result["exact"] for result in ours),
              {"results": ours, "peer": peer})


def measure_idle(bench):
    results = bench.capture(["--idle", bench.seconds], "ct_many", "--coroutines", 100_000)
    share = statistics.median(result["idle_process_ns"] / result["idle_wall_ns"] for result in results)
    harvest = statistics.median(result["idle_harvest_ns"] / result["idle_wall_ns"] for result in results)
    bench.row("idle, 100,000 suspended coroutines, connected",
              f"{share:.3%} of a core (harvest thread {harvest:.3%})", "0.5 % of a core", share <= 0.005,
              {"results": results})


def measure_latency(bench):
    for name, options in (("lanes", []), ("10,000 stations, no lanes", ["--no-lanes"])):
        results = bench.capture(["--latency", *options], "ct_storm", "--coroutines", 10_000, "--threads", 1, "--order",
                                "random", "--rate", 100, "--seconds", 2 * bench.seconds)
        bench.row(f"idle to first event visible to the models, {name}",
                  f"p50 {median(results, 'latency_p50_ns') / 1e3:.0f} us, p99 {median(results, 'latency_p99_ns') / 1e3:.0f} us "
                  f"({total(results, 'latency_samples')} samples)", "p99 2 ms",
                  median(results, "latency_p99_ns") <= 2e6, {"results": results})


def measure_births(bench):
    for name, rate in (("1 M births/s", 1_000_000), ("one flat-out thread", 0)):
        brief = bench.capture(["--lane-mib", 16], "ct_shortlived", "--count", 10_000_000, "--alive", 1000,
                              "--threads", 1, "--rate", rate, repeat=1)[0]
        met = brief["coroutines"] == 10_000_000 and brief["exact"] and brief["region_bytes"] <= 64 << 20
        bench.row(f"10 million short-lived coroutines, 1,000 alive, {name}",
                  f"{brief['coroutines']} seen, {brief['lost']} events lost, region {brief['region_bytes'] / 2**20:.1f} MiB, "
                  f"{1e10 / brief['wall_ns']:.2f} M births/s, {exact([brief])}", "all, 64 MiB", met, {"results": [brief]})
    many = bench.capture(["--idle", 1], "ct_many", "--coroutines", 1_000_000, repeat=1)[0]
    bench.row("1 million alive at once", f"{many['coroutines']} seen, region {many['region_bytes'] / 2**20:.0f} MiB",
              "all", many["coroutines"] == 1_000_000, {"results": [many]})


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        models = [line.split(":")[1].strip() for line in file if line.startswith("model name")]
    return {"cpu": models[0] if models else platform.machine(), "cores": os.cpu_count(), "kernel": platform.release(),
            "load": os.getloadavg()}


def main():
    measures = {name.removeprefix("measure_"): function for name, function in globals().items()
                if name.startswith("measure_")}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin_dir")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--only", nargs="+", choices=list(measures), default=list(measures))
    parser.add_argument("--warm-gib", type=int, default=8, help="memory to touch before each run [8]")
    parser.add_argument("--json")
    arguments = parser.parse_args()
    bench = Bench(arguments.bin_dir, arguments.runs, arguments.seconds, arguments.warm_gib)
    before = machine()
    print("| what | figure | must | met |\n|---|---|---|---|")
    for name in arguments.only:
        measures[name](bench)
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump({"machine": before, "runs": arguments.runs, "seconds": arguments.seconds, "rows": bench.rows}, file,
                      indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
