#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests the Rust crate without an engine: its own tests with cargo, and a program in regions that nothing reads, or that
are faulty.

usage: tst_rust_regions.py BUILD_DIR native|aarch64 [unittest arguments]

With "native", each compiler that is at hand builds the crate. With "aarch64", Debian's builds it for AArch64, and an
emulator runs the tests.
"""

import os
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "support")]
import ctp  # noqa: E402
import rusttest  # noqa: E402
from rusttest import RegionFile  # noqa: E402

PROGRAM = []


class WithoutAnEngine(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="ct-rust-")
        self.path = os.path.join(self.folder.name, "r.shm")

    def tearDown(self):
        self.folder.cleanup()

    def run_program(self, region, *arguments, stations=16):
        """Returns the program's own counts, and what it printed to stderr."""
        done = subprocess.run([*PROGRAM, *map(str, arguments)], env=region.environment(stations), capture_output=True,
                              text=True, timeout=rusttest.PATIENCE_S)
        self.assertEqual(done.returncode, 0, done.stderr)
        return tuple(map(int, done.stdout.split())), done.stderr

    def check_full_stations(self, region, marked, stations=16):
        """The program traces as in version 1: an old engine would show its eight latest events."""
        counts, errors = self.run_program(region, "storm", 2, 10, 20, stations=stations)
        self.assertEqual(errors, "")
        found = list(ctp.Region(self.path).stations())
        self.assertEqual((len(found), sum(events for _, events, _ in found)), counts)
        self.assertTrue(all(dead for _, _, dead in found))
        self.assertEqual(region.field(1024 + 0x240), 0x31505443 if marked else 0)

    def test_untraced_without_a_region(self):
        done = subprocess.run([*PROGRAM, "storm", "1", "5", "5"], env=rusttest.strip_environment(), capture_output=True)
        self.assertEqual((done.returncode, done.stderr, done.stdout), (0, b"", b"5 55\n"))

    def test_a_region_of_version_1(self):
        self.check_full_stations(RegionFile(self.path, extended=False), marked=False)

    def test_a_region_without_lanes(self):
        self.check_full_stations(RegionFile(self.path), marked=True)

    def test_more_births_than_stations(self):
        region = RegionFile(self.path, stations=4, extended=False)
        counts, errors = self.run_program(region, "storm", 1, 10, 3, stations=1000)
        self.assertEqual((counts, errors), ((10, 70), ""))
        self.assertEqual(sum(events for _, events, _ in ctp.Region(self.path).stations()), 4 * 7)
        self.assertEqual(region.field(0x10), 10)

    def test_an_extension_of_another_version(self):
        region = RegionFile(self.path, lane_pool=1 << 20)
        region.patch(0x48, "<I", 3)
        self.check_full_stations(region, marked=False)

    def test_a_faulty_extension(self):
        for offset, form, value in [(0x60, "<Q", 1 << 40), (0x60, "<Q", 0), (0x68, "<I", 1 << 30), (0x58, "<Q", 1 << 50),
                                    (0x6C, "<I", 32), (0x4C, "<I", 100), (0x78, "<Q", 1 << 63), (0x70, "<Q", 8)]:
            with self.subTest(offset=hex(offset), value=value):
                region = RegionFile(self.path, lane_pool=1 << 20)
                region.patch(offset, form, value)
                self.check_full_stations(region, marked=False)

    def test_faulty_areas_of_lanes(self):
        for offset, form, value in [(0x100, "<Q", 4096 * 5 + 64), (0x108, "<Q", 1 << 62), (0x118, "<Q", 0), (0x128, "<Q", 1 << 50),
                                    (0x130, "<I", 1 << 30), (0x134, "<I", 1 << 30), (0x138, "<I", 1 << 30), (0x13C, "<I", 0),
                                    (0x13C, "<I", 2), (0x13C, "<I", 9), (0x140, "<I", 3000), (0x140, "<I", 1024)]:
            with self.subTest(offset=hex(offset), value=value):
                region = RegionFile(self.path, lane_pool=1 << 20)
                region.patch(offset, form, value)
                self.check_full_stations(region, marked=True)

    def test_no_free_process_entry(self):
        region = RegionFile(self.path, lane_pool=1 << 20)
        table = ctp.Region(self.path).process_table
        for index in range(64):
            region.patch(table + index * 256, "<I", 2)
        self.check_full_stations(region, marked=True)

    def test_lanes_that_no_engine_reads(self):
        RegionFile(self.path, lane_pool=64 << 20, lane_records=1 << 16)
        region = RegionFile(self.path, lane_pool=64 << 20, lane_records=1 << 16)
        counts, errors = self.run_program(region, "storm", 2, 50, 100)
        self.assertEqual(errors, "")
        sums = ctp.sums(self.path)
        self.assertEqual((sums["generations_ever"], sums["events_ever"]), counts)
        self.assertEqual((sums["in_lanes"], sums["dropped"], sums["alive"]), (counts[1], 0, 0))

    def test_full_lanes(self):
        region = RegionFile(self.path, lane_pool=1 << 20)
        counts, errors = self.run_program(region, "storm", 2, 50, 100)
        self.assertEqual(errors, "")
        sums = ctp.sums(self.path)
        self.assertEqual((sums["generations_ever"], sums["events_ever"]), counts)
        # Events, births, names, deaths and wakes; the records before the first drop are all there.
        self.assertGreater(sums["dropped"], 0)
        self.assertLess(sums["in_lanes"], counts[1])

    def test_a_used_up_pool(self):
        region = RegionFile(self.path, lane_pool=4096)
        counts, _ = self.run_program(region, "storm", 3, 20, 10)
        sums = ctp.sums(self.path)
        self.assertEqual((sums["generations_ever"], sums["events_ever"], sums["lanes"]), (*counts, 0))
        self.assertGreaterEqual(sums["threads_without_lane"], 1)
        self.assertGreater(ctp.Region(self.path).records_without_lane, counts[1])

    def test_more_births_than_compact_stations(self):
        region = RegionFile(self.path, lane_pool=1 << 20, compact=8)
        counts, _ = self.run_program(region, "storm", 1, 20, 10)
        sums = ctp.sums(self.path)
        self.assertEqual(sums["events_ever"], 8 * 21)
        self.assertEqual(ctp.Region(self.path).births_without_station, counts[0] - 8)

    def test_a_stack_and_counts_that_point_nowhere(self):
        for offset, form, value in [(0x188, "<Q", 0xFFFFFFFF), (0x188, "<Q", 7), (0x180, "<I", 0xFFFFFFFF), (0x184, "<I", 0xFFFFFFFF),
                                    (0x1A0, "<Q", 12345), (0x1A0, "<Q", (1 << 64) - 4096), (0x1A8, "<I", 0xFFFFFFFF),
                                    (0x80, "<I", 0xFFFFFFFF), (0x88, "<Q", (1 << 64) - 1)]:
            with self.subTest(offset=hex(offset), value=value):
                region = RegionFile(self.path, lane_pool=1 << 20)
                region.patch(offset, form, value)
                self.run_program(region, "storm", 2, 20, 20)

    def test_files_that_are_no_region(self):
        for what, change, message in [
                ("magic", lambda region: region.patch(0, "<Q", 1), "wrong magic number"),
                ("version", lambda region: region.patch(8, "<I", 2), "unknown cTP version"),
                ("stations", lambda region: region.patch(12, "<I", 1 << 31), "shorter than its header says"),
                ("short", lambda region: os.truncate(self.path, 1000), "too short"),
                ("gone", lambda region: os.remove(self.path), "cannot be opened")]:
            with self.subTest(what):
                region = RegionFile(self.path)
                change(region)
                counts, errors = self.run_program(region, "storm", 1, 5, 5)
                self.assertEqual(counts, (5, 55))
                self.assertIn(message, errors)
                self.assertEqual(errors.count("\n"), 1)

    def test_a_wrong_number_of_stations(self):
        for stations in ("0", "many", "-1", "99999999999"):
            _, errors = self.run_program(RegionFile(self.path), "storm", 1, 5, 5, stations=stations)
            self.assertIn("CTP_MAX_STATIONS", errors)


