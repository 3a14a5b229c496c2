# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The labels of the corpus, and the comparison of a report with them."""

import configparser
import dataclasses
import json
import pathlib
import re
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
VARIANTS = ["causes", "plain", "version1"]


@dataclasses.dataclass(frozen=True)
class Program:
    """A program of the corpus, or the healthy twin of a broken one."""

    name: str
    family: str
    is_broken: bool
    expected: tuple  # rules: one of them must accuse the broken program; the first is the rule of its defect
    also: tuple  # rules that may accuse the broken program, and count as found where no causes are reported
    functions: tuple  # in which the accused coroutines are; empty: in any
    variants: tuple
    misses: tuple  # variants in which the defect is known not to be found
    accused: tuple  # variants in which the healthy program is known to be accused
    duration: float  # s
    min_threads: int = 1  # fewer do not show the defect
    is_twin: bool = False  # the healthy twin of a broken program

    @property
    def title(self):
        return self.name + (" (broken)" if self.is_broken else "")

    @property
    def recorded_variants(self):
        """The variants with a recording in the repository: not the plain ones of healthy twins, for the sake of size."""
        return tuple(variant for variant in self.variants if variant != "plain" or not self.is_twin)

    @property
    def file(self):
        return self.name + (".broken" if self.is_broken else "") + ".ctr"


def _program(section, is_broken):
    def words(key):
        return tuple(section.get(key, "").split())

    family = section.get("family", "own")
    variants = tuple(VARIANTS) if family == "own" else ("causes",)
    return Program(section.name, family, is_broken, words("expect") if is_broken else (),
                   words("also") if is_broken else (), words("at"), variants,
                   words("misses"), words("accused"), section.getfloat("duration", 4), section.getint("min_threads", 1),
                   "expect" in section and not is_broken)


def programs():
    labels = configparser.ConfigParser(inline_comment_prefixes=";")
    labels.read(HERE / "labels.ini", encoding="utf-8")
    result = []
    for name in labels.sections():
        if "expect" in labels[name]:
            result.append(_program(labels[name], True))
        result.append(_program(labels[name], False))
    return result


def judge(engine, recording):
    """The report of a recording."""
    command = [engine, "--batch", "--input", recording, "--report", "json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        raise RuntimeError(f"{recording}: {done.stderr}")
    return json.loads(done.stdout)


@dataclasses.dataclass
class Comparison:
    """What a report says about a program, against its label."""

    right: list  # rules that accuse as they should
    wrong: list  # findings that accuse without reason
    is_found: bool  # a broken program was found out
    has_abstained: bool  # the rule of its defect abstained


def name_of(function):
    """The name of a function without its result, scope, template parameters and arguments."""
    text = function.replace("(anonymous namespace)", "")
    while re.search(r"<[^<>]*>", text):
        text = re.sub(r"<[^<>]*>", "", text)
    words = text.split("(")[0].split()
    parts = [part for part in (words[-1] if words else "").split("::") if part and "{" not in part]
    return parts[-1] if parts else ""


def compare(program, variant, report):
    """Only warnings and errors accuse."""
    allowed = set(program.expected) | set(program.also)
    right, wrong = [], []
    for finding in report["findings"]:
        if finding["severity"] == "info":
            continue
        function = (finding.get("site") or {}).get("function") or ""
        is_there = (not program.functions or not function or finding["rule"] == "stall"
                    or name_of(function) in program.functions)
        if program.is_broken and finding["rule"] in allowed and is_there:
            right.append(finding["rule"])
        else:
            wrong.append(finding)
    counts = set(program.expected) if variant == "causes" else allowed
    abstained = {entry["rule"] for entry in report["abstained"]}
    return Comparison(right, wrong, any(rule in counts for rule in right),
                      bool(program.expected) and program.expected[0] in abstained)


def text_of(finding):
    site = finding.get("site") or {}
    return "{} {} in {}: {}".format(finding["severity"], finding["rule"], site.get("function") or "?", finding["message"])
