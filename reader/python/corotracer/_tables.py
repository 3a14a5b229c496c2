# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: MIT
"""Tables: NumPy structured arrays whose columns know their names and missing values."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Callable, NamedTuple

import numpy as np

from . import _library

if TYPE_CHECKING:
    import pandas

NONE = 0xFFFFFFFF
"""The id of no coroutine, in the columns `parent`, `by` and `target`."""

POINTS = ("await", "initial", "final", "yield")
DIALECTS = ("unknown", "seqlock", "monotonic", "lane")
WAITS = ("unknown", "lock", "channel", "descriptor", "timer", "coroutine", "other")
MODES = ("one", "any", "all")
USES = ("acquired", "released", "signalled")
THREAD_STATES = ("unknown", "running", "sleeping", "uninterruptible", "stopped", "traced", "ended")
THREAD_CALLS = ("unknown", "none", "futex", "epoll", "poll", "sleep", "descriptor", "process", "signal", "ring",
                "other")
DESCRIPTORS = ("unknown", "closed", "removed", "epoll", "timer", "event", "signal", "socket", "listener", "pipe",
               "terminal", "other")


class Column(NamedTuple):
    """A column of a table."""

    name: str
    type: str  # a NumPy type; "O" for texts
    names: tuple[str, ...] = ()  # of the values of an enumeration
    missing: int | None = None  # the value that says "none" or "unknown"; <NA> in pandas
    source: str = ""  # the member of the row in C, if it has another name
    of: Callable[[np.ndarray], np.ndarray] | None = None  # computes the column from its source


class Layout(NamedTuple):
    """A table and the rows in C that it is made of."""

    row: np.dtype  # of the row in C
    columns: tuple[Column, ...]

    @property
    def dtype(self) -> np.dtype:
        return np.dtype([(column.name, column.type) for column in self.columns], align=True)


TEXT = np.dtype([("data", "u8"), ("size", "u8")])


def row(*members: tuple[str, Any]) -> np.dtype:
    return np.dtype(list(members), align=True)


def u8(*names: str) -> list[tuple[str, str]]:
    return [(name, "u8") for name in names]


def u4(*names: str) -> list[tuple[str, str]]:
    return [(name, "u4") for name in names]


def text(*names: str) -> list[tuple[str, Any]]:
    return [(name, TEXT) for name in names]


def plain(type_: str, *names: str) -> list[Column]:
    return [Column(name, type_) for name in names]


def layout(members: list[tuple[str, Any]], *columns: Column | list[Column]) -> Layout:
    flat = [column for part in columns for column in (part if isinstance(part, list) else [part])]
    return Layout(row(*members), tuple(flat))


def mode_of(part: np.ndarray) -> np.ndarray:
    return np.where(part == 0, 0, 2 - part % 2)


def position_of(part: np.ndarray) -> np.ndarray:
    return np.where(part == 0, 0, (part - 1) // 2)


TS = Column("ts", "u8")
TS_OR_NONE = Column("ts", "u8", missing=0)
COROUTINE = Column("coroutine", "u4")
BY = Column("by", "u4", missing=NONE)

# By the name of the array in ctr_batch.
LAYOUTS = {
    "site": layout([*u4("id", "line", "column", "reserved"), *text("file", "function")],
                   Column("site", "u4", source="id"), plain("O", "file", "function"), plain("u4", "line", "column")),
    "birth": layout([*u8("probe_id", "ts"), *u4("coroutine", "station", "generation", "pid", "dialect", "reserved")],
                    COROUTINE, plain("u8", "probe_id"), TS_OR_NONE, plain("u4", "station", "generation", "pid"),
                    Column("dialect", "u1", DIALECTS)),
    "transition": layout([*u8("ts", "addr", "n", "seq"), *u4("coroutine", "tid", "site"), ("kind", "u1"),
                          ("active", "?")],
                         plain("u8", "ts", "addr", "n", "seq"), plain("u4", "coroutine", "tid", "site"),
                         Column("kind", "u1", POINTS), Column("active", "?")),
    "loss": layout([*u8("first_n", "count"), *u4("coroutine", "before_attach")],
                   COROUTINE, plain("u8", "first_n", "count"), Column("missed", "?", source="before_attach")),
    "death": layout([*u8("ts"), *u4("coroutine", "reserved")], COROUTINE, TS),
    "flag": layout(u4("coroutine", "reason"), COROUTINE, Column("reason", "u1")),
    "name": layout([*u4("coroutine", "reserved"), *text("name")], COROUTINE, Column("name", "O")),
    "parent": layout(u4("coroutine", "parent"), COROUTINE, Column("parent", "u4", missing=NONE)),
    "wait": layout([*u8("n", "object"), *u4("coroutine", "target", "kind", "part")],
                   COROUTINE, plain("u8", "n"), Column("kind", "u1", WAITS), plain("u8", "object"),
                   Column("target", "u4", missing=NONE), Column("mode", "u1", MODES, source="part", of=mode_of),
                   Column("position", "u4", source="part", of=position_of)),
    "wake": layout([*u8("n", "ts"), *u4("coroutine", "by", "pid", "tid")],
                   TS, COROUTINE, plain("u8", "n"), BY, plain("u4", "pid", "tid")),
    "use": layout([*u8("n", "object", "ts"), *u4("by", "kind", "site", "pid", "tid", "reserved")],
                  TS, BY, plain("u8", "n"), Column("kind", "u1", USES), plain("u8", "object"),
                  plain("u4", "site", "pid", "tid")),
    "wakers_left": layout([*u8("n", "count", "ts"), *u4("coroutine", "reserved")],
                          TS, COROUTINE, plain("u8", "n", "count")),
    "finish": layout([*u8("ts"), *u4("coroutine", "site")], TS, COROUTINE, plain("u4", "site")),
    "drop": layout([*u8("records", "first_ts", "last_ts"), *u4("pid", "tid")],
                   plain("u4", "pid", "tid"), plain("u8", "records", "first_ts", "last_ts")),
    "switch": layout([*u8("ts"), *u4("pid", "on")], TS, plain("u4", "pid"), Column("on", "?")),
    "process": layout([*u8("ts"), *u4("pid", "reserved"), *text("name")],
                      plain("u4", "pid"), TS_OR_NONE, Column("name", "O")),
    "process_end": layout([*u8("ts"), *u4("pid", "reserved")], plain("u4", "pid"), TS),
    "thread_name": layout([*u4("pid", "tid"), *text("name")], plain("u4", "pid", "tid"), Column("name", "O")),
    "thread_sample": layout([*u8("ts", "object", "cpu_ns", "run_delay_ns"),
                             *u4("pid", "tid", "state", "call", "timed", "reserved")],
                            TS, plain("u4", "pid", "tid"), Column("state", "u1", THREAD_STATES),
                            Column("call", "u1", THREAD_CALLS), Column("timed", "?"),
                            plain("u8", "object", "cpu_ns", "run_delay_ns")),
    "descriptor_sample": layout([*u8("ts", "pending", "deadline"),
                                 *u4("pid", "descriptor", "epoll", "kind", "events", "tcp_state", "read_ends",
                                     "can_write", "reserved")],
                                TS, plain("u4", "pid", "descriptor", "epoll"), Column("kind", "u1", DESCRIPTORS),
                                plain("u4", "events"), Column("pending", "u8", missing=(1 << 64) - 1),
                                Column("deadline", "u8", missing=0), plain("u1", "tcp_state"),
                                plain("?", "read_ends", "can_write")),
    "process_sample": layout([*u8("ts", "descriptors_ts", "stopped_since"),
                              *u4("pid", "threads", "threads_known", "calls_known", "descriptors_known", "reserved"),
                              *u8("machine_suspended")],
                             TS, plain("u4", "pid", "threads"), Column("descriptors_ts", "u8", missing=0),
                             Column("stopped_since", "u8", missing=0),
                             plain("?", "threads_known", "calls_known", "descriptors_known"),
                             Column("machine_suspended_ns", "u8", source="machine_suspended")),
    "output": layout([*u8("ts"), *text("bytes")], TS, Column("bytes", "O")),
    "damage": layout([*u8("offset", "bytes", "transitions"), *u4("file", "at_end")],
                     plain("u4", "file"), plain("u8", "offset", "bytes", "transitions"), Column("at_end", "?")),
}


class Table(np.ndarray):
    """A NumPy structured array: `table["ts"]` is a column, `table[0]` a row, `table[mask]` a table.

    `problem` says why rows are missing that the recording should have; "" means that it is complete.
    """

    problem: str = ""
    columns: tuple[Column, ...] = ()

    @staticmethod
    def make(array: np.ndarray, columns: tuple[Column, ...], problem: str = "") -> Table:
        table = array.view(Table)
        table.columns, table.problem = columns, problem
        return table

    def __array_finalize__(self, other: Any) -> None:
        self.problem = getattr(other, "problem", "")
        self.columns = getattr(other, "columns", ())

    def __getitem__(self, key: Any) -> Any:
        item = super().__getitem__(key)
        return item.view(np.ndarray) if isinstance(item, Table) and item.dtype.names is None else item

    def to_pandas(self) -> pandas.DataFrame:
        """A DataFrame with the same columns, each copied once.

        64-bit numbers stay uint64. Enumerations become categories with their names. Columns that may have missing
        values are of the types UInt32 and UInt64, always, and have <NA> there.
        """
        try:
            import pandas
        except ImportError as error:
            raise ImportError("to_pandas() needs pandas: install the package python3-pandas (Debian, Ubuntu), or "
                              "pandas with pip") from error
        known = {column.name: column for column in self.columns}
        return pandas.DataFrame({name: series_of(pandas, known.get(name), np.array(self[name]))
                                 for name in self.dtype.names or ()}, copy=False)


def series_of(pandas: Any, column: Column | None, values: np.ndarray) -> Any:
    if column is None:
        return values
    if column.names:
        # A later version of the library may have more values.
        others = [str(code) for code in range(len(column.names), int(values.max(initial=0)) + 1)]
        return pandas.Categorical.from_codes(values.astype("i2"), [*column.names, *others])
    if column.missing is not None:
        return pandas.arrays.IntegerArray(values, values == column.missing)
    return values


def rows_at(address: int | None, count: int, dtype: np.dtype) -> np.ndarray:
    """The rows of the library, without a copy."""
    if not count or not address:
        return np.empty(0, dtype)
    return np.frombuffer((ctypes.c_char * (count * dtype.itemsize)).from_address(address), dtype)


def texts_of(texts: np.ndarray, as_bytes: bool) -> list[str] | list[bytes]:
    read = ctypes.string_at if as_bytes else _library.text_of
    return list(map(read, texts["data"].tolist(), texts["size"].tolist()))


def copied(rows: np.ndarray, layout: Layout, into: np.ndarray) -> None:
    """Copies rows of the library into a table."""
    if rows.dtype == into.dtype:
        as_bytes = f"V{rows.dtype.itemsize}"  # one copy of memory; NumPy would copy member by member
        into.view(as_bytes)[:] = rows.view(as_bytes)
        return
    for column in layout.columns:
        values = rows[column.source or column.name]
        if values.dtype == TEXT:
            into[column.name] = np.array(texts_of(values, column.name == "bytes"), object)
        else:
            into[column.name] = column.of(values) if column.of else values


class Collector:
    """Collects the rows of one sort. Copies each row once, if expect() knows how many events there are."""

    def __init__(self, sort: str) -> None:
        self.sort = sort
        self.layout = LAYOUTS[sort]
        self._dtype = self.layout.dtype
        self._parts: list[np.ndarray] = []
        self._used = 0  # of the last part
        self._room = 0  # of the next part, at least

    def expect(self, events: int) -> None:
        if self.sort == "transition":
            self._room = events

    def add(self, batch: Any) -> None:
        count = getattr(batch, self.sort + "_count")
        if count:
            self.add_rows(rows_at(getattr(batch, self.sort), count, self.layout.row))

    def add_rows(self, rows: np.ndarray) -> None:
        if not self._parts or len(self._parts[-1]) - self._used < len(rows):
            self._begin_part(len(rows))
        copied(rows, self.layout, self._parts[-1][self._used:self._used + len(rows)])
        self._used += len(rows)

    def _begin_part(self, least: int) -> None:
        if self._parts:
            self._parts[-1] = self._parts[-1][:self._used]
        try:
            part = np.empty(max(self._room, least), self._dtype)
        except (MemoryError, ValueError):  # a damaged file may promise any number of rows
            part = np.empty(least, self._dtype)
        self._parts.append(part)
        self._used = self._room = 0

    def table(self, problem: str = "") -> Table:
        if self._parts:
            self._parts[-1] = self._parts[-1][:self._used]
        array = (np.empty(0, self._dtype) if not self._parts else
                 self._parts[0] if len(self._parts) == 1 else np.concatenate(self._parts))
        return Table.make(array, self.layout.columns, problem)
