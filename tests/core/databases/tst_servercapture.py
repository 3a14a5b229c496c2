#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Captures of running targets that are stored on real database servers while they last.

usage: tst_servercapture.py CORO_TRACER_GUI [unittest arguments]
"""

import json
import os
import pathlib
import signal
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import servers  # noqa: E402
from servertest import PASSWORD, ServerTest, environment, run_all  # noqa: E402

TARGET = "ct_storm"
COROUTINES = 50


def children_of(process):
    return [int(word) for word in pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()]


class Capture(ServerTest):
    options = {"has_tcp": True, "has_tls": True}
    regions = 0

    @classmethod
    def add_users(cls):
        cls.server.add_user("guarded", PASSWORD, needs_tls=True)

    def begin(self, *arguments):
        """Starts a target whose events go to the server, over TLS."""
        address = self.server.tcp_url(self.database, user="guarded", sslmode="require")
        Capture.regions += 1  # that of a killed capture stays
        command = [self.program, "--batch", "--shm", self.folder / f"{Capture.regions}.shm", "--summary", self.folder / "summary.json",
                   "--export", self.server.kind, "--output", address, "--", pathlib.Path(self.program).parent / TARGET,
                   "--coroutines", COROUTINES, *arguments]
        capture = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                   stdin=subprocess.DEVNULL, env=environment(
                                       CT_EMITTED_FILE=str(self.folder / "emitted.json"), **{self.variable: PASSWORD}))
        self.addCleanup(capture.stderr.close)
        self.addCleanup(capture.wait)
        self.addCleanup(capture.kill)
        return capture

    def end(self, capture):
        _, errors = capture.communicate(timeout=servers.PATIENCE_S)
        self.assertEqual(capture.returncode, 0, errors)
        return json.loads((self.folder / "summary.json").read_text())

    def fact(self, name):
        return int(self.value(f"SELECT value FROM trace_info WHERE name = '{name}'"))

    def has_counts_of(self, summary):
        self.assertEqual(int(self.exported()), summary["events"])
        self.assertEqual(int(self.value("SELECT count(*) FROM coroutines")), COROUTINES)
        for name, column in ("events", "events"), ("lost_events", "lost"), ("missed_before_attach", "missed_before_attach"):
            self.assertEqual(self.fact(name), summary[name])
            self.assertEqual(int(self.value(f"SELECT sum({column}) FROM coroutines")), summary[name])
        self.assertEqual(self.fact("complete"), 1)

    def test_has_the_counts_of_the_summary(self):
        summary = self.end(self.begin("--transitions", 20_000, "--rate", 40_000))
        emitted = json.loads((self.folder / "emitted.json").read_text())["emitted"]
        self.assertGreaterEqual(emitted, 20_000)
        self.assertEqual(summary["events"] + summary["lost_events"], emitted)
        self.assertEqual(summary["events_not_written"], 0)
        self.has_counts_of(summary)

    def test_a_killed_capture_leaves_the_session_before(self):
        first = self.end(self.begin("--transitions", 2_000))
        capture = self.begin("--seconds", 600, "--rate", 20_000)
        self.assertEqual(self.server.waiting_for(self.database, self.server.is_writing, "t"), "t")
        self.assertIsNone(capture.poll())
        self.is_encrypted()
        self.has_counts_of(first)
        targets = children_of(capture)
        self.assertNotEqual(targets, [])
        capture.kill()
        capture.wait(servers.PATIENCE_S)
        for target in targets:
            os.kill(target, signal.SIGKILL)
        self.has_counts_of(first)
        self.assertEqual(self.value("SELECT count(*) FROM sessions"), "1")
        self.assertEqual(int(self.value("SELECT count(*) FROM all_events")), first["events"])
        # The next capture also removes the remains of the killed one.
        next_summary = self.end(self.begin("--transitions", 3_000))
        self.has_counts_of(next_summary)
        sessions = {row[0] for row in self.server.query(self.database, "SELECT session FROM sessions")}
        self.assertEqual(len(sessions), 2)
        left = {row[0].rsplit("_", 1)[1] for row in self.server.query(self.database, self.server.tables)}
        self.assertEqual(left - sessions, set())

    def is_encrypted(self):
        """The server admits the user only over TLS."""


class PostgreSqlCapture(Capture):
    kind = servers.PostgreSql

    def is_connected(self, capture):
        established = [":%04X" % self.server.port, "01"]
        lines = pathlib.Path(f"/proc/{capture.pid}/net/tcp").read_text().splitlines()[1:]
        return any([line.split()[2][-5:], line.split()[3]] == established for line in lines)

    def test_a_signal_ends_the_wait_for_a_server_that_does_not_answer(self):
        self.server.process.send_signal(signal.SIGSTOP)
        self.addCleanup(self.server.process.send_signal, signal.SIGCONT)
        capture = self.begin("--transitions", 2_000)
        while not self.is_connected(capture):
            self.assertIsNone(capture.poll())
        capture.send_signal(signal.SIGINT)
        _, errors = capture.communicate(timeout=servers.PATIENCE_S)
        self.assertEqual(capture.returncode, 4, errors)
        self.assertIn(": cancelled", errors)

    def is_encrypted(self):
        self.assertEqual(self.value("SELECT count(*) > 0 AND bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)"
                                    " WHERE usename = 'guarded'"), "t")


class MariaDbCapture(Capture):
    kind = servers.MariaDb


if __name__ == "__main__":
    run_all(PostgreSqlCapture, MariaDbCapture)
