# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of the Rust crate share: compilers, builds, runs under an engine, and regions without one."""

import json
import os
import pathlib
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PATIENCE_S = 240
OLDEST = "1.63"  # Debian 12's compiler, and the oldest that the crate supports
AARCH64 = "aarch64-unknown-linux-gnu"
AARCH64_LIBRARY = pathlib.Path("/usr/local/lib/rustlib", AARCH64, "lib")  # packaging/bootstrap.sh packages ci
AARCH64_LINKER = "aarch64-linux-gnu-gcc"
AARCH64_EMULATOR = ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"]


def skip(script, reason):
    """Ends the script as skipped, in the way that packaging/list_skips.sh expects."""
    print(f"SKIP {pathlib.Path(script).resolve()}: {reason}", flush=True)
    sys.exit(77)


class Toolchain:
    """A cargo and the compiler that belongs to it. With a target other than this machine, programs run in an emulator."""

    def __init__(self, cargo, target=""):
        self.cargo = str(cargo)
        self.rustc = str(pathlib.Path(cargo).with_name("rustc"))
        self.rustdoc = str(pathlib.Path(cargo).with_name("rustdoc"))
        words = subprocess.run([self.rustc, "--version"], capture_output=True, text=True, check=True).stdout.split()
        self.version = words[1]
        self.target = target
        self.emulator = AARCH64_EMULATOR if target == AARCH64 else []

    def __str__(self):
        return f"rustc {self.version} {self.target}".strip()

    def run(self, project, build_dir, *arguments):
        """Runs cargo, offline."""
        environment = {**os.environ, "RUSTC": self.rustc, "RUSTDOC": self.rustdoc,
                       "CARGO_TARGET_DIR": str(pathlib.Path(build_dir) / self.version)}
        if self.target == AARCH64:
            options = "CARGO_TARGET_" + AARCH64.upper().replace("-", "_")
            environment |= {"CARGO_BUILD_TARGET": AARCH64, options + "_LINKER": AARCH64_LINKER,
                            options + "_RUNNER": " ".join(AARCH64_EMULATOR),
                            options + "_RUSTFLAGS": f"-L {AARCH64_LIBRARY}"}
        command = [self.cargo, *arguments, "--offline", "--quiet"]
        done = subprocess.run(command, cwd=ROOT / project, env=environment, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)} in {project}, {self}:\n{done.stdout}{done.stderr}")

    def program(self, build_dir, name):
        """The command that runs a program which was built for release."""
        return [*self.emulator, str(pathlib.Path(build_dir) / self.version / self.target / "release" / name)]


def toolchains():
    """Debian's compiler, and another one where it is at hand."""
    candidates = [pathlib.Path("/usr/bin/cargo")]
    candidates += [pathlib.Path(folder) / "cargo" for folder in os.environ.get("PATH", "").split(os.pathsep)]
    candidates.append(pathlib.Path.home() / ".cargo" / "bin" / "cargo")
    found = {}
    for cargo in candidates:
        if cargo.exists() and cargo.with_name("rustc").exists():
            toolchain = Toolchain(cargo)
            found.setdefault(toolchain.version, toolchain)
    return list(found.values())


def require_toolchains(script):
    found = toolchains()
    if not any(toolchain.version.startswith(OLDEST + ".") for toolchain in found):
        skip(script, f"no rustc {OLDEST} with cargo: packaging/bootstrap.sh packages ci")
    return found


def aarch64_toolchains():
    """Debian's compiler for AArch64, where all that it needs is at hand."""
    tools = all(shutil.which(tool) for tool in (AARCH64_LINKER, AARCH64_EMULATOR[0], "/usr/bin/cargo"))
    return [Toolchain("/usr/bin/cargo", AARCH64)] if tools and AARCH64_LIBRARY.exists() else []


class Capture:
    """A run of a program under corotracer-gui --batch: its output, the engine's sums, and the recorded tables."""

    def __init__(self, engine, *command_words, options=(), environment=None):
        with tempfile.TemporaryDirectory(prefix="ct-rust-") as folder:
            summary, tables = f"{folder}/summary.json", f"{folder}/run.sqlite"
            command = [engine, "--batch", *options, "-o", tables, "--summary", summary, "--", *map(str, command_words)]
            done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S,
                                  env={**os.environ, **(environment or {})})
            self.output, self.errors, self.status = done.stdout, done.stderr, done.returncode
            self.sums = json.loads(pathlib.Path(summary).read_text())
            self.tables = sqlite3.connect(":memory:")
            with sqlite3.connect(tables) as file:
                file.backup(self.tables)

    def rows(self, query):
        return self.tables.execute(query).fetchall()

    def own_counts(self):
        """The futures and events that the program counted by itself."""
        futures, events = self.output.split()[-2:]
        return int(futures), int(events)

    def counts(self):
        return self.sums["coroutines"], self.sums["events"]


# ---------------------------------------------------------------- regions without an engine

MAGIC, EXTENSION_MAGIC = 0x434F524F54524352, 0x3130545845505443
SITES, STRINGS = 64, 1 << 20


def align(value):
    return (value + 4095) // 4096 * 4096


class RegionFile:
    """A region that no engine reads, with `stations` full stations. `lane_pool`: bytes, 0 = no lanes."""

    def __init__(self, path, stations=16, lane_pool=0, compact=1024, extended=True, lane_records=2048):
        self.path = path
        head = bytearray(1024)
        struct.pack_into("<QIII", head, 0, MAGIC, 1, stations, 0)
        size = 1024 + stations * 1024
        if extended:
            sites = align(size)
            strings = sites + SITES * 64
            processes = align(strings + STRINGS)
            directory = processes + 4 * 4096
            states = directory + 4 * 4096
            births = states + align(compact * 64)
            pool = births + align(compact * 64)
            size = pool + lane_pool
            struct.pack_into("<QIIQQQIIQQ", head, 0x40, EXTENSION_MAGIC, 2, 448, size, stations, sites, SITES, 64, strings, STRINGS)
            if lane_pool:
                struct.pack_into("<6Q", head, 0x100, processes, directory, states, births, pool, lane_pool)
                struct.pack_into("<6I", head, 0x130, 64, 64, compact, 1, lane_records, 0)
                struct.pack_into("<I", head, 0x158, 1)
        self.head, self.size = head, size
        with open(path, "wb") as file:
            file.write(head)
            file.truncate(size)

    def patch(self, offset, form, value):
        with open(self.path, "r+b") as file:
            file.seek(offset)
            file.write(struct.pack(form, value))

    def field(self, offset, form="<I"):
        with open(self.path, "rb") as file:
            file.seek(offset)
            return struct.unpack(form, file.read(struct.calcsize(form)))[0]

    def environment(self, stations=16):
        return {**os.environ, "CTP_SHM_PATH": str(self.path), "CTP_SOCK_PATH": str(self.path) + ".sock",
                "CTP_MAX_STATIONS": str(stations)}


def strip_environment():
    return {name: value for name, value in os.environ.items() if not name.startswith("CTP_")}
