# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the programs of each family are started."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Family:
    binary: str  # below the build tree, as a pattern
    matrix: tuple  # numbers of threads, and ms per unit, of the full matrix


FAMILIES = {
    "own": Family("bin/corpus_programs", ((1, 2, 4), (5, 20, 60))),
    "asio": Family("bin/corpus_asio", ((1, 2, 4), (5, 20, 60))),
    "qcoro": Family("bin/corpus_qcoro", ((1,), (5, 20, 60))),
    "fiber": Family("bin/corpus_fiber", ((1,), (5, 20, 60))),
    "tokio": Family("tests/rust/*/release/corpus_tokio", ((1, 2, 4), (5, 20, 60))),
}


def binary(build, family):
    """The path of a family's programs; None if they were not built. Tokio's are built by tst_rust_tokio."""
    return next(iter(sorted(build.glob(FAMILIES[family].binary))), None)


def command(build, program, variant, threads, unit):
    words = [binary(build, program.family), "--program", program.name, "--threads", threads, "--unit", unit]
    if program.is_broken:
        words.append("--broken")
    if program.family == "own":
        words += ["--variant", variant]
    return [str(word) for word in words]
