#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Exports to real database servers that want a password.

usage: tst_passwords.py CORO_TRACER_GUI [unittest arguments]
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import servers  # noqa: E402
from terminal import Terminal  # noqa: E402

PROGRAM = ""
EVENTS = 10
PASSWORD = "it's \\ \"secret\" \u00e4"
VARIABLES = {"postgresql": "PGPASSWORD", "mysql": "MYSQL_PWD"}


def environment(**more):
    kept = {name: value for name, value in os.environ.items() if name not in VARIABLES.values()}
    return {**kept, "QT_QPA_PLATFORM": "offscreen", **more}


class Password(unittest.TestCase):
    number = 0
    kind = None
    server = None

    @classmethod
    def setUpClass(cls):
        try:
            cls.server = cls.kind()
        except servers.Missing as missing:
            print(f"SKIP {pathlib.Path(__file__).resolve()}: {missing}", flush=True)
            sys.exit(77)
        cls.addClassCleanup(cls.server.remove)
        cls.server.add_user("locked", PASSWORD)

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="ct-passwords-")
        Password.number += 1
        self.database = f"traces_{Password.number}"
        self.variable = VARIABLES[self.server.kind]
        self.source = pathlib.Path(self.folder.name, "run.jsonl")
        self.source.write_text("".join(
            json.dumps({"probe_id": 1, "tid": 7, "addr": "0x0000000000001234", "seq": (n // 8 + 1) * 2,
                        "is_active": n % 2 == 1, "ts": 1000 + n}) + "\n" for n in range(EVENTS)), encoding="utf-8")
        self.command = [PROGRAM, "--batch", "--input", self.source, "--export", self.server.kind, "--output",
                        self.server.url(self.database, user="locked")]

    def tearDown(self):
        self.folder.cleanup()

    def run_with(self, command, **more):
        return subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=servers.PATIENCE_S,
                              stdin=subprocess.DEVNULL, env=environment(**more))

    def exported(self):
        return self.server.value(self.database, "SELECT count(*) FROM coro_trace_events")

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
            self.assertIn(f"give the password of the user locked when you are asked for it, or set {self.variable}",
                          done.stderr)
            self.assertNotIn("another", done.stderr)
        self.assertFalse(self.server.has_database(self.database))

    def test_is_typed_on_a_terminal_which_does_not_show_it(self):
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
        self.assertIn("the password of the user locked", terminal.text)

    def test_prompt_ends_with_ctrl_c_and_restores_the_terminal(self):
        terminal = self.prompted()
        terminal.type("sec\x03")
        terminal.process.wait(servers.PATIENCE_S)
        self.assertTrue(terminal.echoes())
        self.assertEqual(terminal.end(), -signal.SIGINT)

    def test_on_the_command_line_works_with_a_warning(self):
        where = {"postgresql": ["-db-host", self.server.socket()], "mysql": ["-mysql-socket", self.server.socket()]}[self.server.kind]
        done = self.run_with([PROGRAM, "-in", self.source, "-export", self.server.kind, "-db-name", self.database, "-db-user",
                              "locked", "-db-password", PASSWORD, *where])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("visible in the list of processes", done.stderr)
        self.assertEqual(self.exported(), str(EVENTS))


class PostgreSqlPassword(Password):
    kind = servers.PostgreSql


class MariaDbPassword(Password):
    kind = servers.MariaDb


def load_tests(loader, _tests, _pattern):
    return unittest.TestSuite(map(loader.loadTestsFromTestCase, (PostgreSqlPassword, MariaDbPassword)))


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
