#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs command lines of the existing collector, and reads the outputs as scripts of its users do.

usage: tst_collectorruns.py CORO_TRACER_GUI CT_STORM [unittest arguments]
"""

import csv
import json
import os
import pathlib
import shlex
import sqlite3
import subprocess
import sys
import tempfile
import unittest

PATIENCE_S = 150
PROGRAM = ""
STORM = ""
FIELDS = ["probe_id", "tid", "addr", "seq", "is_active", "ts"]
# The table and the indexes that the existing collector makes.
COLUMNS = [("id", "INTEGER"), ("probe_id", "TEXT"), ("tid", "INTEGER"), ("addr", "TEXT"), ("seq", "INTEGER"),
           ("is_active", "INTEGER"), ("ts", "INTEGER")]
INDEXES = {"idx_coro_trace_events_probe_seq": ["probe_id", "seq"], "idx_coro_trace_events_tid_ts": ["tid", "ts"],
           "idx_coro_trace_events_ts": ["ts"]}


class Runs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ct-collector-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def path(self, name):
        return self.folder / name

    def run_with(self, *words):
        """In the folder of the outputs. No word selects batch mode: that of the existing collector does."""
        done = subprocess.run([PROGRAM, *words], cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE_S,
                              stdin=subprocess.DEVNULL, env={**os.environ, "QT_QPA_PLATFORM": "offscreen"})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def collect(self, *words):
        # Not the usual region and socket in /tmp, which other tests use at the same time.
        target = f"{shlex.quote(STORM)} --transitions 2000 --coroutines 20"
        return self.run_with("-n", "64", "-cmd", target, "-shm", "run.shm", "-sock", "run.sock", *words)

    def lines(self, name):
        """The events of a JSONL file in its order. Scripts of the collector know no notes."""
        with open(self.path(name), encoding="utf-8") as file:
            return [line for line in map(json.loads, file) if "note" not in line]

    def events(self, name):
        return [[line["probe_id"], line["tid"], line["addr"], line["seq"], line["is_active"], line["ts"]]
                for line in self.lines(name)]

    def stored(self, name):
        with sqlite3.connect(self.path(name)) as database:
            rows = database.execute(f"SELECT {', '.join(FIELDS)} FROM coro_trace_events ORDER BY id").fetchall()
        return [[int(probe_id), tid, addr, seq, bool(is_active), ts] for probe_id, tid, addr, seq, is_active, ts in rows]

    def test_collects_and_exports_in_one_run(self):
        self.collect("-out", "x.jsonl", "-export", "sqlite", "-sqlite-out", "y.sqlite")
        events = self.events("x.jsonl")
        self.assertGreaterEqual(len(events), 2000)
        self.assertEqual(self.stored("y.sqlite"), events)
        self.assertEqual(sorted(entry.name for entry in self.folder.iterdir() if entry.suffix != ".shm"),
                         ["x.jsonl", "y.sqlite"])

    def test_exports_what_was_collected(self):
        self.collect("-out", "x.jsonl")
        events = self.events("x.jsonl")
        self.run_with("-export", "dataframe", "-in", "x.jsonl", "-csv-out", "z.csv")
        self.run_with("-export", "sqlite", "-in", "x.jsonl")
        self.assertEqual(self.stored("x.sqlite"), events)
        with open(self.path("z.csv"), newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([[int(row["probe_id"]), int(row["tid"]), row["addr"], int(row["seq"]),
                           row["is_active"] in ("true", "1"), int(row["ts"])] for row in rows], events)

    def test_default_names_are_those_of_the_collector(self):
        self.collect("-export", "csv", "-export", "sqlite")
        events = self.events("trace_output.jsonl")
        self.assertEqual(self.stored("trace_output.sqlite"), events)
        self.run_with("-export", "csv", "-csv-out", "again.csv")
        for name in "trace_output.csv", "again.csv":
            with open(self.path(name), newline="", encoding="utf-8") as file:
                self.assertEqual(len(list(csv.DictReader(file))), len(events))

    def test_tables_have_the_columns_and_indexes_of_the_collector(self):
        self.collect("-out", "x.jsonl", "-export", "sqlite", "-sqlite-out", "y.sqlite")
        with sqlite3.connect(self.path("y.sqlite")) as database:
            columns = [(name, kind) for _, name, kind, *_ in database.execute("PRAGMA table_info(coro_trace_events)")]
            self.assertEqual(columns[:len(COLUMNS)], COLUMNS)
            for name, expected in INDEXES.items():
                self.assertEqual([column for _, _, column in database.execute(f"PRAGMA index_info({name})")], expected)
            for condition, index in (("probe_id = '1' ORDER BY seq", "idx_coro_trace_events_probe_seq"),
                                     ("tid = 1 AND ts > 5", "idx_coro_trace_events_tid_ts"),
                                     ("ts BETWEEN 1 AND 5", "idx_coro_trace_events_ts")):
                plan = database.execute(f"EXPLAIN QUERY PLAN SELECT * FROM coro_trace_events WHERE {condition}").fetchall()
                self.assertIn(index, plan[0][-1])
                self.assertEqual(len(plan), 1)  # nothing is sorted

    def test_a_script_of_its_users_works_unchanged(self):
        self.collect("-out", "x.jsonl", "-export", "sqlite", "-sqlite-out", "y.sqlite")
        resumed = {}
        for line in self.lines("x.jsonl"):
            if line["is_active"]:
                resumed.setdefault(str(line["probe_id"]), []).append(line["ts"])
        expected = {probe_id: (len(times), min(times), max(times)) for probe_id, times in resumed.items()}
        # The script: how often each coroutine was resumed, when first and when last.
        connection = sqlite3.connect(self.path("y.sqlite"))
        connection.row_factory = sqlite3.Row
        found = {}
        for row in connection.execute("SELECT probe_id, COUNT(*) AS resumptions, MIN(ts) AS first, MAX(ts) AS last"
                                      " FROM coro_trace_events WHERE is_active = 1 GROUP BY probe_id"):
            found[row["probe_id"]] = (row["resumptions"], row["first"], row["last"])
        connection.close()
        self.assertEqual(found, expected)
        self.assertGreater(len(found), 0)


if __name__ == "__main__":
    PROGRAM, STORM = map(os.path.abspath, sys.argv[1:3])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
