#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks that includes follow the arrows between the rooms, that Qt-free rooms stay Qt-free, and that MIT files include
only MIT files."""

import pathlib
import re
import sys

RECORDING = [f"core/recording/{part}" for part in ("format", "read", "write", "text", "library")]
# The rooms in order, each with the rooms that it may include. The longest matching folder is the room of a file. A room
# includes only rooms above it.
ARROWS = {
    "probe": [],
    "core/base": [],
    "core/stream": ["core/base"],
    "core/protocol": ["probe", "core/base"],
    "core/region": ["probe", "core/base", "core/stream", "core/protocol"],
    "core/harvest": ["probe", "core/base", "core/stream", "core/protocol", "core/region"],
    "core/symbols": ["core/base", "core/stream"],
    "core/trace": ["core/base", "core/stream"],
    "core/analysis": ["core/base", "core/stream", "core/trace"],
    "core/recording/format": ["core/base", "core/stream"],
    "core/recording/read": ["core/base", "core/stream", "core/recording/format"],
    "core/recording/write": ["core/base", "core/stream", "core/symbols", *RECORDING[:2]],
    "core/recording/text": ["core/base", "core/stream", *RECORDING[:3]],
    "core/recording/library": ["core/base", "core/stream", *RECORDING[:4]],
    "core/addresses": ["core/base", "core/stream", "core/symbols", "core/trace", *RECORDING],
    "core/exporting": ["core/base", "core/stream", "core/symbols", "core/trace", *RECORDING, "core/addresses"],
    "core/target": ["core/base", "core/stream", "core/protocol", "core/region", "core/harvest"],
    "core/playback": ["core/base", "core/stream", "core/trace", *RECORDING, "core/addresses", "core/target"],
    "core/harvestthread": ["probe", "core/base", "core/stream", "core/protocol", "core/region", "core/harvest"],
    "core/session": ["core"],
    "reader": ["core/base", "core/stream", *RECORDING[:2]],
    "models": ["core/base", "core/stream", "core/symbols", "core/trace", "core/analysis", *RECORDING, "core/addresses"],
    "ui/format": ["core", "models"],
    "ui/jobs": ["core", "ui/format"],
    "ui/widgets": ["core", "models", "ui/format", "ui/jobs"],
    "ui/dialogs": ["core", "models", "ui/format", "ui/jobs", "ui/widgets"],
    "ui/docks": ["core", "models", "ui/format", "ui/jobs", "ui/widgets", "ui/dialogs"],
    "ui/timeline": ["core", "models", "ui/format", "ui/widgets"],
    "ui": ["core", "models", "ui"],
    "app": ["core", "ui"],
}
# Rooms without Qt.
QT_FREE = ["probe", "reader", "core/base", "core/stream", "core/protocol", "core/region", "core/harvest", "core/symbols",
           "core/trace", "core/analysis", "core/recording", "core/addresses"]
# Rooms under the MIT licence, which anyone may embed.
MIT = ["probe", "reader", "core/base", "core/stream", *RECORDING[:2]]
WIDGET_FREE = ["core", "models"]
WIDGETS = re.compile(r"<(Q(Widget|MainWindow|Dialog|Painter|Pixmap|Label|Action|Menu|TreeView|TableView|Chart\w*)|QtWidgets|QtCharts\S*)>")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def room_of(path):
    fitting = [room for room in ARROWS if path.startswith(room + "/")]
    return max(fitting, key=len) if fitting else None


def target_of(include):
    if include.startswith("corotracer/recording/"):
        return "reader/include/" + include
    return "probe/" + include if include.startswith(("corotracer/", "coroTracer")) else include


def allowed(room, target):
    return target == room or any(target == arrow or target.startswith(arrow + "/") for arrow in ARROWS[room])


def is_mit(file):
    return "License-" "Identifier: MIT" in file.read_text(encoding="utf-8")[:300]


def violations(root):
    for top in ("probe/include", "reader", "core", "models", "ui", "app"):
        for file in sorted((root / top).rglob("*")):
            if file.suffix not in (".h", ".cpp"):
                continue
            path = file.relative_to(root).as_posix()
            room = room_of(path)
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
                target = target_of(include)
                where = f"{path}:{number}: {line.strip()}"
                if room_of(target) and not allowed(room, room_of(target)):
                    yield f"{where}: {room} may not include {room_of(target)}"
                if mit and bracket == '"' and (root / include).is_file() and not is_mit(root / include):
                    yield f"{where}: this file is MIT, that one is not"
                if path.startswith(tuple(room + "/" for room in QT_FREE)) and bracket == "<" and re.match(r"Q[A-Z]|Qt", include):
                    yield f"{where}: this room needs no Qt"
                if path.startswith(tuple(room + "/" for room in WIDGET_FREE)) and WIDGETS.match(f"<{include}>"):
                    yield f"{where}: no widgets and no pixels here"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    found = list(violations(root))
    print("\n".join(found) if found else "all includes follow the arrows")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
