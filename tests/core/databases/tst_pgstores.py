#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Exports to a real PostgreSQL server, next to other exports, clients and programs.

usage: tst_pgstores.py CORO_TRACER_GUI [unittest arguments]
"""

import os
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import servers  # noqa: E402
import storetests  # noqa: E402


class PgStores(storetests.Stores, unittest.TestCase):
    def test_leaves_sessions_in_other_schemas_alone(self):
        for name in "first", "second":
            self.exported(self.many(f"{name}.jsonl", 10))
        self.query(f"CREATE SCHEMA other; ALTER DATABASE {self.database} SET search_path = other")
        self.exported(self.many("third.jsonl", 20))
        self.assertEqual(self.value("SELECT count(*) FROM other.all_events"), "20")
        self.assertEqual(self.value("SELECT count(*) FROM public.all_events"), "20")


if __name__ == "__main__":
    storetests.main(servers.PostgreSql, PgStores)
