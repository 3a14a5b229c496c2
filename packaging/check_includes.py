#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks that includes follow the table of rooms in CONTRIBUTING.md, that Qt-free rooms stay Qt-free, and that MIT
files include only MIT files."""

import pathlib
import re
import sys

# Rooms without Qt.
QT_FREE = ["probe", "reader", "core/base", "core/stream", "core/protocol", "core/region", "core/collect", "core/harvest", "core/symbols",
           "core/trace", "core/analysis", "core/recording", "core/addresses", "core/reporting", "core/query"]
# Rooms under the MIT licence, which anyone may embed.
MIT = ["probe", "reader", "core/base", "core/stream", "core/recording/format", "core/recording/read"]
WIDGET_FREE = ["core", "models"]
WIDGETS = re.compile(r"<(Q(Widget|MainWindow|Dialog|Painter|Pixmap|Label|Action|Menu|TreeView|TableView|Chart\w*)|QtWidgets|QtCharts\S*)>")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def rooms_named(names, rooms):
    """Returns the rooms that a list in the table names. "trace" is core/trace; "recording" is every room in it."""
    named = set()
    for name in names.replace("`", "").split(", "):
        name = name.removeprefix("all of ").strip()
        fitting = {room for room in rooms if f"/{name}/" in f"/{room}/"}
        if not fitting and name != "nothing":
            sys.exit(f"CONTRIBUTING.md: the table names {name}, but no room above that row has this name")
        named |= fitting
    return named


def arrows_of(contributing):
    """Returns the rooms, each with the rooms that it may include, from the table in CONTRIBUTING.md."""
    arrows = {}
    table = contributing.partition("| folder | holds | may use |\n|---|---|---|\n")[2].partition("\n\n")[0]
    for line in table.splitlines():
        row = re.fullmatch(r"\| `([\w/]+?)/?` \|[^|]*\| (.*) \|", line)
        if not row:
            sys.exit(f"CONTRIBUTING.md: this row of the table is not \"| `folder` | what it holds | rooms |\": {line}")
        folder, uses = row.groups()
        uses, _, excluded = re.sub(r" \(.*?\)", "", uses).partition("; not ")
        above = list(arrows)
        direct = rooms_named(uses, above)
        # Only the rooms that name the probe may include it.
        inherited = set().union(*(arrows[room] for room in direct)) - {"probe"}
        arrows[folder] = (direct | inherited) - (rooms_named(excluded, above) if excluded else set())
    return arrows


def room_of(path, arrows):
    """Returns the room of a file, which is the longest folder that fits."""
    return max((room for room in arrows if path.startswith(room + "/")), key=len, default=None)


def target_of(include):
    if include.startswith("corotracer/recording/"):
        return "reader/include/" + include
    return "probe/" + include if include.startswith(("corotracer/", "coroTracer")) else include


def is_mit(file):
    return "License-" "Identifier: MIT" in file.read_text(encoding="utf-8")[:300]


def violations(root):
    arrows = arrows_of((root / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    for top in ("probe/include", "reader", "core", "models", "ui", "app"):
        for file in sorted((root / top).rglob("*")):
            if file.suffix not in (".h", ".cpp"):
                continue
            path = file.relative_to(root).as_posix()
            room = room_of(path, arrows)
            if not room:
                yield f"{path}: in no room"
                continue
            mit = is_mit(file)
            if room in MIT and not mit:
                yield f"{path}: everything in {room} is MIT"
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
                match = INCLUDE.match(line)
                if not match:
                    continue
                bracket, include = match.groups()
                target = room_of(target_of(include), arrows)
                where = f"{path}:{number}: {line.strip()}"
                if target and target != room and target not in arrows[room]:
                    yield f"{where}: {room} may not include {target}"
                if mit and bracket == '"' and (root / include).is_file() and not is_mit(root / include):
                    yield f"{where}: this file is MIT, that one is not"
                in_qt_free = path.startswith(tuple(room + "/" for room in QT_FREE))
                if in_qt_free and bracket == "<" and re.match(r"Q[A-Z]|Qt", include):
                    yield f"{where}: this room needs no Qt"
                if path.startswith(tuple(room + "/" for room in WIDGET_FREE)) and WIDGETS.match(f"<{include}>"):
                    yield f"{where}: no widgets and no pixels here"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    found = list(violations(root))
    print("\n".join(found) if found else "all includes follow the table of rooms")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
