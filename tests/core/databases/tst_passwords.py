#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Exports to real database servers that want a password.

usage: tst_passwords.py CORO_TRACER_GUI [unittest arguments]
"""

import os
import signal
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import servers  # noqa: E402
from servertest import PASSWORD, ServerTest, environment, run_all  # noqa: E402
from terminal import Terminal  # noqa: E402

EVENTS = 10


class Password(ServerTest):
    def setUp(self):
        super().setUp()
        self.source = self.recording(events=EVENTS)
        self.command = [self.program, "--batch", "--input", self.source, "--export", self.server.kind, "--output",
                        self.server.url(self.database, user="locked")]

    def prompted(self):
        terminal = Terminal(self.command, environment())
        self.assertTrue(terminal.shows(f"Password of user locked for {self.server.scheme}://"), terminal.text)
        self.assertFalse(terminal.echoes())
        return terminal

    def test_comes_from_the_environment(self):
        done = self.run_with(self.command, **{self.variable: PASSWORD})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.exported(), str(EVENTS))

    def test_is_the_reason_that_an_error_names(self):
        for password in ("", "another"):
            done = self.run_with(self.command, **({self.variable: password} if password else {}))
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertIn(f"set {self.variable} in the environment to the password of the user locked", done.stderr)
            self.assertNotIn("another", done.stderr)
        self.assertFalse(self.server.has_database(self.database))

    def test_is_typed_on_a_terminal_without_echo(self):
        terminal = self.prompted()
        terminal.type(PASSWORD + "\n")
        self.assertEqual(terminal.end(), 0, terminal.text)
        self.assertNotIn("secret", terminal.text)
        self.assertEqual(self.exported(), str(EVENTS))

    def test_is_asked_for_once(self):
        terminal = self.prompted()
        terminal.type("another\n")
        self.assertEqual(terminal.end(), 4, terminal.text)
        self.assertEqual(terminal.text.count("Password of"), 1)
        self.assertIn(f"enter the right password of the user locked, or set {self.variable}", terminal.text)

    def test_prompt_ends_with_ctrl_c_and_restores_the_terminal(self):
        terminal = self.prompted()
        terminal.type("sec\x03")
        terminal.process.wait(servers.PATIENCE_S)
        self.assertTrue(terminal.echoes())
        self.assertEqual(terminal.end(), -signal.SIGINT)

    def test_on_the_command_line_works_with_a_warning(self):
        where = {"postgresql": ["-db-host", self.server.socket()], "mysql": ["-mysql-socket", self.server.socket()]}[self.server.kind]
        done = self.run_with([self.program, "-in", self.source, "-export", self.server.kind, "-db-name", self.database, "-db-user",
                              "locked", "-db-password", PASSWORD, *where])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("visible in the list of processes", done.stderr)
        self.assertEqual(self.exported(), str(EVENTS))


class PostgreSqlPassword(Password):
    kind = servers.PostgreSql


class MariaDbPassword(Password):
    kind = servers.MariaDb


if __name__ == "__main__":
    run_all(PostgreSqlPassword, MariaDbPassword)
