#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Exports to a real PostgreSQL server, next to other exports, clients and programs.

usage: tst_pgstores.py CORO_TRACER_GUI [unittest arguments]
"""

import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import servers  # noqa: E402
import storetests  # noqa: E402


def message(kind, content):
    return kind + struct.pack(">i", len(content) + 4) + content


class LyingServer:
    """Speaks PostgreSQL's protocol up to `statement`, which it answers with `lie`: once, or until the client is gone.
    After that it reads nothing, unless the lie is a whole answer."""

    def __init__(self, folder, statement, lie, repeats):
        self.statement, self.lie, self.repeats = statement, lie, repeats
        self.is_done = threading.Event()
        self.is_lying = threading.Event()
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(f"{folder}/.s.PGSQL.5432")
        self.listener.listen()
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return  # closed
            threading.Thread(target=self.answer, args=[client], daemon=True).start()

    def answer(self, client):
        ready = message(b"Z", b"I")
        with client, client.makefile("rb") as requests:
            try:
                requests.read(struct.unpack(">i", requests.read(4))[0] - 4)
                if not self.statement:
                    self.is_lying.set()
                    self.is_done.wait()
                client.sendall(message(b"R", bytes(4)) + message(b"S", b"server_version\0" b"15.0\0")
                               + message(b"S", b"client_encoding\0UTF8\0") + ready)
                while kind := requests.read(1):
                    content = requests.read(struct.unpack(">i", requests.read(4))[0] - 4)
                    if kind != b"Q":
                        continue
                    if not content.startswith(self.statement):
                        client.sendall(message(b"C", b"SET\0") + ready)
                        continue
                    client.sendall(self.lie)
                    self.is_lying.set()
                    if self.lie.endswith(ready):
                        continue
                    while self.repeats:
                        client.sendall(self.lie)
                    self.is_done.wait()
            except OSError:
                pass  # the client is gone

    def close(self):
        self.is_done.set()
        self.listener.close()


class PgStores(storetests.Stores, unittest.TestCase):
    def rows_read(self, session):
        """The events of a session that is read."""
        done = subprocess.run([storetests.PROGRAM, "--batch", "--input",
                               self.server.url(self.database, session=str(session)), "--export", "csv", "--output",
                               str(self.path("run.csv"))], capture_output=True, text=True, env=storetests.ENVIRONMENT)
        self.assertEqual(done.returncode, 0, done.stderr)
        return len(self.path("run.csv").read_text(encoding="utf-8").splitlines()) - 1

    def test_sessions_can_have_long_names(self):
        self.assertEqual(self.rows_read(self.exported_with_a_long_name()), 20)

    def test_leaves_sessions_in_other_schemas_alone(self):
        for name in "first", "second":
            self.exported(self.many(f"{name}.jsonl", 10))
        self.query(f"CREATE SCHEMA other; ALTER DATABASE {self.database} SET search_path = other")
        self.exported(self.many("third.jsonl", 20))
        self.assertEqual(self.value("SELECT count(*) FROM other.all_events"), "20")
        self.assertEqual(self.value("SELECT count(*) FROM public.all_events"), "20")

    def test_views_show_their_own_schema_to_every_reader(self):
        self.exported(self.many("first.jsonl", 10))
        self.query(f"CREATE SCHEMA other; ALTER DATABASE {self.database} SET search_path = other")
        self.exported(self.many("second.jsonl", 20), table="mine")
        for path in "public", "other", "nothing":
            self.query(f"ALTER DATABASE {self.database} SET search_path = {path}")
            for view, events in (("public.events", 10), ("public.coro_trace", 10), ("other.events", 20), ("other.mine", 20)):
                self.assertEqual(self.value(f"SELECT count(*) FROM {view}"), str(events), (view, path))

    def test_views_read_only_the_partition_of_their_session(self):
        for name, events in ("first", 10), ("second", 20):
            self.exported(self.many(f"{name}.jsonl", events))
        for view in "events", "coro_trace_events":
            plan = "\n".join(row[0] for row in self.query(f"EXPLAIN (ANALYZE, TIMING off) SELECT * FROM {view}"))
            self.assertRegex(plan, r"events_of_session_1 .*\(never executed\)")
            self.assertRegex(plan, r"events_of_session_2 .*\(actual rows=20 ")

    def test_exports_at_the_same_moment_whatever_the_isolation_of_the_database(self):
        self.exported(self.many("other.jsonl", 10))
        source = self.many("run.jsonl", 20_000)
        for level in "repeatable read", "serializable":
            self.query(f"ALTER DATABASE {self.database} SET default_transaction_isolation = '{level}'")
            for _ in range(3):
                self.exported_together(source, source)
                self.assertEqual(self.stored(), [self.whole("other.jsonl", 10), self.whole("run.jsonl", 20_000)])

    def reader(self):
        """A report that has read a view, and whose transaction stays open."""
        reader = self.client()
        reader.run("BEGIN; SELECT count(*) FROM events; SELECT count(*) FROM coro_trace_events")
        return reader

    def test_exports_beside_a_report_that_reads_for_long(self):
        self.exported(self.many("first.jsonl", 10))
        self.query(f"ALTER DATABASE {self.database} SET log_statement = 'all'")
        reader = self.reader()
        self.exported(self.many("second.jsonl", 20))
        self.assertEqual(reader.run("SELECT count(*) FROM events"), ["20"])
        self.assertNotIn("statement: CREATE OR REPLACE VIEW", (self.server.folder / "log").read_text(errors="replace"))

    def test_replaces_views_that_are_missing_or_different(self):
        self.exported(self.many("first.jsonl", 10), table="mine")
        self.query("DROP VIEW threads, processes CASCADE; CREATE OR REPLACE VIEW gaps AS SELECT coroutine, first_n, events,"
                   " kind, after_event FROM all_gaps WHERE session = current_setting('corotracer.session')::integer LIMIT 7")
        definition = "SELECT definition FROM pg_views WHERE viewname = '{}'"
        self.query("ALTER VIEW flags RENAME TO old_flags")
        self.exported(self.many("second.jsonl", 20), table="mine")
        self.assertNotIn("LIMIT 7", self.value(definition.format("gaps")))
        for view in "threads", "processes", "flags":
            self.assertIn("stored_sessions", self.value(definition.format(view)))

    def test_names_only_the_remedy_that_fits(self):
        others = "tables of other programs"
        locked = message(b"E", b"SERROR\0C55P03\0Mcanceling statement due to lock timeout\0\0") + message(b"Z", b"I")
        errors = self.ended(self.lied_to(b"CREATE", locked)[1], 4)
        self.assertIn("; end the programs that use these tables, and export again", errors)
        self.assertNotIn(others, errors)
        self.exported(self.many("first.jsonl", 10))
        self.query(f"ALTER DATABASE {self.database} SET default_transaction_read_only = on")
        errors = self.exported(self.many("second.jsonl", 20), 4)
        self.assertIn("; choose a server that is no standby", errors)
        self.assertNotIn(others, errors)
        self.server.query("postgres", f"ALTER DATABASE {self.database} RESET default_transaction_read_only")
        self.query("DROP VIEW gaps; ALTER TABLE all_gaps DROP COLUMN events CASCADE")
        self.assertIn(others, self.exported(self.many("second.jsonl", 20), 4))

    def test_says_which_role_the_tables_belong_to(self):
        for user in "alice", "bob":
            self.server.query("postgres", f"CREATE ROLE {user} LOGIN")
            self.addCleanup(self.server.query, "postgres", f"DROP ROLE {user}")
        self.server.query("postgres", f"CREATE DATABASE {self.database}")
        self.addCleanup(self.server.query, "postgres", f"DROP DATABASE {self.database}")
        self.query("GRANT ALL ON SCHEMA public TO alice, bob")
        self.exported(self.many("first.jsonl", 10), user="alice")
        self.query("GRANT ALL ON ALL TABLES IN SCHEMA public TO bob; GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO bob")
        errors = self.exported(self.many("second.jsonl", 20), 4, user="bob")
        self.assertIn("belongs to the role alice; export as this role, let an administrator make your role a member of it,"
                      " or choose another database; nothing of this session was stored", errors)
        self.assertNotIn("the right to create tables", errors)
        self.query("GRANT alice TO bob")
        self.exported(self.many("first.jsonl", 20), user="bob")
        self.assertEqual(self.value("SELECT count(*) FROM events"), "20")
        # Partitions that belong to another role do not keep the owner from dropping its own.
        for events in 30, 40:
            self.exported(self.many("first.jsonl", events), user="alice")
        self.assertEqual(self.value("SELECT count(*) FROM all_events WHERE session = 3"), "0")

    def test_texts_stay_texts_in_databases_that_read_backslashes(self):
        self.exported(self.many("first.jsonl", 5))
        self.query("CREATE TABLE others (a integer)")
        self.query(f"ALTER DATABASE {self.database} SET standard_conforming_strings = off")
        source = self.many("\\'; DROP TABLE others; --.jsonl", 10)
        self.exported(source)
        self.assertEqual(self.value("SELECT count(*) FROM others"), "0")
        self.assertEqual(self.value("SELECT count(*) FROM sessions WHERE right(key, 8) = '--.jsonl'"), "1")
        self.assertEqual(self.rows_read(source), 10)
        self.assertEqual(self.value("SELECT count(*) FROM others"), "0")

    def test_makes_indexes_before_others_have_to_wait(self):
        self.exported(self.many("first.jsonl", 5))
        self.query(f"ALTER DATABASE {self.database} SET log_statement = 'all'")
        self.exported(self.many("second.jsonl", 10))
        log = (self.server.folder / "log").read_text(errors="replace")
        locked = log.rindex("SELECT pg_advisory_xact_lock")
        for statement in 'CREATE INDEX ON "events_of_session_2"', '"events_of_session_2" ADD PRIMARY KEY':
            self.assertIn(statement, log[:locked])
            self.assertNotIn(statement, log[locked:])
        self.assertIn('ATTACH PARTITION "events_of_session_2"', log[locked:])
        # The partitioned table has adopted the indexes, and made none of its own.
        self.assertEqual(self.query("SELECT count(*), count(i.inhparent) FROM pg_index x"
                                    " LEFT JOIN pg_inherits i ON i.inhrelid = x.indexrelid"
                                    " WHERE x.indrelid = 'events_of_session_2'::regclass"), [["5", "5"]])

    def test_new_databases_have_all_characters(self):
        run = self.server.query
        run("postgres", "UPDATE pg_database SET datistemplate = false WHERE datname = 'template1'")
        run("postgres", "DROP DATABASE template1")
        run("postgres", "CREATE DATABASE template1 TEMPLATE template0 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'")
        self.exported(self.many("\U0001f600.jsonl", 10))
        self.assertEqual(self.value("SHOW server_encoding"), "UTF8")
        self.assertEqual(self.value("SELECT right(key, 7) FROM sessions"), "\U0001f600.jsonl")

    is_committing = ("SELECT {} FROM pg_stat_activity WHERE datname = current_database() AND query = 'COMMIT'"
                     " AND wait_event = 'advisory'")

    def committing(self):
        """An export that waits in COMMIT."""
        self.exported(self.many("first.jsonl", 5))
        self.query("CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS"
                   " $$ BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NULL; END $$;"
                   "CREATE CONSTRAINT TRIGGER wait AFTER INSERT ON stored_sessions DEFERRABLE INITIALLY DEFERRED"
                   " FOR EACH ROW EXECUTE FUNCTION wait()")
        self.client().run("SELECT pg_advisory_lock(1)")
        running = self.begin(self.many("second.jsonl", 10))
        self.waiting_for(self.is_committing.format("count(*)"), "1")
        return running

    def test_says_that_the_outcome_of_a_lost_commit_is_not_known(self):
        running = self.committing()
        self.query(self.is_committing.format("pg_terminate_backend(pid)"))
        self.assertIn("it is not known whether this session was stored; look for it in the view `sessions`",
                      self.ended(running, 4))

    def test_says_that_the_outcome_of_an_interrupted_commit_is_not_known(self):
        running = self.committing()
        running.send_signal(signal.SIGINT)
        self.assertIn("see in the view `sessions` of the database whether the session was stored",
                      self.ended(running, 128 + signal.SIGINT))

    def test_the_server_cancels_statements_of_a_killed_export(self):
        running = self.committing()
        running.kill()
        self.waiting_for(self.is_committing.format("count(*)"), "0")

    def lied_to(self, statement, lie=b"", repeats=False, events=5):
        folder = self.path("socket")
        folder.mkdir(exist_ok=True)
        (folder / ".s.PGSQL.5432").unlink(missing_ok=True)
        lying = LyingServer(folder, statement, lie, repeats)
        self.addCleanup(lying.close)
        running = self.begin(self.many("run.jsonl", events), socket=folder)
        return lying, running

    def test_gives_up_a_server_that_begins_a_copy(self):
        for kind in b"G", b"H", b"W":  # COPY from the client, to the client, both
            _, running = self.lied_to(b"BEGIN", message(kind, bytes(3)))
            self.assertIn("the answer does not fit the statement", self.ended(running, 4))

    def interrupted(self, lying, running):
        self.assertTrue(lying.is_lying.wait(servers.PATIENCE_S))
        running.send_signal(signal.SIGINT)
        return self.ended(running, 128 + signal.SIGINT)

    def test_can_be_interrupted_while_a_server_sends_endless_answers(self):
        self.interrupted(*self.lied_to(b"BEGIN", message(b"C", b"SET\0"), repeats=True, events=400_000))

    def test_can_be_interrupted_while_a_server_reads_no_rows(self):
        errors = self.interrupted(*self.lied_to(b"COPY", message(b"G", bytes(3)), events=400_000))
        self.assertIn("interrupted: nothing was written", errors)

    def test_can_be_interrupted_while_it_connects(self):
        self.interrupted(*self.lied_to(b""))


if __name__ == "__main__":
    storetests.main(servers.PostgreSql, PgStores)
