# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that run the program with a real server."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import servers

PASSWORD = "it's \\ \"secret\" \u00e4"
VARIABLES = {"postgresql": "PGPASSWORD", "mysql": "MYSQL_PWD"}


def environment(**more):
    kept = {name: value for name, value in os.environ.items() if name not in VARIABLES.values()}
    return {**kept, "QT_QPA_PLATFORM": "offscreen", **more}


class ServerTest(unittest.TestCase):
    """The tests of a class share a server. Each has its own database and folder. A subclass sets `kind`, and
    `options` of the server."""

    program = ""
    kind = None
    options = {}
    server = None
    number = 0

    @classmethod
    def setUpClass(cls):
        try:
            cls.server = cls.kind(**cls.options)
        except servers.Missing as missing:
            print(f"SKIP {pathlib.Path(sys.argv[0]).resolve()}: {missing}", flush=True)
            sys.exit(77)
        cls.addClassCleanup(cls.server.remove)
        cls.variable = VARIABLES[cls.server.kind]
        cls.add_users()

    @classmethod
    def add_users(cls):
        cls.server.add_user("locked", PASSWORD)

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ct-server-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        ServerTest.number += 1
        self.database = f"traces_{ServerTest.number}"

    def recording(self, name="run.jsonl", events=10):
        path = self.folder / name
        path.write_text("".join(
            json.dumps({"probe_id": 1, "tid": 7, "addr": "0x0000000000001234", "seq": (n // 8 + 1) * 2,
                        "is_active": n % 2 == 1, "ts": 1000 + n}) + "\n" for n in range(events)), encoding="utf-8")
        return path

    def run_with(self, command, **more):
        return subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=servers.PATIENCE_S,
                              stdin=subprocess.DEVNULL, env=environment(**more))

    def export(self, source, target, kind=None, password=PASSWORD, **more):
        """Converts with the password in the environment."""
        return self.run_with([self.program, "--batch", "--input", source, "--export", kind or self.server.kind, "--output",
                              target], **{self.variable: password, **more})

    def value(self, sql):
        return self.server.value(self.database, sql)

    def exported(self):
        return self.value("SELECT count(*) FROM coro_trace_events")


def run_all(*classes):
    """The main function of a test program, whose first argument is the program to test."""
    ServerTest.program = os.path.abspath(sys.argv.pop(1))

    def load_tests(loader, _tests, _pattern):
        return unittest.TestSuite(map(loader.loadTestsFromTestCase, classes))

    sys.modules["__main__"].load_tests = load_tests
    unittest.main()
