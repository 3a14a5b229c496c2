#!/bin/sh
# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: fullfilesystem.sh DIRECTORY KILOBYTES REGION SIZE PROGRAM [ARGUMENT]...
# Mounts a tmpfs over DIRECTORY, for this process only, puts the header of REGION there as a sparse file of SIZE bytes
# with the same name, and runs PROGRAM. Exits with 77 if this machine does not allow the mount.
if [ -z "${CT_UNSHARED:-}" ]; then
    export CT_UNSHARED=1
    unshare -m true 2>/dev/null && exec unshare -m "$0" "$@"
    unshare -rm true 2>/dev/null && exec unshare -rm "$0" "$@"
    exit 77
fi
directory=$1 kilobytes=$2 region=$3 size=$4
shift 4
exec 3<"$region" # readable also when the mount hides it
mount -t tmpfs -o "size=${kilobytes}k,mode=0700" ct "$directory" 2>/dev/null || exit 77
head -c 1024 <&3 >"$region" && truncate -s "$size" "$region" || exit 1
exec 3<&-
exec "$@"
