#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests tests/busy.py on a build tree of six small tests: passes, failures, resuming, and the commit.

tst_busy.py <source directory>
"""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

BUSY = pathlib.Path(sys.argv.pop(1)) / "tests/busy.py"
IDENTITY = {f"GIT_{who}_{what}": "test@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
# Git hooks and git rebase --exec set variables that name their own repository. The git of this test must not see them.
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
ENVIRONMENT |= IDENTITY | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
TESTS = """
add_test(tst_good "/bin/sh" "-c" "echo >> {runs}")
add_test(tst_bad "/bin/false")
add_test(tst_skipped "/bin/sh" "-c" "exit 77")
set_tests_properties(tst_skipped PROPERTIES SKIP_RETURN_CODE 77)
add_test(tst_missing "/no/such/program")
add_test(tst_timing "/bin/sh" "-c" "echo >> {runs}")
set_tests_properties(tst_timing PROPERTIES LABELS "gui")
add_test(tst_waits "/bin/sh" "-c" "echo >> {runs}; exec sleep 2")
"""
PATIENCE = 150  # s


def groupRuns(group):
    """True if the process group has a process that is no zombie. kill() cannot check this: it also finds zombies, and
    in a container, process 1 may never reap them."""
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            # The name, field 2, may contain anything; fields 3 to 5 follow its last parenthesis.
            state, _, itsGroup = stat.read_text(errors="replace").rpartition(")")[2].split()[:3]
        except (OSError, ValueError):
            continue  # the process has ended
        if int(itsGroup) == group and state not in "ZX":
            return True
    return False


class BusyTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.source = pathlib.Path(scratch.name) / "source"
        self.build = pathlib.Path(scratch.name) / "build"
        self.source.mkdir()
        self.build.mkdir()
        self.runs = self.build / "runs"
        (self.build / "CTestTestfile.cmake").write_text(TESTS.format(runs=self.runs))
        (self.build / "CMakeCache.txt").write_text(f"CMAKE_HOME_DIRECTORY:INTERNAL={self.source}\n")
        self.git("init", "--quiet")
        self.commit = self.newCommit()

    def git(self, *words):
        command = ["git", "-C", str(self.source), *words]
        done = subprocess.run(command, env=ENVIRONMENT, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def newCommit(self):
        self.git("commit", "--quiet", "--allow-empty", "--message", "test")
        return self.git("rev-parse", "HEAD")[:12]

    def command(self, *options, build=None):
        rounds = ["--rounds", "2", "--timing-rounds", "3", "--spinners", "1"]
        return [sys.executable, str(BUSY), "--build", str(build or self.build), *rounds, *options]

    def busy(self, *options, build=None, environment=ENVIRONMENT):
        command = self.command(*options, build=build)
        return subprocess.run(command, cwd=self.build.parent, env=environment, capture_output=True, text=True)

    def state(self):
        return json.loads((self.build / "busy.json").read_text())

    def testPassesAndFailuresAreTold(self):
        done = self.busy("--only", "good|bad|skipped|missing|timing")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(self.state()["passes"], {"tst_good": 2, "tst_skipped": 2, "tst_timing": 3})
        self.assertIn(f"{self.commit}: 5 suites, 2 of which failed at least once: tst_bad tst_missing", done.stdout)

    def testOnlyGoodSuitesEndWithSuccess(self):
        done = self.busy("--only", "good|timing", "--jobs", "3")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"{self.commit}: 2 suites, 0 of which failed at least once: none", done.stdout)

    def testABuildTreeMayBeNamedFromHere(self):
        self.assertEqual(self.busy("--only", "good", build="build").returncode, 0)
        self.assertEqual(self.state()["passes"], {"tst_good": 2})

    def testAnInterruptedRunIsResumed(self):
        self.busy("--only", "good|timing")
        state = self.state()
        state["passes"]["tst_timing"] = 1
        (self.build / "busy.json").write_text(json.dumps(state))
        runs = len(self.runs.read_text())
        self.assertEqual(self.busy("--only", "good|timing").returncode, 0)
        self.assertEqual(len(self.runs.read_text()), runs + 2)
        self.assertEqual(self.state()["passes"], {"tst_good": 2, "tst_timing": 3})

    def testResultsOfAnotherCommitAreNotContinued(self):
        self.busy("--only", "good")
        before = self.state()
        self.newCommit()
        done = self.busy("--only", "good")
        self.assertEqual(done.returncode, 2)
        self.assertIn(self.commit, done.stderr)
        self.assertEqual(self.state(), before)

    def testAnotherRepositoryInTheEnvironmentIsIgnored(self):
        """The environment of a git hook or of git rebase --exec."""
        other = self.source.parent / "other"
        other.mkdir()
        self.git("init", "--quiet", str(other))
        elsewhere = {"GIT_DIR": str(other / ".git"), "GIT_WORK_TREE": str(other), "GIT_INDEX_FILE": str(other / "index")}
        done = self.busy("--only", "good", environment=ENVIRONMENT | elsewhere)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.state()["commit"], self.commit)

    def testThisTestCommitsNothingElsewhere(self):
        other = self.source.parent / "other"
        self.git("init", "--quiet", str(other))
        elsewhere = ENVIRONMENT | {"GIT_DIR": str(other / ".git"), "GIT_WORK_TREE": str(other)}
        command = [sys.executable, __file__, str(BUSY.parent.parent), "BusyTest.testABuildTreeMayBeNamedFromHere"]
        done = subprocess.run(command, env=elsewhere, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.git("-C", str(other), "rev-list", "--all"), "")

    def testATreeWithoutTestsIsRefused(self):
        for build in (self.source, self.source / "missing"):
            done = self.busy(build=build)
            self.assertEqual(done.returncode, 2)
            self.assertNotIn("Traceback", done.stderr)

    def testNothingSpinsAfterAKill(self):
        command = self.command("--only", "waits")
        # A killed program leaves its temporary files.
        environment = ENVIRONMENT | {"TMPDIR": str(self.build.parent)}
        busy = subprocess.Popen(command, env=environment, start_new_session=True, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + PATIENCE
        try:
            while not self.runs.exists() and time.monotonic() < deadline:
                time.sleep(0.05)
            self.assertTrue(self.runs.exists())
            self.assertTrue(groupRuns(busy.pid))
            busy.kill()
            busy.wait()
            while groupRuns(busy.pid) and time.monotonic() < deadline:
                time.sleep(0.05)
            self.assertFalse(groupRuns(busy.pid))
        finally:
            if groupRuns(busy.pid):
                os.killpg(busy.pid, signal.SIGKILL)
            busy.wait()

    def testAZombieDoesNotRun(self):
        child = os.fork()
        if child == 0:
            os.setpgid(0, 0)
            os._exit(0)
        os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
        os.killpg(child, 0)  # succeeds: the zombie exists
        self.assertFalse(groupRuns(child))
        os.waitpid(child, 0)


if __name__ == "__main__":
    if not shutil.which("git"):  # bootstrap.sh test does not install it: users may test a source archive
        print(f"SKIP {pathlib.Path(__file__).resolve()}: git is missing")
        sys.exit(77)
    unittest.main()
