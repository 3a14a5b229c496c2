#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Exports to a real MariaDB server, next to other exports, clients and programs.

usage: tst_mysqlstores.py CORO_TRACER_GUI [unittest arguments]
"""

import os
import signal
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import servers  # noqa: E402
import storetests  # noqa: E402


class MysqlStores(storetests.Stores, unittest.TestCase):
    lock = "CONCAT(DATABASE(), '.corotracer.', {})"

    def abandon(self, session):
        """Leaves the session as a killed export does."""
        self.query(f"INSERT INTO stored_sessions (session) VALUES ({session});"
                   f"CREATE TABLE events_of_session_{session} (a INT)")

    def test_keeps_a_session_that_is_stored_while_others_are_removed(self):
        self.exported(self.many("first.jsonl", 10))
        self.exported(self.many("second.jsonl", 20))
        # The first session is of a killed export, the second one of an export that is about to end.
        other = self.client()
        other.run(f"DO GET_LOCK({self.lock.format(2)}, 0)")
        other.run("UPDATE stored_sessions SET stored_at = NULL")
        reader = self.client()
        reader.run("BEGIN; SELECT count(*) FROM all_events")
        running = self.begin(self.many("third.jsonl", 30))
        self.waiting_for("SELECT count(*) FROM information_schema.PROCESSLIST WHERE DB = DATABASE()"
                         " AND INFO LIKE 'ALTER TABLE % DROP PARTITION session_1'"
                         " AND STATE LIKE 'Waiting for table metadata lock'", "1")
        other.run("UPDATE stored_sessions SET stored_at = now(6) WHERE session = 2")
        other.run(f"DO RELEASE_LOCK({self.lock.format(2)})")
        reader.run("COMMIT")
        self.ended(running)
        self.assertEqual(self.query("SELECT session, count(*) FROM all_events GROUP BY session ORDER BY session"),
                         [["2", "20"], ["3", "30"]])

    def test_removes_nothing_while_another_export_changes_the_tables(self):
        """Otherwise it would miss the table that is being changed, and forget the session that is still in it."""
        source = self.many("run.jsonl", 10)
        self.exported(source)
        self.query("UPDATE stored_sessions SET stored_at = NULL")
        other = self.client()
        lock = self.lock.format("'attaching'")
        other.run(f"DO GET_LOCK({lock}, 0)")
        running = self.begin(source)
        # At its beginning, the export has found the lock busy; at its end, it waits for it.
        self.waiting_for("SELECT count(*) FROM information_schema.PROCESSLIST WHERE DB = DATABASE()"
                         " AND INFO LIKE 'SELECT GET_LOCK(%attaching%, 10) = 1'", "1")
        self.assertEqual(self.query("SELECT session FROM stored_sessions ORDER BY session"), [["1"], ["2"]])
        other.run(f"DO RELEASE_LOCK({lock})")
        self.ended(running)
        self.assertEqual(self.query("SELECT session FROM stored_sessions"), [["2"]])
        self.assertEqual(self.ghosts(), [])

    def test_hides_no_session_if_its_own_was_removed(self):
        source = self.many("run.jsonl", 10)
        self.exported(source)
        self.many("run.jsonl", 200_000)
        running = self.begin(source)
        self.waiting_for("SELECT count(*) FROM stored_sessions", "2")
        self.query("DELETE FROM stored_sessions WHERE stored_at IS NULL")
        self.assertIn("nothing of this session was stored", self.ended(running, 4))
        self.assertEqual(self.value("SELECT count(*) FROM coro_trace_events"), "10")

    def test_a_quiet_export_stays_connected(self):
        self.exported(self.many("first.jsonl", 10))
        limit = self.server.value("mysql", "SELECT @@GLOBAL.wait_timeout")
        self.server.query("mysql", "SET GLOBAL wait_timeout = 1")
        self.addCleanup(self.server.query, "mysql", f"SET GLOBAL wait_timeout = {limit}")
        running = self.begun("second.jsonl")
        running.send_signal(signal.SIGSTOP)
        self.waiting_for("SELECT coalesce(max(TIME), 99) > 2 FROM information_schema.PROCESSLIST"
                         " WHERE DB = DATABASE() AND ID <> CONNECTION_ID()", "1")
        running.send_signal(signal.SIGCONT)
        self.ended(running)
        self.assertEqual(self.value("SELECT count(*) FROM coro_trace_events"), "200000")

    def repeats(self, running, pattern):
        """Waits until the export runs a statement for the second time."""
        attempts = set()
        while len(attempts) < 2 and running.poll() is None:
            attempts |= {row[0] for row in self.query("SELECT QUERY_ID FROM information_schema.PROCESSLIST"
                                                      f" WHERE DB = DATABASE() AND INFO LIKE '{pattern}'")}

    def test_waits_for_reports_that_read_for_long(self):
        self.exported(self.many("first.jsonl", 10))
        reader = self.client()
        reader.run("BEGIN; SELECT count(*) FROM all_events")
        running = self.begin(self.many("second.jsonl", 20))
        self.repeats(running, "ALTER TABLE % ADD PARTITION %")
        reader.run("COMMIT")
        self.ended(running)
        self.assertEqual(self.value("SELECT count(*) FROM coro_trace_events"), "20")

    def test_waits_for_exports_that_change_a_table_for_long(self):
        self.exported(self.many("first.jsonl", 10))
        running = self.begun("second.jsonl")
        running.send_signal(signal.SIGSTOP)  # before it needs the table
        other = self.client()
        other.run("LOCK TABLES all_coroutines WRITE")
        running.send_signal(signal.SIGCONT)
        self.repeats(running, "CREATE TABLE %coroutines_of_session_2%")
        other.run("UNLOCK TABLES")
        self.ended(running)
        self.assertEqual(self.value("SELECT count(*) FROM coro_trace_events"), "200000")

    def test_says_that_the_outcome_of_a_lost_update_is_not_known(self):
        source = self.many("run.jsonl", 10)
        self.exported(source)
        self.client().run("BEGIN; SELECT session FROM stored_sessions WHERE session = 1 FOR UPDATE")
        running = self.begin(source)
        updating = ("SELECT {} FROM information_schema.PROCESSLIST WHERE DB = DATABASE()"
                    " AND INFO LIKE 'UPDATE stored_sessions %'")
        self.waiting_for(updating.format("count(*)"), "1")
        self.query(f"KILL {self.value(updating.format('ID'))}")
        self.assertIn("it is not known whether this session was stored; look for it in the view `sessions`",
                      self.ended(running, 4))

    def test_an_interrupted_export_removes_its_tables(self):
        self.exported(self.many("first.jsonl", 10))
        running = self.begin(self.many("large.jsonl", 400_000))
        self.waiting_for(self.server.is_writing, "t")
        running.send_signal(signal.SIGINT)
        self.ended(running, 128 + signal.SIGINT)
        self.exported(self.many("second.jsonl", 20))
        self.assertEqual(self.query(self.server.tables), [])
        self.assertEqual(self.value("SELECT count(*) FROM all_events"), "30")

    def test_databases_can_have_long_names(self):
        self.database = "d" * 64
        for events in 10, 20:
            self.exported(self.many("run.jsonl", events))
        self.assertEqual(self.value("SELECT count(*) FROM all_events"), "20")

    def test_exports_to_servers_that_do_not_commit_by_themselves(self):
        self.server.query("mysql", "SET GLOBAL autocommit = 0")
        self.addCleanup(self.server.query, "mysql", "SET GLOBAL autocommit = 1")
        for events in 10, 20:
            self.exported(self.many("run.jsonl", events))
        self.assertEqual(self.value("SELECT count(*) FROM all_events"), "20")

    def test_texts_stay_texts_in_servers_that_read_no_backslashes(self):
        mode = self.server.value("mysql", "SELECT @@GLOBAL.sql_mode")
        self.server.query("mysql", "SET GLOBAL sql_mode = 'NO_BACKSLASH_ESCAPES'")
        self.addCleanup(self.server.query, "mysql", f"SET GLOBAL sql_mode = '{mode}'")
        source = self.many("a\\b'c.jsonl", 10)
        self.exported(source)
        self.assertEqual(self.value("SELECT `key` FROM sessions"), str(source))


if __name__ == "__main__":
    storetests.main(servers.MariaDb, MysqlStores)
