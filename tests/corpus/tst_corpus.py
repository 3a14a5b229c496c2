#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Judges the recordings of the corpus, and compares the findings with the labels.

The recordings are in recordings/VARIANT/PROGRAM.ctr; `run.py --record` makes them. A broken program must be found out,
and no program may be accused without reason, except as labels.ini admits.

usage: tst_corpus.py ENGINE [unittest arguments]
"""

import concurrent.futures
import os
import re
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import corpus  # noqa: E402
import tables  # noqa: E402

ENGINE = ""
RECORDINGS = corpus.HERE / "recordings"
LARGEST = 4 * 1024 * 1024


def recorded():
    """Pairs of a program and a variant of which there is a recording."""
    return [(program, variant) for program in corpus.programs() for variant in program.recorded_variants
            if (RECORDINGS / variant / program.file).exists()]


class Recordings(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.pairs = recorded()
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            cls.reports = list(pool.map(lambda pair: corpus.judge(ENGINE, RECORDINGS / pair[1] / pair[0].file), cls.pairs))

    def comparisons(self):
        for (program, variant), report in zip(self.pairs, self.reports):
            yield program, variant, corpus.compare(program, variant, report)

    def test_no_program_is_accused_without_reason(self):
        for program, variant, comparison in self.comparisons():
            if variant not in program.accused:
                with self.subTest(program=program.title, variant=variant):
                    self.assertEqual([corpus.text_of(finding) for finding in comparison.wrong], [])

    def test_broken_programs_are_found_out(self):
        for program, variant, comparison in self.comparisons():
            if program.is_broken and variant not in program.misses:
                with self.subTest(program=program.title, variant=variant):
                    self.assertTrue(comparison.is_found)

    def test_every_report_judges_a_run(self):
        for (program, variant), report in zip(self.pairs, self.reports):
            with self.subTest(program=program.title, variant=variant):
                self.assertGreater(report["events"], 0)
                self.assertGreater(report["judged_at_ns"], 0)


class Script(unittest.TestCase):
    def test_the_tables_come_from_one_command(self):
        build = os.path.dirname(os.path.dirname(ENGINE))
        done = subprocess.run([sys.executable, corpus.HERE / "run.py", "--judge", RECORDINGS, "--build", build],
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        for variant in corpus.VARIANTS:
            self.assertIn(f"With {variant}:", done.stdout)
        self.assertIn("| lost-wakeup |", done.stdout)


class Corpus(unittest.TestCase):
    def test_it_is_large_and_balanced(self):
        programs = corpus.programs()
        broken = [program for program in programs if program.is_broken]
        self.assertGreaterEqual(len(programs), 60)
        self.assertGreaterEqual(len(programs) - len(broken), len(broken))

    def test_each_label_is_of_a_program(self):
        sources = [path for pattern in ("programs/main.cpp", "peers/*.cpp") for path in corpus.HERE.glob(pattern)]
        sources.append(corpus.HERE.parent / "rust/tokio/src/bin/corpus_tokio.rs")
        text = "".join(path.read_text(encoding="utf-8") for path in sources)
        quoted = set(re.findall('"([a-z0-9-]+)"', text))
        self.assertEqual({program.name for program in corpus.programs()} - quoted, set())

    def test_each_program_is_recorded(self):
        present = set(recorded())
        missing = [(program.title, variant) for program in corpus.programs() for variant in program.recorded_variants
                   if (program, variant) not in present]
        self.assertEqual(missing, [])

    def test_each_recording_has_a_label(self):
        known = {RECORDINGS / variant / program.file for program, variant in recorded()}
        self.assertEqual(set(RECORDINGS.glob("*/*")) - known, set())

    def test_the_recordings_are_small(self):
        self.assertLess(sum(path.stat().st_size for path in RECORDINGS.glob("*/*")), LARGEST)


class Tables(unittest.TestCase):
    def test_intervals_are_those_of_clopper_and_pearson(self):
        # Values of R: binom.test(x, n)$conf.int
        for count, trials, low, high in [(0, 10, 0, 0.3085), (10, 10, 0.6915, 1), (7, 10, 0.3475, 0.9333)]:
            with self.subTest(count=count):
                self.assertAlmostEqual(tables.interval(count, trials)[0], low, places=4)
                self.assertAlmostEqual(tables.interval(count, trials)[1], high, places=4)

    def test_a_program_counts_once_however_often_it_runs(self):
        broken = next(program for program in corpus.programs() if program.is_broken)

        def outcome(found):
            return tables.Outcome(broken, "plain", {"found": found, "abstained": True, "right": [], "wrong_rules": []})

        self.assertTrue(tables.recall([outcome(True)] * 3 + [outcome(False)]).startswith("0.75 "))
        self.assertTrue(tables.coverage([outcome(True)] * 3 + [outcome(False)]).startswith("0.75 "))


class Names(unittest.TestCase):
    def test_of_functions(self):
        for function in ["corpus::Task<> corpus::{anonymous}::work(corpus::World&, int)", "work", "server::work",
                         "corpus::(anonymous namespace)::work(Wheel&, int)", "Task<std::vector<int>> work()",
                         "corpus_tokio::work::{{closure}}", "QCoro::Task<> {anonymous}::work(const Setting&)"]:
            with self.subTest(function=function):
                self.assertEqual(corpus.name_of(function), "work")


class Comparison(unittest.TestCase):
    @staticmethod
    def report(*findings):
        return {"findings": [{"rule": rule, "severity": severity, "site": {"function": function}, "message": ""}
                             for rule, severity, function in findings], "abstained": []}

    def setUp(self):
        self.broken = corpus.Program("p", "own", True, ("deadlock",), ("lost-wakeup",), ("work",), (), (), (), 4)
        self.healthy = corpus.Program("p", "own", False, (), (), ("work",), (), (), (), 4)

    def test_information_accuses_nobody(self):
        result = corpus.compare(self.healthy, "plain", self.report(("leak", "info", "work")))
        self.assertEqual(result.wrong, [])

    def test_any_accusation_of_a_healthy_program_is_wrong(self):
        result = corpus.compare(self.healthy, "plain", self.report(("deadlock", "warning", "work")))
        self.assertEqual(len(result.wrong), 1)

    def test_an_accusation_elsewhere_is_wrong(self):
        result = corpus.compare(self.broken, "causes", self.report(("deadlock", "error", "corpus::Task<> other(World&)")))
        self.assertEqual((result.is_found, len(result.wrong)), (False, 1))

    def test_a_consequence_is_found_only_without_causes(self):
        report = self.report(("lost-wakeup", "warning", "corpus::Task<> corpus::{anonymous}::work(World&, int)"))
        self.assertFalse(corpus.compare(self.broken, "causes", report).is_found)
        self.assertTrue(corpus.compare(self.broken, "plain", report).is_found)
        self.assertEqual(corpus.compare(self.broken, "causes", report).wrong, [])


if __name__ == "__main__":
    ENGINE = sys.argv.pop(1)
    unittest.main(verbosity=2)
