# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Precision, recall and coverage of the diagnosis, as tables in markdown.

A program counts by the share of its runs: 20 repeats of one program are no more evidence than one. Intervals are the
exact ones of Clopper and Pearson, with programs as trials.
"""

import collections
import dataclasses
import math

import corpus

CONFIDENCE = 0.95


@dataclasses.dataclass
class Outcome:
    program: corpus.Program
    variant: str
    result: dict


def _at_most(count, trials, share):
    """The probability of at most `count` hits."""
    return sum(math.comb(trials, i) * share**i * (1 - share) ** (trials - i) for i in range(count + 1))


def _solve(is_too_low):
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if is_too_low(middle) else (low, middle)
    return low


def interval(count, trials):
    """The exact interval of a share."""
    doubt = (1 - CONFIDENCE) / 2
    low = 0.0 if count == 0 else _solve(lambda share: 1 - _at_most(count - 1, trials, share) < doubt)
    high = 1.0 if count == trials else _solve(lambda share: _at_most(count, trials, share) > doubt)
    return low, high


def share_text(shares):
    """The mean of the programs' shares, with its interval. `shares`: of each program, 0 to 1."""
    if not shares:
        return "-"
    low, high = interval(math.floor(sum(shares) + 1e-9), len(shares))
    return f"{sum(shares) / len(shares):.2f} ({low:.2f}-{high:.2f})"


def _by_program(outcomes, value):
    """The mean of value(outcome) of each program."""
    values = collections.defaultdict(list)
    for outcome in outcomes:
        values[outcome.program.title].append(value(outcome))
    return [sum(each) / len(each) for each in values.values()]


def recall(outcomes):
    return share_text(_by_program(outcomes, lambda outcome: float(outcome.result["found"])))


def coverage(outcomes):
    return share_text(_by_program(
        outcomes, lambda outcome: float(outcome.result["found"] or not outcome.result["abstained"])))


def precision(outcomes, rule=None):
    """The share of accusations that are right, of the programs with any."""
    rights, wrongs = collections.Counter(), collections.Counter()
    for outcome in outcomes:
        title = outcome.program.title
        rights[title] += sum(1 for each in set(outcome.result["right"]) if rule in (None, each))
        wrongs[title] += sum(1 for each in outcome.result["wrong_rules"] if rule in (None, each))
    shares = [rights[title] / (rights[title] + wrongs[title]) for title in set(rights) | set(wrongs)
              if rights[title] + wrongs[title] != 0]
    return share_text(shares)


def healthy_text(outcomes):
    hours = sum(outcome.program.duration for outcome in outcomes) / 3600
    wrong = sum(len(outcome.result["wrong"]) for outcome in outcomes)
    return f"{wrong} in {hours:.2f} h" + (f" ({wrong / hours:.1f} per h)" if hours else "")


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows])


def text(outcomes):
    outcomes = [outcome for outcome in outcomes if "error" not in outcome.result]
    parts = []
    rows = []
    for variant in corpus.VARIANTS:
        chosen = [outcome for outcome in outcomes if outcome.variant == variant]
        if not chosen:
            continue
        broken = [outcome for outcome in chosen if outcome.program.is_broken]
        healthy = [outcome for outcome in chosen if not outcome.program.is_broken]
        rows.append([variant, len({outcome.program.title for outcome in broken}),
                     len({outcome.program.title for outcome in healthy}), len(chosen), precision(chosen),
                     recall(broken), coverage(broken), healthy_text(healthy)])
    parts.append(table(["variant", "broken", "healthy", "runs", "precision", "recall", "coverage",
                        "warnings of healthy programs"], rows))
    for variant in corpus.VARIANTS:
        parts.append(_rules_text([outcome for outcome in outcomes if outcome.variant == variant], variant))
    parts.append(_bad_text(outcomes))
    return "\n\n".join(part for part in parts if part)


def _rules_text(outcomes, variant):
    rules = list(dict.fromkeys(outcome.program.expected[0] for outcome in outcomes if outcome.program.is_broken))
    said = {rule for outcome in outcomes for rule in outcome.result["right"] + outcome.result["wrong_rules"]}
    rows = []
    for rule in rules + sorted(said - set(rules)):
        broken = [outcome for outcome in outcomes if outcome.program.is_broken and outcome.program.expected[0] == rule]
        rows.append([rule, len({outcome.program.title for outcome in broken}), precision(outcomes, rule),
                     recall(broken), coverage(broken)])
    return f"With {variant}:\n\n" + table(["rule", "broken programs", "precision", "recall", "coverage"], rows) if rows else ""


def _bad_text(outcomes):
    """The misses and false accusations, by program."""
    missed, wrong = collections.Counter(), collections.Counter()
    runs = collections.Counter()
    for outcome in outcomes:
        key = (outcome.program.title, outcome.variant)
        runs[key] += 1
        missed[key] += outcome.program.is_broken and not outcome.result["found"]
        wrong[key] += bool(outcome.result["wrong"])
    rows = [[title, variant, f"{missed[title, variant]} of {count}", f"{wrong[title, variant]} of {count}"]
            for (title, variant), count in runs.items() if missed[title, variant] or wrong[title, variant]]
    return table(["program", "variant", "missed", "wrongly accused"], rows) if rows else "No miss, and nothing wrong."
