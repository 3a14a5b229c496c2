# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: MIT
"""The C interface of libcorotracer-recording, as <corotracer/recording/capi.h> describes it."""

from __future__ import annotations

import ctypes
import os
import pathlib
import sysconfig
from typing import Any

SONAME = "libcorotracer-recording.so.0"
GOOD, DAMAGED, FAILED = range(3)

# The arrays of ctr_batch, in the order of the structure.
MEMBERS = ("site", "birth", "loss", "transition", "death", "flag", "name", "parent", "wait", "wake", "drop", "switch",
           "process", "process_end", "thread_name", "output", "use", "wakers_left", "finish", "thread_sample",
           "descriptor_sample", "process_sample")
SUMS = ("captured", "lost", "missed_before_attach", "coroutines", "coroutines_missed", "untraced", "born_while_off",
        "born_before_init", "flagged", "sites_dropped", "records_dropped", "notes_dropped", "notes_lost",
        "not_written", "times_approximate", "lost_without_coroutine", "missed_without_coroutine")


class Error(Exception):
    """A recording cannot be read. The text names the file, the reason and the remedy."""


class Batch(ctypes.Structure):
    _fields_ = [("now", ctypes.c_uint64)] + [
        field for name in MEMBERS for field in ((name, ctypes.c_void_p), (name + "_count", ctypes.c_size_t))]


class Sums(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in SUMS]


class Text(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_size_t)]


class Overview(ctypes.Structure):
    _fields_ = [("first_ts", ctypes.c_uint64), ("last_ts", ctypes.c_uint64), ("transitions", ctypes.c_uint64),
                ("bytes", ctypes.c_uint64), ("files", ctypes.POINTER(Text)), ("file_count", ctypes.c_size_t),
                ("blocks", ctypes.c_void_p), ("block_count", ctypes.c_size_t), ("damages", ctypes.c_void_p),
                ("damage_count", ctypes.c_size_t), ("sums", ctypes.POINTER(Sums)), ("info", ctypes.c_char_p),
                ("ended", ctypes.c_uint32)]


FUNCTIONS = {
    "ctr_open": (ctypes.c_void_p, [ctypes.c_char_p]),
    "ctr_close": (None, [ctypes.c_void_p]),
    "ctr_status": (ctypes.c_int, [ctypes.c_void_p]),
    "ctr_message": (ctypes.c_char_p, [ctypes.c_void_p]),
    "ctr_next_rows": (ctypes.POINTER(Batch), [ctypes.c_void_p, ctypes.c_size_t]),
    "ctr_sums_of": (ctypes.POINTER(Sums), [ctypes.c_void_p]),
    "ctr_damages": (ctypes.c_size_t, [ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p)]),
    "ctr_ended": (ctypes.c_int, [ctypes.c_void_p]),
    "ctr_overview_of": (ctypes.POINTER(Overview), [ctypes.c_void_p]),
    "ctr_version": (ctypes.c_char_p, []),
}


def candidates() -> list[str]:
    """Where the library may be: under the prefix of this module, then in the system's library path."""
    prefix = pathlib.Path(__file__).resolve().parents[4]  # <prefix>/lib/python3/dist-packages/corotracer
    folders = [prefix / "lib" / str(sysconfig.get_config_var("MULTIARCH") or ""), prefix / "lib", prefix / "lib64"]
    return [str(folder / SONAME) for folder in folders if (folder / SONAME).exists()] + [SONAME]


def load() -> ctypes.CDLL:
    problems = []
    for path in candidates():
        try:
            library = ctypes.CDLL(path)
            for name, (result, arguments) in FUNCTIONS.items():
                function = getattr(library, name)
                function.restype, function.argtypes = result, arguments
            return library
        except OSError as error:
            problems.append(str(error))
        except AttributeError as error:
            problems.append(f"{path} is older than this module: {error}")
    raise ImportError("corotracer cannot load its library: " + "; ".join(problems) +
                      ". Install the component 'reader' of corotracer-gui next to this module, or name the folder of " +
                      SONAME + " in LD_LIBRARY_PATH.")


LIBRARY = load()


def text_of(data: int, size: int) -> str:
    """A text of the target. Bytes that are not UTF-8 become lone surrogates, as in os.fsdecode()."""
    return ctypes.string_at(data, size).decode("utf-8", "surrogateescape")


class Reader:
    """A ctr_reader. One thread at a time; the calls release the interpreter's lock."""

    def __init__(self, path: str) -> None:
        self._reader = LIBRARY.ctr_open(os.fsencode(path))
        if not self._reader:
            raise MemoryError(f"no memory to open {path}")
        try:
            self.check()
        except Error:
            self.close()
            raise

    def close(self) -> None:
        reader, self._reader = self._reader, None
        LIBRARY.ctr_close(reader)

    def __del__(self) -> None:
        if getattr(self, "_reader", None):
            self.close()

    def message(self) -> str:
        return LIBRARY.ctr_message(self._reader).decode("utf-8", "surrogateescape")

    def check(self) -> None:
        if LIBRARY.ctr_status(self._reader) == FAILED:
            raise Error(self.message())

    def next(self, rows: int) -> Batch | None:
        """The next rows of the stream, valid until the next call. None: the stream has ended."""
        batch = LIBRARY.ctr_next_rows(self._reader, rows)
        if batch:
            return batch.contents
        self.check()
        return None

    def sums(self) -> dict[str, int]:
        return dict_of(LIBRARY.ctr_sums_of(self._reader).contents)

    def damages(self) -> tuple[Any, int]:
        """The address of the rows about damages, and their number."""
        rows = ctypes.c_void_p()
        count = LIBRARY.ctr_damages(self._reader, ctypes.byref(rows))
        return rows.value, count

    def has_ended(self) -> bool:
        return LIBRARY.ctr_ended(self._reader) != 0

    def overview(self) -> Overview:
        """Valid as long as the reader."""
        overview = LIBRARY.ctr_overview_of(self._reader)
        if not overview:
            raise Error(self.message())
        return overview.contents


def dict_of(sums: Sums) -> dict[str, int]:
    return {name: getattr(sums, name) for name in SUMS}
