#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Makes docs/window.png: the window with the demo server, after the server has lost some wake-ups. Needs no display. Run
# it when the window has changed:
#   cmake --build --preset release -t corotracer-gui ct_server_lossy && packaging/window_picture.sh
set -euo pipefail

usage='usage: packaging/window_picture.sh [PNG]
BIN names the directory of the programs (default build/release/bin), SECONDS_SHOWN the age of the run (default 8).'
case "${1:-}" in
-h | --help)
    echo "$usage"
    exit 0
    ;;
-*)
    echo "$usage" >&2
    exit 2
    ;;
esac

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
bin=${BIN:-$root/build/release/bin}
picture=${1:-$root/docs/window.png}
for program in corotracer-gui ct_server_lossy; do
    [ -x "$bin/$program" ] || {
        echo "window_picture: $bin/$program is missing; build it, or name the directory in BIN" >&2
        exit 1
    }
done

# Ignore the user's settings, recordings and fonts: the picture must not depend on them.
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
mkdir -m 700 "$home/run"
unset XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME QT_STYLE_OVERRIDE QT_SCALE_FACTOR QT_FONT_DPI
export HOME=$home XDG_CACHE_HOME=$home/.cache XDG_RUNTIME_DIR=$home/run LC_ALL=C.UTF-8
# The rules silence the warnings of the offscreen plugin about size hints.
export QT_QPA_PLATFORM=offscreen QT_LOGGING_RULES='default.warning=false'
"$bin/corotracer-gui" --theme light --screenshot "$picture" --screenshot-after "${SECONDS_SHOWN:-8}" -- \
    "$bin/ct_server_lossy" --seconds 600
