#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: MIT

# %% [markdown]
# # Where coroutines wait
#
# Loads a recording of corotracer-gui and prints how long coroutines waited at each site, how busy the threads were,
# and which coroutines were still suspended at the end. Jupyter (with jupytext) and VS Code open this file as a
# notebook. As a program: `python3 latency.py run.ctr`.

# %%
import os
import sys

import corotracer
import numpy as np
import pandas as pd

# In a notebook, set the variable RECORDING, or write the path here.
interactive = hasattr(sys, "ps1") or "ipykernel" in sys.modules
path = os.environ.get("RECORDING", "run.ctr") if interactive or len(sys.argv) < 2 else sys.argv[1]
if not interactive:
    sys.stdout.reconfigure(errors="backslashreplace")  # names may have bytes that are not UTF-8
pd.set_option("display.width", 160, "display.max_columns", 20, "display.max_colwidth", 50)



def show(frame):
    print(frame.head(20).to_string(float_format="%.3f", na_rep="?") if len(frame) else "(none)")


run = corotracer.open(path)
tables = run.read("events", "sites")  # one pass through the file
events, sites = tables["events"], tables["sites"].to_pandas().set_index("site")
location = (sites["file"] + ":" + sites["line"].astype(str)).rename("location")
coroutines = run.coroutines().to_pandas().set_index("coroutine")
sums = run.sums()
print(f"{path}: {sums['captured']} events of {sums['coroutines']} coroutines, {sums['lost']} lost")
print(f"complete: {'no: ' + events.problem if events.problem else 'yes'}")

# %% [markdown]
# ## Time in suspension, by site
#
# A wait is a suspension and the resumption that follows it directly. If numbers are missing in between, events were
# lost, and the pair is not a wait.

# %%
# Sorted by coroutine, neighbours are consecutive events. The sort is stable, so events stay in the order of numbers.
order = np.argsort(events["coroutine"], kind="stable")
before, after = events[order[:-1]], events[order[1:]]
consecutive = (before["coroutine"] == after["coroutine"]) & (before["n"] + np.uint64(1) == after["n"])
is_wait = consecutive & ~before["active"] & after["active"]
is_run = consecutive & before["active"] & ~after["active"]


def durations(these):
    # Times of two processors may differ by some ns, so that a difference may be negative.
    return (after["ts"][these] - before["ts"][these]).astype("i8").clip(0)


waits = pd.DataFrame({"site": before["site"][is_wait], "ms": durations(is_wait) / 1e6})
by_site = waits.groupby("site")["ms"]
latencies = pd.DataFrame({"waits": by_site.count(), "median": by_site.median(), "p99": by_site.quantile(0.99),
                          "longest": by_site.max(), "total": by_site.sum()})
latencies = latencies.join(location).join(sites["function"]).sort_values("total", ascending=False)
print("\nTime in suspension, ms, by site:")
show(latencies)

# %% [markdown]
# ## Utilisation of the threads
#
# The share of the recorded time in which a thread ran coroutines, from resumption to suspension; and, if the capture
# sampled the threads, the processor time that they had used at their latest sample.

# %%
first, last = (events["ts"].min(), events["ts"].max()) if len(events) else (0, 0)
seconds = max(int(last) - int(first), 1) / 1e9
runs = pd.DataFrame({"tid": before["tid"][is_run], "begin": before["ts"][is_run], "end": after["ts"][is_run]})
runs = runs.sort_values(["tid", "begin"])
# A coroutine that resumes another one counts as running while the other one runs on its thread. Count that time once.
counted_to = runs.groupby("tid")["end"].cummax().groupby(runs["tid"]).shift(fill_value=0)
runs["s"] = (runs["end"] - np.maximum(runs["begin"], counted_to)).astype("i8").clip(0) / 1e9
threads = run.threads().to_pandas().set_index("tid")
threads["in coroutines, s"] = runs.groupby("tid")["s"].sum()
threads["utilisation, %"] = threads["in coroutines, s"] / seconds * 100
threads["processor, s"] = threads["cpu_ns"] / 1e9
print(f"\nThreads, in {seconds:.3f} s:")
show(threads[["pid", "name", "events", "in coroutines, s", "utilisation, %", "processor, s"]]
     .sort_values("events", ascending=False))

# %% [markdown]
# ## Suspended at the end
#
# Living coroutines that are suspended, the longest first. A coroutine that was woken, or waits for a timer, may be
# healthy; `corotracer-gui --batch --input run.ctr --report text` judges each of them.

# %%
suspended = coroutines[~coroutines["active"] & coroutines["death_ts"].isna() & coroutines["finish_ts"].isna() &
                       coroutines["last_ts"].notna()].copy()
suspended["for, ms"] = (int(last) - suspended["last_ts"].astype("int64")) / 1e6
kinds = run.waits().to_pandas().drop_duplicates("coroutine", keep="last").set_index("coroutine")
suspended = suspended.join(kinds["kind"].astype(object).rename("waits for")).join(location, on="site")
suspended = suspended.sort_values("for, ms", ascending=False)
print(f"\n{len(suspended)} coroutines are suspended at the end:")
show(suspended[["name", "for, ms", "waits for", "kind", "location"]])

# %% [markdown]
# ## Plot
#
# The distribution of waits at the three sites with the longest total time, if matplotlib is installed.

# %%
try:
    import matplotlib.pyplot as plt
except ImportError:
    print("\nNo plot: matplotlib is not installed (python3-matplotlib).")
else:
    for site in latencies.index[:3]:
        values = np.sort(waits.loc[waits["site"] == site, "ms"].to_numpy())
        plt.plot(values, np.arange(1, len(values) + 1) / len(values), label=f"site {site}")
    plt.xscale("symlog", linthresh=1e-3)
    plt.xlabel("time in suspension, ms")
    plt.ylabel("share of the waits")
    plt.legend()
    if interactive:
        plt.show()
    else:
        plt.savefig("latency.png")
        print("\nplot: latency.png")
run.close()
