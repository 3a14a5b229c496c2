#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiles the examples of the probe's pages against an installed copy of the probe.

The examples of a page in C or C++ become example1.h, example2.h ... and their #include lines example_includes.h.
tests/probe/pages has a program for each page, which includes all of them. If the page has an example in CMake, that
builds the program; else each compiler checks its syntax, in each way to compile with the probe.

    tst_probe_pages.py <source> <build> <generator> <C compiler> <C++ compiler> <page>...
"""

import pathlib
import re
import shutil
import subprocess
import sys

EXAMPLE = re.compile(r"^( *)```(c|cpp|cmake)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
INCLUDE = re.compile(r"^#include .*\n", re.MULTILINE)


def run(*command: object) -> None:
    """Runs a command. Ends the test if it fails."""
    done = subprocess.run([str(part) for part in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False)
    if done.returncode != 0:
        sys.exit(f"failed ({done.returncode}): {' '.join(map(str, command))}\n{done.stdout}")


def write_examples(page: pathlib.Path, program: pathlib.Path, folder: pathlib.Path) -> str:
    """Writes the examples of a page into a folder. Returns the one in CMake, "" if there is none."""
    cmake, includes, count = "", "", 0
    for indent, language, text in EXAMPLE.findall(page.read_text(encoding="utf-8")):
        text = re.sub(f"^{indent}", "", text, flags=re.MULTILINE)
        if language == "cmake":
            cmake += text
            continue
        count += 1
        if f'#include "example{count}.h"' not in program.read_text(encoding="utf-8"):
            sys.exit(f"{program} does not include example {count} of {page}:\n{text}")
        includes += "".join(INCLUDE.findall(text))
        # An ellipsis is what the page leaves out; the program defines it.
        (folder / f"example{count}.h").write_text(INCLUDE.sub("", text).replace("...", "CT_OMITTED"), encoding="utf-8")
    if count == 0 and not cmake:
        sys.exit(f"{page} has no examples")
    (folder / "example_includes.h").write_text(includes, encoding="utf-8")
    return cmake


def main(source: pathlib.Path, build: pathlib.Path, generator: str, c: str, cxx: str, pages: list[str]) -> None:
    work = build / f"probe-pages-{pages[0]}"
    shutil.rmtree(work, ignore_errors=True)
    run("cmake", "--install", build, "--prefix", work / "prefix", "--component", "probe")
    compilers = {".c": [c, shutil.which("clang")], ".cpp": [cxx, shutil.which("clang++")]}
    for name in pages:
        folder = work / name
        folder.mkdir()
        page = source / "docs/probe" / f"{name}.md" if name != "probe" else source / "docs/probe.md"
        (program,) = (source / "tests/probe/pages").glob(f"{name}.c*")
        cmake = write_examples(page, program, folder)
        if cmake:
            target = re.search(r"target_link_libraries\((\w+)", cmake).group(1)
            (folder / "CMakeLists.txt").write_text(
                f"cmake_minimum_required(VERSION 3.25)\nproject({target} CXX)\nadd_executable({target} {program})\n"
                f"target_include_directories({target} PRIVATE {folder})\n{cmake}", encoding="utf-8")
            run("cmake", "-S", folder, "-B", folder / "build", "-G", generator, f"-DCMAKE_CXX_COMPILER={cxx}",
                f"-DCMAKE_PREFIX_PATH={work / 'prefix'}")
            run("cmake", "--build", folder / "build")
            continue
        standard = "-std=c11" if program.suffix == ".c" else "-std=c++20"
        modes = [[]] + ([["-DCOROTRACER_OFF"], ["-DCOROTRACER_EXTERN"]] if program.suffix == ".cpp" else [])
        for compiler in filter(None, compilers[program.suffix]):
            for mode in modes:
                run(compiler, standard, *mode, "-fsyntax-only", "-I", work / "prefix/include", "-I", folder, "-I",
                    program.parent, program)
    shutil.rmtree(work)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), *sys.argv[3:6], sys.argv[6:])
