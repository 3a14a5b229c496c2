#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks that every test source (tests/**/tst_*) is registered with CTest in its folder."""

import pathlib
import re
import sys


def unregistered(root):
    for file in sorted((root / "tests").rglob("tst_*")):
        if not file.is_file():
            continue
        lists = file.parent / "CMakeLists.txt"
        text = lists.read_text(encoding="utf-8") if lists.exists() else ""
        if not re.search(rf"\b{re.escape(file.stem)}\b", text):
            yield f"{file.relative_to(root)}: not registered in {lists.relative_to(root)}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    found = list(unregistered(root))
    print("\n".join(found) if found else "every test source is registered")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
