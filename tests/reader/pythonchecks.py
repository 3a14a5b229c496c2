# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the checks of the Python module have in common."""

import pathlib
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
MASK = (1 << 64) - 1


def run_named(checks):
    """Runs the check that the command line names, with the arguments behind it."""
    checks[sys.argv[1]](*sys.argv[2:])


def equal(got, expected, what=""):
    if got != expected:
        raise AssertionError(f"{what}: got {got!r}, expected {expected!r}")


def raises(kind, words, call):
    try:
        call()
    except kind as error:
        for word in words:
            assert word in str(error), f"{word!r} is not in: {error}"
        return
    raise AssertionError(f"{kind.__name__} was not raised")


def rows_of(table, *columns):
    """The rows of a table as tuples of Python values, texts as bytes."""
    values = []
    for column in columns:
        column = table[column].tolist()
        is_text = bool(column) and isinstance(column[0], str)
        values.append([text.encode("utf-8", "surrogateescape") for text in column] if is_text else column)
    return list(zip(*values))
