#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks that includes follow the arrows between the rooms, that Qt-free rooms stay Qt-free, and that what is MIT
includes nothing that is not."""

import pathlib
import re
import sys

# A room may include itself and these. The longest matching prefix names a file's room.
ARROWS = {
    "probe": [],
    "core/result": [],
    "core/filekey": [],
    "core/fileremedy": ["core/result"],
    "core/startthread": ["core/result"],
    "core/protocol": ["core/result", "core/trace/stream", "probe"],
    "core/symbols/module": [],
    "core/symbols": ["core/result", "core/startthread", "core/symbols/module", "core/fileremedy"],
    "core/harvest": ["core/result", "core/filekey", "core/startthread", "core/protocol", "core/symbols", "core/trace/stream", "probe", "core/fileremedy"],
    "core/trace/stream": ["core/result"],
    "core/trace": ["core/result", "core/trace/stream"],
    "core/analysis": ["core/result", "core/trace", "core/trace/stream"],
    "core/recording": ["core/result", "core/filekey", "core/startthread", "core/symbols/module", "core/trace", "core/trace/stream", "core/fileremedy"],
    "reader": ["core/result", "core/trace/stream", "core/recording", "core/uninitialized"],
    "core/exporting": ["core/result", "core/fileremedy", "core/filekey", "core/trace", "core/trace/stream", "core/recording", "core/symbols/describedaddress"],
    "core/session": ["core"],
    "models": ["core"],
    "ui": ["models", "core"],
    "app": ["ui", "core"],
}
QT_FREE = ["probe", "reader", "core/protocol", "core/symbols", "core/trace", "core/analysis", "core/recording", "core/harvest"]
QT_ALLOWED = ["core/harvest/harvestthread", "core/harvest/harvestserver"]
WIDGET_FREE = ["core", "models"]
WIDGETS = re.compile(r"<(Q(Widget|MainWindow|Dialog|Painter|Pixmap|Label|Action|Menu|TreeView|TableView|Chart\w*)|QtWidgets|QtCharts\S*)>")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def room_of(path):
    fitting = [room for room in ARROWS if path == room or path.startswith(room + "/") or path.startswith(room + ".")]
    return max(fitting, key=len) if fitting else None


def target_of(include):
    if include.startswith("corotracer/recording/"):
        return "reader/include/" + include
    return "probe/" + include if include.startswith(("corotracer/", "coroTracer")) else include


def allowed(room, target_path):
    if target_path.startswith(room):
        return True
    return any(target_path == arrow or target_path.startswith((arrow + "/", arrow + ".")) for arrow in ARROWS[room])


def is_mit(file):
    return "License-" "Identifier: MIT" in file.read_text(encoding="utf-8")[:300]


def violations(root):
    for top in ("probe/include", "reader", "core", "models", "ui", "app"):
        for file in sorted((root / top).rglob("*")):
            if file.suffix not in (".h", ".cpp"):
                continue
            path = file.relative_to(root).as_posix()
            room = room_of(path)
            mit = is_mit(file)
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
                match = INCLUDE.match(line)
                if not match:
                    continue
                bracket, include = match.groups()
                target = target_of(include)
                where = f"{path}:{number}: {line.strip()}"
                if room_of(target) and not allowed(room, target):
                    yield f"{where}: {room} may not include {room_of(target)}"
                if mit and bracket == '"' and (root / include).is_file() and not is_mit(root / include):
                    yield f"{where}: this file is MIT, that one is not"
                in_qt_free = path.startswith(tuple(QT_FREE)) and not path.startswith(tuple(QT_ALLOWED))
                if in_qt_free and bracket == "<" and re.match(r"Q[A-Z]|Qt", include):
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
