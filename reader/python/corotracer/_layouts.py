# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: MIT
"""The columns of the tables, and the rows in C that they are made of."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple

import numpy as np

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
