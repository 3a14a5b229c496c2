#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares the Python module with other readers and exports of the same recording: `pythonpeers.py CHECK
ARGUMENT...`. tst_pythonmodule.cpp makes the recordings, and runs the checks."""

import csv
import json
import os
import re
import sys

from pythonchecks import SOURCE, equal, rows_of, run_named

# The tables of the tags in docs/recording.md, with the columns in its order.
TAGS = {
    2: ("sites", "site", "line", "column", "file", "function"),
    3: ("births", "coroutine", "station", "generation", "pid", "dialect", "probe_id", "ts"),
    4: ("losses", "coroutine", "first_n", "count", "missed"),
    5: ("events", "coroutine", "n", "ts", "addr", "seq", "tid", "site", "kind", "active"),
    6: ("deaths", "coroutine", "ts"),
    7: ("flags", "coroutine", "reason"),
    8: ("process_starts", "pid", "ts", "name"),
    9: ("thread_names", "pid", "tid", "name"),
    10: ("names", "coroutine", "name"),
    11: ("parents", "coroutine", "parent"),
    12: ("waits", "coroutine", "n", "kind", "object", "target", "mode", "position"),
    13: ("wakes", "coroutine", "by", "n", "ts", "pid", "tid"),
    14: ("drops", "pid", "tid", "records", "first_ts", "last_ts"),
    15: ("switches", "pid", "ts", "on"),
    16: ("process_ends", "pid", "ts"),
    19: ("uses", "by", "n", "kind", "object", "site", "ts", "pid", "tid"),
    20: ("wakers_left", "coroutine", "n", "count", "ts"),
    21: ("finishes", "coroutine", "ts", "site"),
    22: ("thread_samples", "pid", "tid", "ts", "state", "call", "timed", "object", "cpu_ns", "run_delay_ns"),
    23: ("descriptor_samples", "pid", "descriptor", "epoll", "ts", "kind", "events", "pending", "deadline", "tcp_state",
         "read_ends", "can_write"),
    24: ("process_samples", "pid", "ts", "descriptors_ts", "threads", "stopped_since", "threads_known", "calls_known",
         "descriptors_known", "machine_suspended_ns"),
}


def every_row(path):
    """All tables equal what a reader returns that was written from docs/recording.md alone."""
    sys.path.insert(0, str(SOURCE / "tests/support"))
    import ctr

    import corotracer
    peer = ctr.Recording(path)
    run = corotracer.open(path)
    tables = run.read(*corotracer.TABLES)
    parts = {name: [] for name in corotracer.TABLES}
    for batch in run.batches(rows=37):
        for name in parts:
            parts[name].append(batch[name])
    # A part ends with the batch of the file that fills it. Real runs under load have few batches.
    assert len(parts["events"]) >= sum(len(batch[5]) >= 37 for _, batch in peer.batches)
    for tag, (name, *columns) in TAGS.items():
        expected = [row for _, batch in peer.batches for row in batch[tag]]
        if tag == 12:  # the format has one number for both columns
            expected = [(*row[:5], *mode_and_position(row[5])) for row in expected]
        equal(rows_of(tables[name], *columns), expected, name)
        equal([row for part in parts[name] for row in rows_of(part, *columns)], expected, name + " in parts")
        equal(tables[name].problem, "", name)
    equal(rows_of(tables["outputs"], "ts", "bytes"), peer.output, "outputs")
    equal(run.events().tolist(), tables["events"].tolist(), "events()")
    print(len(tables["events"]), "events")


def mode_and_position(part):
    return (0, 0) if part == 0 else (2 - part % 2, (part - 1) // 2)


def exports(path, csv_path, causes_path, jsonl_path):
    """Events, waits, wakes and uses equal those of the CSV and JSONL exports of the same recording."""
    import corotracer
    run = corotracer.open(path)
    events, sites = run.events().tolist(), {row[0]: row[1:] for row in run.sites().tolist()}
    born = run.coroutines()
    sites[0] = ("", "", 0, 0)

    with open(csv_path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    equal(len(rows), len(events), "rows of the CSV")
    names = {}
    for row, (ts, addr, n, seq, coroutine, tid, site, kind, active) in zip(rows, events):
        birth = born[coroutine]
        file, function, line, _ = sites[site]
        equal([row[name] for name in ("ts", "n", "seq", "coroutine", "tid", "probe_id")],
              [str(value) for value in (ts, n, seq, coroutine, tid, birth["probe_id"])])
        equal((int(row["addr"], 16), row["is_active"], row["kind"] or "await"),
              (addr, "true" if active else "false", corotracer.POINTS[kind]))
        equal((row["file"], row["function"], row["line"]), (file, function, str(line) if line else ""))
        equal(row["pid"], str(birth["pid"]) if birth["pid"] else "")
        names[coroutine] = (row["name"], row["parent"])
    for coroutine, (name, parent) in names.items():  # of the last row
        known = born[coroutine]
        equal((name, parent), (known["name"], "" if known["parent"] == corotracer.NONE else str(known["parent"])))

    with open(causes_path, newline="", encoding="utf-8") as file:
        causes = list(csv.DictReader(file))
    number = lambda text: int(text, 0) if text else 0
    identity = lambda text: int(text) if text else corotracer.NONE
    waits = run.waits()
    equal([(int(row["coroutine"]), int(row["n"]), row["waits_for"], number(row["object"]), identity(row["target"]),
            row["mode"], int(row["position"])) for row in causes if row["kind"] == "wait"],
          [(coroutine, n, corotracer.WAITS[kind], item, target, corotracer.MODES[mode], position)
           for coroutine, n, kind, item, target, mode, position in waits.tolist()], "waits in the CSV")
    equal([(int(row["ts"]), int(row["coroutine"]), int(row["n"]), identity(row["by"]), number(row["pid"]),
            number(row["tid"])) for row in causes if row["kind"] == "wake"], run.wakes().tolist(), "wakes in the CSV")
    equal([(int(row["ts"]), identity(row["by"]), row["kind"], number(row["object"]))
           for row in causes if row["kind"] in corotracer.USES],
          [(ts, by, corotracer.USES[kind], item) for ts, by, _, kind, item, *_ in run.uses().tolist()], "uses")

    with open(jsonl_path, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    event_lines = [line for line in lines if "note" not in line]
    equal(len(event_lines), len(events), "event lines")
    for line, (ts, addr, n, seq, coroutine, tid, site, kind, active) in zip(event_lines, events):
        equal([line[name] for name in ("ts", "n", "seq", "coroutine", "tid", "is_active", "probe_id")],
              [ts, n, seq, coroutine, tid, active, born[coroutine]["probe_id"]])
        equal((int(str(line["addr"]), 0), line.get("kind", "await")), (addr, corotracer.POINTS[kind]))
        if not active and site != 0:  # other lines may have the location of their address
            equal((line["file"], line["function"], line["line"], line.get("column", 0)), sites[site])
    equal([(line["ts"], line["coroutine"], line["n"], line.get("by", corotracer.NONE), line.get("pid", 0),
            line.get("tid", 0)) for line in lines if line.get("note") == "wake"], run.wakes().tolist(), "wake notes")
    assert len(waits) and len(run.wakes()) and len(run.uses())


def csv_recipe(path, folder):
    """The code in docs/recording.md reads the CSV export, and gets the values of the recording."""
    import corotracer
    manual = (SOURCE / "docs/recording.md").read_text(encoding="utf-8")
    code = re.search(r"### CSV in data frames.*?```python\n(.*?)```", manual, re.S).group(1)
    os.chdir(folder)
    frames = {}
    exec(code, frames)  # pylint: disable=exec-used
    run = corotracer.open(path)
    events, expected, born = frames["events"], run.events(), run.coroutines()
    for name in ("ts", "addr", "n", "seq"):
        equal(str(events[name].dtype), "uint64", name)
        equal(events[name].tolist(), expected[name].tolist(), name)
    equal(events["is_active"].tolist(), expected["active"].tolist())
    equal(events["probe_id"].tolist(), born["probe_id"][expected["coroutine"]].tolist())
    names = [re.sub("[\udc80-\udcff]", "\ufffd", name) for name in born["name"].tolist()]
    equal(events["name"].tolist(), [names[coroutine] for coroutine in expected["coroutine"].tolist()])
    causes = frames["causes"]
    wakes = causes[causes["kind"] == "wake"]
    equal(wakes["ts"].fillna(0).tolist(), run.wakes()["ts"].tolist())
    waits = causes[causes["kind"] == "wait"]
    equal(waits["object"].fillna(0).tolist(), run.waits()["object"].tolist())
    equal(waits["n"].tolist(), run.waits()["n"].tolist())
    assert len(wakes) and len(waits) and wakes["ts"].dtype == "UInt64"


if __name__ == "__main__":
    run_named(globals())
