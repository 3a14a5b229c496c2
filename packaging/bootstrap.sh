#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Prepares a bare Debian 12 and builds, demonstrates or tests corotracer-gui there. See usage().
set -euo pipefail

usage() {
    cat <<EOF
usage: packaging/bootstrap.sh [-y] demo|test|test-all|build|packages

  demo      installs what is missing, builds a release and opens the window on a demo server that loses
            wake-ups; without a display it records the server headless, reports what is wrong and at which
            source line, and writes a picture of the window (all into demo-output/)
  test      installs what is missing, builds everything and runs every test
  test-all  as test, and installs the libraries and compilers of other projects that the probes are tested with,
            and the browser that opens reports, so that no test is skipped for want of one (label peers)
  build     installs what is missing and builds a release (program in build/release/bin)
  packages  only installs what is missing; "packages ci" adds what .ci/run needs, and unpacks the standard library of
            Rust for AArch64

  -y        do not ask before installing packages
EOF
}

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
preset=release
bin=$root/build/$preset/bin
jobs=$(nproc 2>/dev/null || echo 2)

build_packages=(g++ cmake ninja-build ccache pkg-config libgl-dev libvulkan-dev libzstd-dev zlib1g-dev libxxhash-dev libdw-dev libelf-dev libsqlite3-dev libpq-dev
    qt6-base-dev libqt6opengl6-dev qt6-charts-dev qt6-svg-dev qtkeychain-qt6-dev)
run_packages=(libqt6sql6-sqlite libqt6svg6 libsecret-1-0 qt6-qpa-plugins qt6-wayland fonts-dejavu-core)
test_packages=(libbenchmark-dev graphviz python3 xvfb xauth)
ci_packages=(clang clang-format libclang-rt-dev codespell git reuse binutils g++-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user)
# Where tests/rust/rusttest.py expects Debian's standard library of Rust for AArch64.
aarch64_rust=/usr/local/lib/rustlib/aarch64-unknown-linux-gnu/lib
# What the tests with the label peers need.
peer_packages=(rustc cargo librust-tokio-dev libboost1.81-dev libboost-context1.81-dev libboost-fiber1.81-dev qcoro-qt6-dev chromium
    protobuf-compiler python3-numpy python3-pandas libqt6sql6-psql libqt6sql6-mysql postgresql-15 mariadb-server openssl dbus-daemon dbus-bin gnome-keyring)

say() { printf '\033[1m==> %s\033[0m\n' "$*" >&2; }
die() { printf 'bootstrap: %s\n' "$*" >&2; exit 1; }

# install PACKAGE...: installs the missing packages. Asks first if stdin is a terminal and -y is not given.
install() {
    command -v dpkg-query >/dev/null || die "this script installs Debian packages; on another system install the equivalents of: $*"
    local missing=() package
    for package in "$@"; do
        [ "$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null)" = 'install ok installed' ] || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return
    say "missing packages: ${missing[*]}"
    if ! $assume_yes && [ -t 0 ]; then
        read -r -p 'Install them with apt-get? [Y/n] ' answer
        case "$answer" in [nN]*) die "these packages are needed: ${missing[*]}; install them, or answer Y" ;; esac
    fi
    as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q >&2
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}" >&2
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    else
        command -v sudo >/dev/null || die "run as root, or install sudo, for: $*"
        sudo "$@"
    fi
}

compiles_rust_for_aarch64() {
    local out status=0
    out=$(mktemp -d)
    /usr/bin/rustc --target aarch64-unknown-linux-gnu -L "$aarch64_rust" --crate-type lib --crate-name check \
        --emit metadata --out-dir "$out" - </dev/null 2>"$out/errors" || status=$?
    [ $status -eq 0 ] || cat "$out/errors" >&2
    rm -rf "$out"
    return $status
}

