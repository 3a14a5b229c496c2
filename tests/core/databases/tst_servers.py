#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Exports recordings to real database servers, and reads them back with the servers' own clients.

usage: tst_servers.py CORO_TRACER_GUI postgresql|mysql RECORDINGS [unittest arguments]
"""

import csv
import json
import os
import pathlib
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import servers  # noqa: E402

PROGRAM = ""
RECORDINGS = pathlib.Path()
KINDS = {"postgresql": servers.PostgreSql, "mysql": servers.MariaDb}
SERVER = None
HUGE = 2**64 - 1
COLUMNS = ["probe_id", "tid", "addr", "seq", "ts", "n", "coroutine", "pid", "kind"]


def export(source, target, kind=None, **environment):
    return subprocess.run([PROGRAM, "--batch", "--input", str(source), "--export", kind or SERVER.kind, "--output",
                           str(target)], capture_output=True, text=True, timeout=servers.PATIENCE_S,
                          env={**os.environ, "QT_QPA_PLATFORM": "offscreen", **environment})


def line(probe_id, n, ts, active, **more):
    return json.dumps({"probe_id": probe_id, "tid": more.pop("tid", 7), "addr": "0x0000000000001234", "seq": (n // 8 + 1) * 2,
                       "is_active": active, "ts": ts, "n": n, "coroutine": more.pop("coroutine", 0), **more})


class Export(unittest.TestCase):
    number = 0

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="ct-servers-")
        Export.number += 1
        self.database = f"traces_{Export.number}"

    def tearDown(self):
        self.folder.cleanup()

    def path(self, name):
        return pathlib.Path(self.folder.name, name)

    def query(self, sql):
        return SERVER.query(self.database, sql)

    def value(self, sql):
        return SERVER.value(self.database, sql)

    def exported(self, source, **options):
        done = export(source, SERVER.url(self.database, **options))
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def written(self, name, lines):
        path = self.path(name)
        path.write_text("".join(text + "\n" for text in lines), encoding="utf-8")
        return path

    def many(self, name, events, probe_id=1):
        return self.written(name, (line(probe_id, n, 1000 + n, n % 2 == 1) for n in range(events)))

    def test_has_every_event_of_a_recording(self):
        for recording in sorted(RECORDINGS.glob("causes/*.ctr"))[:6]:
            self.exported(recording)
            done = export(recording, self.path("run.csv"), "csv")
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(self.path("run.csv"), newline="", encoding="utf-8") as file:
                expected = [[row[name] for name in COLUMNS] for row in csv.DictReader(file)]
            self.assertGreater(len(expected), 0)
            self.assertEqual(self.query(f"SELECT {', '.join(COLUMNS)} FROM coro_trace_events ORDER BY id"), expected)
            total = self.value("SELECT value FROM trace_info WHERE name = 'events'")
            self.assertEqual(total, str(len(expected)))
            self.assertEqual(self.value("SELECT sum(events) FROM coroutines"), total)
            self.assertEqual(self.value("SELECT value FROM trace_info WHERE name = 'complete'"), "1")

    def test_has_the_same_rows_as_sqlite(self):
        recording = sorted(RECORDINGS.glob("causes/*.ctr"))[0]
        self.exported(recording)
        self.assertEqual(export(recording, self.path("run.sqlite"), "sqlite").returncode, 0)
        with sqlite3.connect(self.path("run.sqlite")) as peer:
            tables = [name for (name,) in peer.execute("SELECT name FROM sqlite_master WHERE type = 'table'"
                                                       " AND name NOT LIKE 'sqlite%'")]
            self.assertGreater(len(tables), 15)
            for table in set(tables) - {"sessions"}:
                count = peer.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
                self.assertEqual(self.value(f"SELECT count(*) FROM {table}"), str(count), table)
            columns = ", ".join([*COLUMNS, "site_id", "CASE WHEN is_active THEN 1 ELSE 0 END"])
            events = peer.execute(f"SELECT {columns} FROM coro_trace_events ORDER BY id")
            self.assertEqual(self.query(f"SELECT {columns} FROM coro_trace_events ORDER BY id"),
                             [["" if cell is None else str(cell) for cell in row] for row in events])
            wakes = "SELECT coroutine, n, ts, by_coroutine, pid, tid, after_event FROM wakes ORDER BY coroutine, n, ts"
            expected = [["" if cell is None else str(cell) for cell in row] for row in peer.execute(wakes)]
            self.assertGreater(len(expected), 0)
            self.assertEqual(self.query(wakes), expected)

    def converted(self, source, kind):
        """The events in their order, and all notes. Notes between the same two events have no order, and the names of
        threads have no position."""
        path = self.path(f"out.{kind}")
        done = export(source, path, kind)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = path.read_text(encoding="utf-8").splitlines()
        notes = {text for text in lines if text.startswith('{"note":')}
        return [text for text in lines if text not in notes], sorted(notes)

    def test_a_stored_session_is_an_input(self):
        if SERVER.kind != "postgresql":
            done = export("mysql://me@localhost/traces", self.path("run.csv"), "csv")
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn("sessions can be opened from PostgreSQL and SQLite, not from MariaDB", done.stderr)
            return
        for recording in sorted(RECORDINGS.glob("causes/*.ctr"))[::12]:
            self.exported(recording)
            address = SERVER.url(self.database)
            self.assertEqual(self.converted(address, "jsonl"), self.converted(recording, "jsonl"), recording)
            # A recording that is made from the session has the same content.
            stored = self.path("stored.ctr")
            self.assertEqual(export(address, stored, "ctr").returncode, 0)
            self.assertEqual(self.converted(stored, "jsonl"), self.converted(recording, "jsonl"))

    def test_chooses_a_session(self):
        if SERVER.kind != "postgresql":
            return
        first, second = self.many("first.jsonl", 10, 1), self.many("second.jsonl", 20, 2)
        self.exported(first)
        self.exported(second)
        numbers = [row[0] for row in self.query("SELECT session FROM sessions ORDER BY session")]
        for options, events in ({}, 20), ({"session": numbers[0]}, 10), ({"session": str(first)}, 10):
            self.assertEqual(len(self.converted(SERVER.url(self.database, **options), "csv")[0]), events + 1)
        done = export(SERVER.url(self.database, session="77"), self.path("out.csv"), "csv")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("has no session 77; its view `sessions` lists all sessions", done.stderr)
        done = export(SERVER.url("missing"), self.path("out.csv"), "csv")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertFalse(SERVER.has_database("missing"))
        done = export(SERVER.url(self.database), SERVER.url(self.database, session=numbers[0]))
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("its --output is the database of --input; choose another database", done.stderr)
        # A database of another program.
        SERVER.query("postgres", "CREATE DATABASE other")
        done = export(SERVER.url("other"), self.path("out.csv"), "csv")
        self.assertIn("only databases to which corotracer-gui has exported a run can be opened", done.stderr)

    def test_the_window_starts_on_a_session(self):
        if SERVER.kind != "postgresql":
            return
        self.exported(self.many("run.jsonl", 100))
        number, picture = self.value("SELECT session FROM sessions"), self.path("window.png")
        for session, status in (number, 0), ("77", 3):
            done = subprocess.run([PROGRAM, "--screenshot", str(picture), "--screenshot-after", "0.001", "--input",
                                   SERVER.url(self.database, session=session)], capture_output=True, text=True,
                                  timeout=servers.PATIENCE_S,
                                  env={**os.environ, "QT_QPA_PLATFORM": "offscreen", "HOME": self.folder.name,
                                       "XDG_CONFIG_HOME": self.folder.name, "XDG_CACHE_HOME": self.folder.name,
                                       "QT_LOGGING_RULES": "default.warning=false"})
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertEqual(picture.exists(), status == 0)
            if status == 0:
                self.assertEqual(done.stderr, "")
                self.assertEqual(picture.read_bytes()[:4], b"\x89PNG")
                picture.unlink()
            else:
                self.assertIn("has no session 77", done.stderr)

    def test_a_reader_keeps_its_state_while_the_session_is_replaced(self):
        if SERVER.kind != "postgresql":
            return
        source = self.many("run.jsonl", 200_000)
        self.exported(source)
        reading = subprocess.Popen([PROGRAM, "--batch", "--input", SERVER.url(self.database), "--report", "text",
                                    "--report-out", str(self.path("report"))], env={**os.environ, "QT_QPA_PLATFORM": "offscreen"})
        self.many("run.jsonl", 5)
        self.exported(source)
        self.assertEqual(reading.wait(servers.PATIENCE_S), 0)
        self.assertRegex(self.path("report").read_text(), r"(200000|5) events")
        self.assertEqual(self.value("SELECT count(*) FROM coro_trace_events"), "5")

    def test_keeps_extreme_values_and_any_text(self):
        name = 'it\'s "quoted", \\ back\tslash,\nlines \u00e4\U0001f600 %s ; DROP TABLE x; --'
        source = self.written("run.jsonl", [line(HUGE, 0, 2**63, False, name=name, file="a'b.cpp", line=3, function="f"),
                                            line(HUGE, 1, HUGE, True),
                                            line(0, 0, 0, False, coroutine=1)])
        self.exported(source)
        self.assertEqual(self.query("SELECT probe_id, ts FROM coro_trace_events ORDER BY id"),
                         [[str(HUGE), str(2**63)], [str(HUGE), str(HUGE)], ["0", "0"]])
        self.assertEqual(self.value("SELECT name FROM coroutines WHERE coroutine = 0"), name)
        self.assertEqual(self.query("SELECT file, line, function, name FROM coro_trace WHERE id = 1"),
                         [["a'b.cpp", "3", "f", name]])
        self.assertEqual(self.query("SELECT coroutine, suspended_ns FROM stuck_coroutines"), [["1", str(HUGE)]])
        self.assertEqual(self.query("SELECT min_ns, max_ns FROM site_latency"), [[str(2**63 - 1)] * 2])
        self.assertEqual(self.query("SELECT first_ts, last_ts FROM thread_utilisation"), [["0", str(HUGE)]])

    def test_stores_an_empty_trace(self):
        source = self.written("run.jsonl", [])
        done = export(source, SERVER.url(self.database))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.value("SELECT count(*) FROM coro_trace_events"), "0")
        self.assertEqual(self.value("SELECT count(*) FROM sessions"), "1")

    def test_keeps_many_sessions_and_shows_the_latest(self):
        first, second = self.many("first.jsonl", 10, 1), self.many("second.jsonl", 20, 2)
        self.exported(first)
        self.exported(second)
        self.assertEqual(self.value("SELECT count(*) FROM sessions"), "2")
        self.assertEqual(self.value("SELECT count(*) FROM coro_trace_events"), "20")
        self.assertEqual(self.value("SELECT count(*) FROM all_events"), "30")
        # A session that is exported again replaces itself only.
        self.many("first.jsonl", 12, 1)
        self.exported(first)
        self.assertEqual(self.value("SELECT count(*) FROM sessions"), "2")
        self.assertEqual(self.query("SELECT count(*), max(probe_id) FROM coro_trace_events"), [["12", "1"]])
        self.assertEqual(self.value("SELECT count(*) FROM all_events"), "32")

    def test_a_part_does_not_replace_the_session_of_the_whole_run(self):
        source = self.many("run.jsonl", 100)
        self.exported(source)
        whole = source.read_text(encoding="utf-8").splitlines()
        for events in 60, 70:
            self.written("run.jsonl", [*whole[:events], "broken", whole[-1]])
            done = export(source, SERVER.url(self.database))
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertEqual(self.query("SELECT count(*) FROM all_events GROUP BY session ORDER BY 1"),
                             [[str(events)], ["100"]])
            self.assertEqual(self.query("SELECT name, value FROM trace_info WHERE name LIKE 'part%'"),
                             [["part_of_a_recording", "1"]])
        if SERVER.kind == "postgresql":
            # The session of a part is a part for every reader.
            done = export(SERVER.url(self.database), self.path("run.csv"), "csv")
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn("has only a part of its run", done.stderr)
        self.written("run.jsonl", whole)
        self.exported(source)
        self.assertEqual(self.query("SELECT count(*) FROM coro_trace_events"), [["100"]])

    def test_standard_input_is_always_a_new_session(self):
        for probe_id in 1, 2:
            with open(self.many("run.jsonl", 4, probe_id), "rb") as source:
                done = subprocess.run([PROGRAM, "--batch", "--input", "-", "--export", SERVER.kind, "--output",
                                       SERVER.url(self.database)], stdin=source, capture_output=True, text=True,
                                      cwd=self.folder.name, env={**os.environ, "QT_QPA_PLATFORM": "offscreen"})
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.value("SELECT count(*) FROM sessions"), "2")

    def test_names_the_flat_view(self):
        self.exported(self.many("run.jsonl", 5), table="my events")
        quote = '"' if SERVER.kind == "postgresql" else "`"
        self.assertEqual(self.value(f"SELECT count(*) FROM {quote}my events{quote}"), "5")

    def indexes_used(self, condition):
        """The columns of the indexes with which the server reads the rows of the flat view."""
        statement = f"EXPLAIN SELECT * FROM coro_trace_events WHERE {condition}"
        if SERVER.kind == "mysql":
            (key, extra), = [(row[5], row[-1]) for row in self.query(statement) if row[2] == "all_events"]
            self.assertNotIn("filesort", extra)
            return [row[0] for row in self.query("SELECT group_concat(COLUMN_NAME ORDER BY SEQ_IN_INDEX SEPARATOR ', ') FROM"
                                                 " information_schema.STATISTICS WHERE TABLE_SCHEMA = DATABASE() AND"
                                                 f" TABLE_NAME = 'all_events' AND INDEX_NAME = '{key}'")]
        # Small tables are read as a whole otherwise.
        plan = "\n".join(row[0] for row in self.query("SET enable_seqscan = off; SET enable_sort = off;"
                                                      f" SET enable_bitmapscan = off; {statement}"))
        # The view sorts only the list of sessions.
        self.assertNotRegex(plan, r"Sort Key: (?!stored_sessions\.)")
        names = re.findall(r"Index Scan using (\S+) on ", plan)
        return [self.value(f"SELECT indexdef FROM pg_indexes WHERE indexname = '{name}'").rpartition("(")[2].rstrip(")")
                for name in names]

    def test_the_flat_view_has_the_indexes_of_the_existing_collector(self):
        for name in "first", "second":
            self.exported(self.written(f"{name}.jsonl", (line(n % 50, n // 50, 1000 + n, n // 50 % 2 == 1, tid=n % 40,
                                                              coroutine=n % 50) for n in range(4000))))
        for condition, columns in (("probe_id = 7 ORDER BY seq", "probe_id, seq"), ("tid = 7 AND ts > 1100", "tid, ts"),
                                   ("ts BETWEEN 2000 AND 2010", "ts")):
            self.assertEqual(set(self.indexes_used(condition)), {columns}, condition)

    def test_answers_the_usual_questions(self):
        recording = self.written("run.jsonl", [
            line(1, 0, 1000, False, file="a.cpp", line=3, function="f", pid=9), line(1, 1, 1500, True),
            line(1, 2, 1600, False, file="a.cpp", line=3, function="f"), line(1, 3, 1901, True),
            line(1, 4, 2000, False, file="b.cpp", line=4, function="g"),
            json.dumps({"note": "wait", "coroutine": 0, "n": 4, "kind": "lock", "object": "0x0000000000000007"}),
            line(2, 0, 2100, False, coroutine=1, pid=9), line(2, 1, 2500, True, coroutine=1),
            json.dumps({"note": "finish", "coroutine": 1, "ts": 2540})])
        self.exported(recording)
        # The run was observed until 2540, after the latest event.
        self.assertEqual(self.query("SELECT coroutine, suspended_ns, file, line, waits_for FROM stuck_coroutines"),
                         [["0", "540", "b.cpp", "4", "lock 0x0000000000000007"]])
        latency = "SELECT suspensions, min_ns, avg_ns, max_ns FROM site_latency WHERE file = 'a.cpp'"
        self.assertEqual(self.query(latency), [["2", "301", "401", "500"]])
        self.assertEqual(self.query("SELECT tid, running_ns, resumptions FROM thread_utilisation"), [["7", "239", "3"]])
        self.assertEqual(self.value("SELECT last_ts FROM thread_utilisation"), "2540")
        self.assertEqual(export(recording, self.path("run.sqlite"), "sqlite").returncode, 0)
        with sqlite3.connect(self.path("run.sqlite")) as peer:
            self.assertEqual(peer.execute(latency).fetchall(), [(2, 301, 401, 500)])

    def test_counts_the_time_of_nested_coroutines_once(self):
        recording = self.written("run.jsonl", [
            line(1, 0, 1000, True, pid=9),
            line(2, 0, 1100, True, coroutine=1, pid=9), line(2, 1, 1300, False, coroutine=1),
            line(3, 0, 1300, True, coroutine=2, pid=9), line(3, 1, 1600, False, coroutine=2),
            line(1, 1, 1500, False),
            line(4, 0, 1200, True, coroutine=3, pid=9, tid=8), line(4, 1, 1210, False, coroutine=3, tid=8),
            line(1, 2, 1900, True), line(1, 3, 2000, False)])
        self.exported(recording)
        sums = "SELECT tid, running_ns, resumptions FROM thread_utilisation ORDER BY tid"
        self.assertEqual(self.query(sums), [["7", "700", "4"], ["8", "10", "1"]])
        self.assertEqual([float(share) for share, in self.query("SELECT share FROM thread_utilisation ORDER BY tid")],
                         [0.7, 1])
        self.assertEqual(export(recording, self.path("run.sqlite"), "sqlite").returncode, 0)
        with sqlite3.connect(self.path("run.sqlite")) as peer:
            self.assertEqual(peer.execute(sums).fetchall(), [(7, 700, 4), (8, 10, 1)])

    def test_has_findings(self):
        self.exported(RECORDINGS / "causes/channel-without-sender.broken.ctr")
        self.assertEqual(self.query("SELECT finding, rule, severity, coroutines FROM findings"),
                         [["1", "lost-wakeup", "error", "1"]])
        self.assertEqual(self.query("SELECT finding, coroutine FROM finding_coroutines"), [["1", "6"]])

    def test_leaves_tables_of_others_alone(self):
        self.exported(self.many("run.jsonl", 5))
        self.query("CREATE TABLE others (a integer)")
        self.query("INSERT INTO others VALUES (42)")
        done = export(self.many("run.jsonl", 6), SERVER.url(self.database, table="others"))
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("choose another database, or another name with ?table=NAME", done.stderr)
        self.assertEqual(self.value("SELECT a FROM others"), "42")
        self.assertEqual(self.value("SELECT count(*) FROM coro_trace_events"), "5")

    def test_refuses_a_connection_without_required_tls(self):
        done = export(self.many("run.jsonl", 5), SERVER.url(self.database, sslmode="require"))
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("TLS", done.stderr + done.stdout)
        self.assertFalse(SERVER.has_database(self.database) and self.query(SERVER.tables))

    def test_names_an_unreachable_server_and_a_remedy(self):
        target = SERVER.url(self.database, socket=self.path("nothing"))
        done = export(self.many("run.jsonl", 5), target)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("check the address and the user", done.stderr)
        self.assertIn(str(self.path("nothing")), done.stderr)

    def begin(self, source):
        return subprocess.Popen([PROGRAM, "--batch", "--input", str(source), "--export", SERVER.kind, "--output",
                                 SERVER.url(self.database)], stderr=subprocess.PIPE, text=True,
                                env={**os.environ, "QT_QPA_PLATFORM": "offscreen"})

    def begin_and_wait(self):
        """Begins an export next to a complete session, and waits until it has written something."""
        self.exported(self.many("first.jsonl", 10))
        running = self.begin(self.many("large.jsonl", 200_000, 2))
        while running.poll() is None and self.value(SERVER.is_writing) != "t":
            pass
        self.assertIsNone(running.poll(), "the export ended too early")
        return running

    def test_a_killed_export_leaves_nothing_visible(self):
        for _ in range(3):
            running = self.begin_and_wait()
            running.send_signal(signal.SIGKILL)
            running.communicate()
            self.assertEqual(self.value("SELECT count(*) FROM sessions"), "1")
            self.assertEqual(self.value("SELECT count(*) FROM coro_trace_events"), "10")
            self.assertEqual(self.value("SELECT count(*) FROM all_events"), "10")
        # The next export also removes the remains of the killed ones.
        self.exported(self.many("second.jsonl", 20, 3))
        self.assertEqual(self.value("SELECT count(*) FROM coro_trace_events"), "20")
        left = [name for (name,) in self.query(SERVER.tables)]
        sessions = {row[0] for row in self.query("SELECT session FROM sessions")}
        self.assertEqual({name.rsplit("_", 1)[1] for name in left} - sessions, set())

    def test_a_killed_server_leaves_the_sessions_before(self):
        running = self.begin_and_wait()
        SERVER.kill()
        try:
            _, errors = running.communicate(timeout=servers.PATIENCE_S)
        finally:
            SERVER.start()
        self.assertEqual(running.returncode, 4, errors)
        self.assertIn("nothing of this session was stored", errors)
        self.assertEqual(self.value("SELECT count(*) FROM coro_trace_events"), "10")
        self.assertEqual(self.value("SELECT count(*) FROM sessions"), "1")


if __name__ == "__main__":
    PROGRAM, kind, folder = sys.argv[1:4]
    PROGRAM = os.path.abspath(PROGRAM)
    RECORDINGS = pathlib.Path(folder)
    try:
        SERVER = KINDS[kind]()
    except servers.Missing as missing:
        print(f"SKIP {pathlib.Path(__file__).resolve()}: {missing}", flush=True)
        sys.exit(77)
    try:
        outcome = unittest.main(argv=[sys.argv[0], *sys.argv[4:]], exit=False).result
    finally:
        SERVER.remove()
    sys.exit(0 if outcome.wasSuccessful() else 1)
