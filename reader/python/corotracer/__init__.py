# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: MIT
"""Reads recordings of coroutines (.ctr) into NumPy arrays and pandas DataFrames.

    import corotracer

    with corotracer.open("run.ctr") as run:
        events = run.events()                # a NumPy structured array
        slow = events[events["ts"] > events["ts"][0] + 1_000_000_000]
        frame = slow.to_pandas()             # the same columns; 64-bit numbers stay uint64

Tables have one row per event, coroutine, site, wake and so on. All times are ns of the CLOCK_MONOTONIC of the recorded
machine. 64-bit numbers are uint64: subtract them only from each other, and only the smaller from the larger, or
convert them first. Texts are str; bytes of the target that are not UTF-8 become lone surrogates, from which
`text.encode("utf-8", "surrogateescape")` makes the bytes again.

The module needs NumPy, and the library libcorotracer-recording that is installed with it.
"""

from __future__ import annotations

import os as _os

try:
    import numpy as _numpy  # noqa: F401
except ImportError as _error:
    raise ImportError("corotracer needs NumPy: install the package python3-numpy (Debian, Ubuntu), or numpy with "
                      "pip") from _error

from ._layouts import DESCRIPTORS, DIALECTS, MODES, NONE, POINTS, THREAD_CALLS, THREAD_STATES, USES, WAITS
from ._library import Error
from ._library import LIBRARY as _LIBRARY
from ._recording import TABLES, Batch, IncompleteRecording, Overview, Recording
from ._tables import Table

__all__ = ["DESCRIPTORS", "DIALECTS", "MODES", "NONE", "POINTS", "TABLES", "THREAD_CALLS", "THREAD_STATES", "USES",
           "WAITS", "Batch", "Error", "IncompleteRecording", "Overview", "Recording", "Table", "open"]
for _class in (Batch, Error, IncompleteRecording, Overview, Recording, Table):
    _class.__module__ = __name__  # users see no name of a file
__version__: str = _LIBRARY.ctr_version().decode()


def open(path: str | _os.PathLike[str]) -> Recording:  # noqa: A001
    """Opens a recording. `path` may be any file of a recording that rotates. Raises `Error` if it cannot be read."""
    return Recording(path)