# Unpacks Debian's standard library of Rust for AArch64. Installing that package would make AArch64 an architecture of
# this machine, and bring in a C library for it. apt gets lists of its own here, and verifies them as usual.
unpack_aarch64_rust() {
    compiles_rust_for_aarch64 2>/dev/null && return
    say "the standard library of Rust for AArch64, into $aarch64_rust"
    local work apt
    work=$(mktemp -d)
    mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/package"
    apt=(apt-get -q -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Sandbox::User=
        -o Dir::State::status=/dev/null -o "Dir::State::lists=$work/lists" -o "Dir::Cache=$work/cache")
    "${apt[@]}" update >&2 || true # sources of other projects may have no packages for AArch64
    (cd "$work/package" && "${apt[@]}" download "libstd-rust-dev=$(dpkg-query -W -f='${Version}' libstd-rust-dev)" >&2 &&
        dpkg-deb -x libstd-rust-dev_*.deb .)
    as_root rm -rf "$aarch64_rust" # of another version
    as_root mkdir -p "$aarch64_rust"
    as_root cp "$work"/package/usr/lib/rustlib/aarch64-unknown-linux-gnu/lib/*.rlib "$aarch64_rust"
    rm -rf "$work"
    compiles_rust_for_aarch64
}


# build TESTS TARGET...: configures the release preset with or without tests and builds the targets.
build() {
    local tests=$1
    shift
    say "building in $root/build/$preset"
    cd "$root"
    cmake --preset "$preset" -DCT_TESTS="$tests" >&2
    cmake --build --preset "$preset" -j "$jobs" -- "$@" >&2
}

has_display() { [ -n "${DISPLAY:-}" ] || [ -n "${WAYLAND_DISPLAY:-}" ]; }

demo() {
    install "${build_packages[@]}" "${run_packages[@]}" "${test_packages[@]}"
    build ON corotracer-gui ct_server_lossy
    if has_display; then
        say 'opening the window; the demo server loses wake-ups: watch the "Lost wake-ups" panel'
        local status=0
        "$bin/corotracer-gui" --cmd "'$bin/ct_server_lossy' --seconds 120" || status=$?
        [ "$status" -eq 3 ] || exit "$status" # 3: the program cannot use the display
    fi
    local out=$root/demo-output
    mkdir -p "$out"
    say 'no display: recording the demo server headless for 8 seconds'
    "$bin/corotracer-gui" --batch --duration 8 -o "$out/demo.jsonl" --summary "$out/summary.json" --report text \
        --report-out "$out/report.txt" -- "$bin/ct_server_lossy" --seconds 60
    say 'what the diagnosis found'
    cat "$out/report.txt"
    say 'taking a picture of the window, without a display'
    "$root/packaging/window_picture.sh" "$out/window.png"
    say "written: $out/demo.jsonl, summary.json, report.txt, window.png"
}

# run_tests [PACKAGE...]: needs these packages, too
run_tests() {
    install "${build_packages[@]}" "${run_packages[@]}" "${test_packages[@]}" "$@"
    build ON all
    say 'running the tests'
    local status=0
    ctest --preset "$preset" -j $((jobs + 2)) || status=$? # most tests mostly wait
    "$root/packaging/list_skips.sh" "$preset" || true
    return $status
}

assume_yes=false
words=()
for word in "$@"; do
    case "$word" in
    -y) assume_yes=true ;;
    *) words+=("$word") ;;
    esac
done
set -- ${words[@]+"${words[@]}"}
if [ $# -gt 1 ] && [ "$*" != 'packages ci' ]; then
    usage >&2
    exit 2
fi
export LC_ALL=${LC_ALL:-C.UTF-8}
case "${1:-}" in
demo) demo ;;
test) run_tests ;;
test-all) run_tests "${peer_packages[@]}" ;;
build)
    install "${build_packages[@]}" "${run_packages[@]}"
    build OFF corotracer-gui
    ;;
packages)
    install "${build_packages[@]}" "${run_packages[@]}" "${test_packages[@]}"
    if [ "${2:-}" = ci ]; then
        install "${ci_packages[@]}" "${peer_packages[@]}"
        unpack_aarch64_rust
    fi
    ;;
-h | --help | help) usage ;;
*)
    usage >&2
    exit 2
    ;;
esac
