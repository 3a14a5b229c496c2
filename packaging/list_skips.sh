#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# usage: packaging/list_skips.sh PRESET
# Lists the cases that the latest ctest of the preset skipped, with their reasons (tests/support/skips.h). Exits with 1
# if a case was skipped, and with 2 if the preset has no test log.
set -uo pipefail
log=$(dirname "${BASH_SOURCE[0]}")/../build/$1/Testing/Temporary/LastTest.log
[ -r "$log" ] || { echo "list_skips: no $log; run ctest --preset $1 first" >&2; exit 2; }
skips=$(grep -aoE '^SKIP [^ ]+: .*' "$log" | sed "s|^SKIP .*/tests/|tests/|" | sort -u)
[ -n "$skips" ] || { echo 'no test was skipped'; exit 0; }
printf 'skipped, so not tested here:\n%s\n' "$skips"
exit 1
