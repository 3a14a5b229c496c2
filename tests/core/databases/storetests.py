# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Exports next to other exports, other clients and other programs, on real database servers: what the tests of
PostgreSQL and of MariaDB share."""

import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import servers

PROGRAM = ""
ENVIRONMENT = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}


def line(probe_id, n):
    return json.dumps({"probe_id": probe_id, "tid": 7, "addr": "0x0000000000001234", "seq": (n // 8 + 1) * 2,
                       "is_active": n % 2 == 1, "ts": 1000 + n, "n": n, "coroutine": 0})


class Client:
    """A connection that stays open, with its transaction and its locks."""

    def __init__(self, server, database):
        if server.kind == "postgresql":
            command = [servers.program("psql", *server.folders), "-X", "-q", "-A", "-t", "-h", str(server.home), "-U",
                       server.user, "-d", database]
            self.mark = "\\echo done"
        else:
            command = [servers.program("mariadb"), "--no-defaults", "-S", str(server.socket()), "-u", server.user, "-N",
                       "-B", "--unbuffered", database]
            self.mark = "SELECT 'done';"
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, sql):
        """Waits for the end of the statements; returns the lines of the answer."""
        self.process.stdin.write(f"{sql};\n{self.mark}\n")
        self.process.stdin.flush()
        lines = []
        for answer in self.process.stdout:
            if answer.strip() == "done":
                return lines
            lines.append(answer.rstrip("\n"))
        raise RuntimeError(f"{sql}: {lines}")

    def close(self):
        self.process.stdin.close()
        self.process.wait(servers.PATIENCE_S)
        self.process.stdout.close()


class Stores:
    """A mixin for test cases. `server`: set by main()."""

    server = None
    number = 0

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="ct-servers-")
        self.running = []
        Stores.number += 1
        self.database = f"stores_{Stores.number}"

    def tearDown(self):
        for process in self.running:
            if not process.stderr.closed:
                process.kill()
                process.communicate()
        self.folder.cleanup()

    def path(self, name):
        return pathlib.Path(self.folder.name, name)

    def query(self, sql):
        return self.server.query(self.database, sql)

    def value(self, sql):
        return self.server.value(self.database, sql)

    def waiting_for(self, sql, expected):
        self.assertEqual(self.server.waiting_for(self.database, sql, expected), expected)

    def client(self):
        client = Client(self.server, self.database)
        self.addCleanup(client.close)
        return client

    def many(self, name, events, probe_id=1):
        self.path(name).write_text("".join(line(probe_id, n) + "\n" for n in range(events)), encoding="utf-8")
        return self.path(name)

    def begin(self, source, **options):
        running = subprocess.Popen([PROGRAM, "--batch", "--input", str(source), "--export", self.server.kind, "--output",
                                    self.server.url(self.database, **options)], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
        self.running.append(running)
        return running

    def ended(self, running, status=0):
        """The messages of an export."""
        _, errors = running.communicate(timeout=servers.PATIENCE_S)
        self.assertEqual(running.returncode, status, errors)
        return errors

    def exported(self, source, status=0, **options):
        return self.ended(self.begin(source, **options), status)

    def begun(self, name, probe_id=2):
        """An export that has written something."""
        running = self.begin(self.many(name, 200_000, probe_id))
        while running.poll() is None and self.value(self.server.is_writing) != "t":
            pass
        self.assertIsNone(running.poll(), "the export ended too early")
        return running

    def exported_together(self, *sources):
        for running in [self.begin(source) for source in sources]:
            self.ended(running)

    def stored(self):
        """For each session the name of its file, its events, their sum, and what the session itself says."""
        quote = '"' if self.server.kind == "postgresql" else "`"
        rows = self.query(f"SELECT s.{quote}key{quote}, count(*), sum(e.n), max(i.value) FROM sessions s"
                          " JOIN all_events e ON e.session = s.session"
                          " JOIN all_trace_info i ON i.session = s.session AND i.name = 'events'"
                          f" GROUP BY s.session, s.{quote}key{quote} ORDER BY count(*)")
        return [[pathlib.Path(key).name, *map(int, numbers)] for key, *numbers in rows]

    def ghosts(self):
        """Sessions with rows that no view shows."""
        return self.query("SELECT DISTINCT session FROM all_events WHERE session NOT IN"
                          " (SELECT session FROM stored_sessions WHERE stored_at IS NOT NULL)")

    @staticmethod
    def whole(name, events):
        return [name, events, events * (events - 1) // 2, events]

    def test_sessions_that_are_exported_at_the_same_moment_are_whole(self):
        first, second = self.many("first.jsonl", 20_000, 1), self.many("second.jsonl", 25_000, 2)
        for attempt in range(3):
            # The first pairs also create the database, and the others replace what they find.
            if attempt < 2:
                self.database = f"together_{Stores.number}_{attempt}"
            self.exported_together(first, second)
            self.assertEqual(self.stored(), [self.whole("first.jsonl", 20_000), self.whole("second.jsonl", 25_000)])
        self.assertIn(self.value("SELECT count(*) FROM coro_trace_events"), ["20000", "25000"])

    def test_a_session_that_is_exported_twice_at_the_same_moment_is_one(self):
        other, source = self.many("other.jsonl", 10), self.many("run.jsonl", 20_000)
        for attempt in range(3):
            if attempt < 2:
                self.database = f"twice_{Stores.number}_{attempt}"
                self.exported(other)
            self.exported_together(source, source)
            self.assertEqual(self.stored(), [self.whole("other.jsonl", 10), self.whole("run.jsonl", 20_000)])
            self.assertEqual(self.value("SELECT count(*) FROM coro_trace_events"), "20000")

    def test_exports_at_the_same_moment_leave_nothing_behind(self):
        source = self.many("run.jsonl", 1000)
        for _ in range(3):
            self.exported_together(source, source, source)
        self.exported(source)
        self.assertEqual(self.stored(), [self.whole("run.jsonl", 1000)])
        self.assertEqual(self.ghosts(), [])

    def exported_with_a_long_name(self):
        folder = self.path("deep")
        for level in range(14):
            folder /= hashlib.sha512(bytes([level])).hexdigest() + hashlib.sha512(bytes([level, 1])).hexdigest()[:100]
        folder.mkdir(parents=True)
        source = folder / "run.jsonl"
        for events in 10, 20:
            self.many("run.jsonl", events).replace(source)
            self.exported(source)
        self.assertEqual(self.value("SELECT count(*) FROM sessions"), "1")
        self.assertEqual(self.value("SELECT count(*) FROM coro_trace_events"), "20")
        return source

    def test_sessions_can_have_long_names(self):
        self.exported_with_a_long_name()

    def test_blanks_belong_to_the_name_of_a_session(self):
        for name in "run", "run ", "RUN":
            self.exported(self.many(name, 10))
        self.assertEqual(self.value("SELECT count(*) FROM sessions"), "3")

    def test_refuses_tables_of_other_programs_before_it_makes_its_own(self):
        tables = "SELECT count(*) FROM information_schema.tables WHERE table_schema = {}".format(
            "'public'" if self.server.kind == "postgresql" else "DATABASE()")
        self.server.query(self.server.first_database, f"CREATE DATABASE {self.database}")
        for name, remedy in ("coro_trace_events", ", or another name with ?table=NAME"), ("threads", ""), ("all_events", ""):
            self.query(f"CREATE TABLE {name} (a integer)")
            errors = self.exported(self.many("run.jsonl", 5), 4)
            self.assertIn(f"the table {name} belongs to another program; choose another database{remedy};", errors)
            self.assertEqual(self.value(tables), "1")
            self.query(f"DROP TABLE {name}")
        self.query("CREATE TABLE coro_trace_events (a integer)")
        self.exported(self.many("run.jsonl", 5), table="mine")
        self.assertEqual(self.value("SELECT count(*) FROM mine"), "5")

    def make_collectors_table(self):
        """As the existing collector makes it. Its one event has ts 42."""
        self.query("CREATE TABLE coro_trace_events (id bigint PRIMARY KEY, probe_id numeric(20), tid numeric(20),"
                   " addr varchar(18), seq numeric(20), is_active boolean, ts numeric(20))")
        self.query("INSERT INTO coro_trace_events VALUES (1, 2, 3, '0x4', 5, true, 42)")

    def test_keeps_the_events_of_the_existing_collector_under_another_name(self):
        self.server.query(self.server.first_database, f"CREATE DATABASE {self.database}")
        self.make_collectors_table()
        killed = self.begun("killed.jsonl")
        killed.kill()
        killed.communicate()
        self.assertEqual(self.value("SELECT ts FROM coro_trace_events"), "42")

        remark = ("the table coro_trace_events of the existing coroTracer collector is now named"
                  " coro_trace_events_of_collector, and coro_trace_events shows the latest session")
        self.assertIn(remark, self.exported(self.many("run.jsonl", 5)))
        self.assertEqual(self.value("SELECT count(*) FROM coro_trace_events"), "5")
        self.assertEqual(self.value("SELECT ts FROM coro_trace_events_of_collector"), "42")
        self.assertNotIn(remark, self.exported(self.many("run.jsonl", 6)))
        self.assertEqual(self.value("SELECT count(*) FROM coro_trace_events"), "6")

        # The other name is taken.
        view = self.value("SELECT count(*) FROM all_events")
        self.query(f"DROP VIEW coro_trace_events{' CASCADE' if self.server.kind == 'postgresql' else ''}")
        self.query("ALTER TABLE coro_trace_events_of_collector RENAME TO first_of_collector")
        self.make_collectors_table()
        self.query("CREATE TABLE coro_trace_events_of_collector (a integer)")
        self.assertIn("the table coro_trace_events_of_collector belongs to another program; choose another database, or"
                      " rename that table", self.exported(self.many("run.jsonl", 7), 4))
        self.assertEqual(self.value("SELECT ts FROM coro_trace_events"), "42")
        self.assertEqual(self.value("SELECT count(*) FROM all_events"), view)

    def test_a_view_with_its_own_name_shows_the_sessions_of_that_name(self):
        """As the tables of the existing collector, which are named with -db-table and filled from the same file."""
        for table, events in ("a", 5), ("A b", 6), ("a", 7):
            self.exported(self.many("run.jsonl", events), table=table)
        self.exported(self.many("run.jsonl", 8))
        quote = '"' if self.server.kind == "postgresql" else "`"
        for view, events in ("a", 7), ("A b", 6), ("coro_trace_events", 8), ("events", 8):
            self.assertEqual(self.value(f"SELECT count(*) FROM {quote}{view}{quote}"), str(events))
        self.assertEqual(self.value("SELECT count(*) FROM sessions"), "3")
        self.exported(self.many("other.jsonl", 9), table="a")
        self.assertEqual(self.value("SELECT count(*) FROM a"), "9")
        self.assertEqual(self.value("SELECT count(*) FROM events"), "9")

    def test_says_which_right_is_missing(self):
        is_postgresql = self.server.kind == "postgresql"
        user = "weak" if is_postgresql else "weak@localhost"
        self.server.query(self.server.first_database, f"CREATE USER {user}")
        self.addCleanup(self.server.query, self.server.first_database, f"DROP USER {user}")
        run = self.many("run.jsonl", 5)
        self.assertIn("; let an administrator create the database", self.exported(run, 4, user="weak"))
        self.server.query(self.server.first_database, f"CREATE DATABASE {self.database}")
        if not is_postgresql:
            self.query(f"GRANT SELECT ON {self.database}.* TO {user}")
        self.assertIn("; ask the owner of the database for the right to create tables and views",
                      self.exported(run, 4, user="weak"))

    def test_names_with_any_bytes_are_different_sessions(self):
        for name in b"bad\xff\xfe.jsonl", b"bad\xfe\xff.jsonl", b"bad%FF\xfe.jsonl":
            path = os.fsencode(self.folder.name) + b"/" + name
            self.many("run.jsonl", 10).rename(os.fsdecode(path))
            self.exported(os.fsdecode(path))
            self.exported(os.fsdecode(path))
        self.assertEqual(self.value("SELECT count(*) FROM sessions"), "3")

    def test_a_target_names_no_session(self):
        self.assertIn("chooses a session to read", self.exported(self.many("run.jsonl", 10), 4, session=7))

    def test_keeps_views_of_other_programs(self):
        self.exported(self.many("run.jsonl", 5))
        self.query("CREATE TABLE others (id bigint, a bigint)")
        self.query("INSERT INTO others VALUES (1, 42)")
        for name in "mine", "threads", "coro_trace":
            self.query(f"DROP VIEW IF EXISTS {name}{' CASCADE' if self.server.kind == 'postgresql' else ''}")
            self.query(f"CREATE VIEW {name} AS SELECT a AS id FROM others")
            errors = self.exported(self.many("run.jsonl", 6), 4, table="mine")
            self.assertIn(f"the view {name} belongs to another program; choose another database, or another name with"
                          " ?table=NAME", errors)
            self.assertEqual(self.value(f"SELECT id FROM {name}"), "42")
            self.assertEqual(self.value("SELECT count(*) FROM all_events"), "5")
            self.query(f"DROP VIEW {name}")
        self.exported(self.many("run.jsonl", 6), table="mine")
        self.assertEqual(self.value("SELECT count(*) FROM mine"), "6")


def main(make_server, tests):
    """Arguments: the program, then those of unittest."""
    global PROGRAM
    PROGRAM = os.path.abspath(sys.argv[1])
    try:
        tests.server = make_server()
    except servers.Missing as missing:
        print(f"SKIP {pathlib.Path(sys.argv[0]).resolve()}: {missing}", flush=True)
        sys.exit(77)
    try:
        outcome = unittest.main(argv=[sys.argv[0], *sys.argv[2:]], exit=False).result
    finally:
        tests.server.remove()
    sys.exit(0 if outcome.wasSuccessful() else 1)
