#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks that every test source (tests/**/tst_*) is registered with CTest."""

import pathlib
import re
import sys


def is_named(name, lists):
    text = lists.read_text(encoding="utf-8") if lists.exists() else ""
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def unregistered(root):
    for file in sorted((root / "tests").rglob("tst_*")):
        if not file.is_file():
            continue
        # tests/CMakeLists.txt names a suite with its folder, the CMakeLists.txt of its folder without.
        own = file.parent / "CMakeLists.txt"
        all_suites = root / "tests/CMakeLists.txt"
        name = file.relative_to(root / "tests").with_suffix("").as_posix()
        if not is_named(file.stem, own) and not is_named(name, all_suites):
            yield f"{file.relative_to(root)}: not registered in tests/CMakeLists.txt"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    found = list(unregistered(root))
    print("\n".join(found) if found else "every test source is registered")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
