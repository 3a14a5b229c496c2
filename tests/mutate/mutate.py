#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Breaks the program on purpose, one line at a time, and reports which tests fail.

The tables are tests/mutate/*.ini. Each section is one mutation:

    [status-bar-hides-lost]       name of the mutation
    file = ui/widgets/statusbar.cpp       path in the repository
    old = the exact text          found exactly once in the file
    new = the replacement         empty: the text is removed
    tests = tst_mainwindow        CTest names of the tests that should fail, separated by blanks
    harmless = the reason         instead of tests: no test can fail, and why that is right

A run copies the repository to a scratch directory, builds it once, and runs the named tests there: they have to pass.
Then it applies one mutation after another, builds the programs of the named tests, runs them, and reverts. Each row
becomes
  caught     at least one of its tests failed (the report names it)
  survived   all passed: write a test
  harmless   as the table says; not built
  error      old text not found exactly once, no such test, the mutation does not compile, or a test fails without it
Results are saved in the scratch directory: an interrupted run continues where it stopped. A row whose text has changed
runs again. If a mutation makes a test hang, the time-out of the test catches it.

    tests/mutate/mutate.py --check                       the tables only; fast, this is the CTest entry check_mutations
    tests/mutate/mutate.py                               everything; some hours on two cores
    tests/mutate/mutate.py 'ui/*' models/sort-by-lost    some rows, as table/name, with wildcards
    tests/mutate/mutate.py --survivors                   again the rows that did not end as caught or harmless
    tests/mutate/mutate.py --report                      prints the results so far

The exit status is 0 if every chosen row is caught or harmless, 1 if not, 2 if nothing could be run."""

import argparse
import configparser
import fnmatch
import hashlib
import json
import pathlib
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
ROOMS = ["app", "ui", "models", "core", "probe"]  # tables in order: the one with the smallest rebuilds first
FIELDS = {"file", "old", "new", "tests", "harmless"}


class Trouble(Exception):
    pass


def read_tables():
    """All rows. Rows of one file are together, to share rebuilds."""
    rows = []
    for path in sorted(HERE.glob("*.ini"), key=lambda path: (ROOMS + [path.stem]).index(path.stem)):
        table = configparser.ConfigParser(interpolation=None, delimiters=("=",), comment_prefixes=("#",))
        try:
            table.read(path, encoding="utf-8")
        except configparser.Error as error:
            raise Trouble(f"{path}: {error}") from error
        found = [dict(table[name], name=f"{path.stem}/{name}") for name in table.sections()]
        rows += sorted(found, key=lambda row: row.get("file", ""))
    return rows


def mutated(row, text):
    """The file's text with the mutation. Raises Trouble if the row does not fit the text."""
    count = text.count(row["old"])
    if count != 1:
        raise Trouble(f'{row["file"]} has the old text {count} times instead of once: {row["old"]}')
    return text.replace(row["old"], row["new"])


def check_row(row, source):
    """The error in a row, or None."""
    unknown = set(row) - FIELDS - {"name"}
    missing = {"file", "old", "new"} - set(row)
    if unknown or missing:
        return f"fields unknown: {sorted(unknown)}, missing: {sorted(missing)}"
    if bool(row.get("tests")) == bool(row.get("harmless")):
        return "either tests or harmless must be given"
    if "\n" in row["old"] + row["new"]:
        return "a mutation is one line"
    try:
        mutated(row, (source / row["file"]).read_text(encoding="utf-8"))
    except (OSError, Trouble) as error:
        return str(error)
    sources = {path.stem for path in (source / "tests").rglob("tst_*")}
    unknown = [test for test in row.get("tests", "").split() if test not in sources]
    return f"no such test: {' '.join(unknown)}" if unknown else None


def check(rows):
    problems = [f'{row["name"]}: {problem}' for row in rows if (problem := check_row(row, SOURCE))]
    for problem in problems:
        print(problem)
    print(f"{len(rows)} mutations, {len(problems)} do not fit the sources")
    return 1 if problems else 0


def digest(row):
    return hashlib.sha256(json.dumps(row, sort_keys=True).encode()).hexdigest()[:16]


class Tree:
    """The copy that is mutated, its build, and the commands of its tests."""

    def __init__(self, arguments):
        self.jobs = str(arguments.jobs)
        self.root = arguments.tree or arguments.scratch / "tree"
        self.build = self.root / "build" / arguments.preset
        self.preset = arguments.preset
        self.logs = arguments.scratch / "logs"
        self.logs.mkdir(parents=True, exist_ok=True)
        if not arguments.tree:
            self.copy()
        self.commands = self.read_commands()

    def copy(self):
        """Copies the repository's HEAD and the changes in its work tree. An earlier copy keeps its build."""
        if not (self.root / ".git").exists():
            run(["git", "clone", "--quiet", "--shared", str(SOURCE), str(self.root)])
        head = output(["git", "-C", str(SOURCE), "rev-parse", "HEAD"]).strip()
        run(["git", "-C", str(self.root), "fetch", "--quiet", str(SOURCE), "HEAD"])
        run(["git", "-C", str(self.root), "reset", "--quiet", "--hard", head])
        difference = subprocess.run(["git", "-C", str(SOURCE), "diff", "--binary", "HEAD"], check=True, capture_output=True)
        if difference.stdout:
            subprocess.run(["git", "-C", str(self.root), "apply"], input=difference.stdout, check=True)
        run(["cmake", "--preset", self.preset], cwd=self.root, log=self.logs / "configure.log")
        print(f"Building {self.build} ...", flush=True)
        run(["cmake", "--build", str(self.build), "--parallel", self.jobs], log=self.logs / "build.log")

    def read_commands(self):
        """The command of every test, by its name."""
        listed = json.loads(output(["ctest", "--test-dir", str(self.build), "--show-only=json-v1"]))
        return {test["name"]: test.get("command", []) for test in listed["tests"]}

    def targets_of(self, tests):
        """The targets that ninja has to build for these tests: the programs that CTest runs."""
        targets = set()
        for test in tests:
            if test not in self.commands:
                raise Trouble(f"CTest knows no test {test}")
            program = pathlib.Path((self.commands[test] or [""])[0])
            targets.add(str(program.relative_to(self.build)) if self.build in program.parents else "all")
        return ["all"] if "all" in targets else sorted(targets)

    def compiles(self, tests, log):
        command = ["ninja", "-C", str(self.build), "-j", self.jobs] + self.targets_of(tests)
        return run(command, log=log, check=False) == 0

    def failed_of(self, tests, log):
        """The names of the failed tests. Raises Trouble if one of the tests did not run."""
        results = self.build / "mutate-results.xml"
        results.unlink(missing_ok=True)
        pattern = "^(" + "|".join(tests) + ")$"
        run(["ctest", "--test-dir", str(self.build), "-R", pattern, "--output-on-failure", "-j", self.jobs,
             "--output-junit", str(results)], log=log, check=False)
        cases = {case.get("name"): case.get("status") for case in xml.etree.ElementTree.parse(results).iter("testcase")}
        idle = [test for test in tests if cases.get(test) not in ("run", "fail")]
        if idle:
            raise Trouble(f"did not run: {' '.join(idle)}")
        return [test for test in tests if cases[test] == "fail"]


def run(command, cwd=None, log=None, check=True):
    with open(log or "/dev/null", "ab") as out:
        status = subprocess.run(command, cwd=cwd, stdout=out, stderr=subprocess.STDOUT, check=False).returncode
    if check and status != 0:
        raise Trouble(f"{' '.join(command)} ended with {status}" + (f", see {log}" if log else ""))
    return status


def output(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Trouble(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout


class Results:
    def __init__(self, path):
        self.path = path
        self.all = json.loads(path.read_text()) if path.exists() else {}

    def of(self, row):
        """The result of a row with its present text; None if it has no result."""
        if row.get("harmless"):
            return {"outcome": "harmless", "detail": row["harmless"]}
        known = self.all.get(row["name"])
        return known if known and known["digest"] == digest(row) else None

    def put(self, row, outcome, detail, seconds):
        self.all[row["name"]] = {"outcome": outcome, "detail": detail, "seconds": round(seconds), "digest": digest(row)}
        partial = self.path.with_suffix(".new")
        partial.write_text(json.dumps(self.all, indent=1, sort_keys=True))
        partial.replace(self.path)


def try_row(tree, row, sound):
    """Outcome and detail of one mutation. `sound`: tests that pass without a mutation; the function adds to it."""
    tests = row["tests"].split()
    log = tree.logs / (row["name"].replace("/", "-") + ".log")
    log.unlink(missing_ok=True)
    fresh = [test for test in tests if test not in sound]
    if fresh:
        if not tree.compiles(fresh, log):
            raise Trouble(f"the unchanged sources do not build, see {log}")
        if failed := tree.failed_of(fresh, log):
            raise Trouble(f"fails without the mutation: {' '.join(failed)}, see {log}")
        sound.update(fresh)
    path = tree.root / row["file"]
    original = path.read_bytes()
    path.write_bytes(mutated(row, original.decode()).encode())
    try:
        if not tree.compiles(tests, log):
            raise Trouble(f"the mutation does not build, see {log}")
        failed = tree.failed_of(tests, log)
    finally:
        path.write_bytes(original)
    return ("caught", " ".join(failed)) if failed else ("survived", "")


def run_rows(rows, arguments):
    results = Results(arguments.scratch / "results.json")
    left = [row for row in rows if results.of(row) is None or (arguments.again and not row.get("harmless"))]
    print(f"{len(rows)} mutations, {len(left)} to run; logs and results in {arguments.scratch}", flush=True)
    if not left:
        return
    tree = Tree(arguments)
    sound = set()
    for row in left:
        start = time.monotonic()
        try:
            outcome, detail = try_row(tree, row, sound)
        except (OSError, Trouble) as error:
            outcome, detail = "error", str(error)
        results.put(row, outcome, detail, time.monotonic() - start)
        print(f'{outcome:9} {row["name"]:48} {detail}', flush=True)


def report(rows, scratch):
    results = Results(scratch / "results.json")
    sums = dict.fromkeys(["caught", "harmless", "survived", "error", "not run"], 0)
    for row in rows:
        known = results.of(row) or {"outcome": "not run", "detail": row["tests"]}
        sums[known["outcome"]] += 1
        print(f'{known["outcome"]:9} {row["name"]:48} {known["detail"]}')
    print(", ".join(f"{count} {outcome}" for outcome, count in sums.items()))
    return 0 if sums["caught"] + sums["harmless"] == len(rows) else 1


def chosen(rows, arguments):
    results = Results(arguments.scratch / "results.json")
    wanted = [row for row in rows if not arguments.rows or any(fnmatch.fnmatch(row["name"], one) for one in arguments.rows)]
    if arguments.survivors:
        wanted = [row for row in wanted if (results.of(row) or {}).get("outcome") not in ("caught", "harmless")]
    if not wanted:
        raise Trouble("no row fits")
    return wanted


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", help="table/name, with wildcards; without any: all")
    parser.add_argument("--check", action="store_true", help="only check that the tables fit the sources")
    parser.add_argument("--report", action="store_true", help="only print the results so far")
    parser.add_argument("--survivors", action="store_true", help="run what was not caught once more")
    parser.add_argument("--again", action="store_true", help="also run rows that have a result")
    parser.add_argument("--jobs", type=int, default=2, help="of ninja and of ctest (default: 2)")
    parser.add_argument("--preset", default="release", help="of cmake (default: release)")
    parser.add_argument("--scratch", type=pathlib.Path, default=pathlib.Path("/var/tmp/corotracer-gui-mutate"),
                        help="copy of the tree, logs and results (default: %(default)s)")
    parser.add_argument("--tree", type=pathlib.Path,
                        help="mutate this copy, which has a complete build, instead of making one; do not change it during the run")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # runs the finally block, which reverts the mutation
    try:
        rows = read_tables()
        if arguments.check:
            return check(rows)
        arguments.again = arguments.again or arguments.survivors
        rows = chosen(rows, arguments)
        if not arguments.report:
            arguments.scratch.mkdir(parents=True, exist_ok=True)
            run_rows(rows, arguments)
        return report(rows, arguments.scratch)
    except Trouble as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