class OnAFullFileSystem(unittest.TestCase):
    """Decision 17: a full tmpfs never ends the program with SIGBUS. Not in an emulator, which raises that signal."""

    def run_there(self, kilobytes, stations, lane_pool):
        script = os.path.join(HERE, "fullfilesystem.sh")
        with tempfile.TemporaryDirectory(prefix="ct-rust-") as folder:
            region = RegionFile(os.path.join(folder, "region"), stations=stations, lane_pool=lane_pool, lane_records=1 << 15)
            done = subprocess.run([script, folder, str(kilobytes), region.path, str(region.size), *PROGRAM, "storm", "3", "400",
                                   "30"], env=region.environment(stations), capture_output=True, text=True)
        if done.returncode == 77:
            self.skipTest("this machine does not allow a private tmpfs")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.split(), ["400", str(400 * 61)])

    def test_full_stations(self):
        for kilobytes in (64, 200, 400):
            with self.subTest(kilobytes=kilobytes):
                self.run_there(kilobytes, stations=1000, lane_pool=0)

    def test_lanes(self):
        for kilobytes in (64, 128, 200, 300, 400, 700, 1000, 1500):
            with self.subTest(kilobytes=kilobytes):
                self.run_there(kilobytes, stations=1000, lane_pool=64 << 20)


def find_toolchains(target):
    if target == "native":
        return rusttest.require_toolchains(__file__)
    found = rusttest.aarch64_toolchains()
    if not found:
        rusttest.skip(__file__, "no Rust for AArch64: packaging/bootstrap.sh packages ci")
    return found


def main():
    global PROGRAM
    if len(sys.argv) < 3 or sys.argv[2] not in ("native", "aarch64"):
        print(__doc__, file=sys.stderr)
        return 2
    build_dir, target = os.path.abspath(sys.argv[1]), sys.argv[2]
    skipped = []
    for toolchain in find_toolchains(target):
        print(toolchain, flush=True)
        toolchain.run("probe/rust", build_dir, "test")
        toolchain.run("probe/rust", build_dir, "test", "--features", "off")
        toolchain.run("tests/rust/plain", build_dir, "build", "--release")
        PROGRAM = toolchain.program(build_dir, "rust-plain")
        suites = ["WithoutAnEngine"] + ([] if toolchain.emulator else ["OnAFullFileSystem"])
        result = unittest.main(argv=[sys.argv[0], *(sys.argv[3:] or suites)], exit=False).result
        if not result.wasSuccessful():
            return 1
        skipped = result.skipped
    if skipped:
        rusttest.skip(__file__, "; ".join(sorted({reason for _, reason in skipped})))
    return 0


if __name__ == "__main__":
    sys.exit(main())
