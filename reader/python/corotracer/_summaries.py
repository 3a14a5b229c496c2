# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: MIT
"""Tables with a row for each coroutine, thread or process, computed from several kinds of rows in one pass."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._layouts import DIALECTS, LAYOUTS, NONE, POINTS, THREAD_STATES, Column
from ._tables import Collector, Table, rows_at


def numbered(count: int, columns: tuple[Column, ...]) -> np.ndarray:
    """A table of unknown values."""
    table = np.zeros(count, np.dtype([(column.name, column.type) for column in columns], align=True))
    for column in columns:
        if column.missing:
            table[column.name] = column.missing
        elif column.type == "O":
            table[column.name] = ""
    return table


def events_of(batch: Any) -> np.ndarray:
    return rows_at(batch.transition, batch.transition_count, LAYOUTS["transition"].row)


class Collectors:
    """Collects several kinds of rows."""

    def __init__(self, *sorts: str) -> None:
        self._collectors = {sort: Collector(sort) for sort in sorts}

    def expect(self, events: int) -> None:
        pass

    def add(self, batch: Any) -> None:
        for collector in self._collectors.values():
            collector.add(batch)

    def rows(self, sort: str) -> Table:
        return self._collectors[sort].table()


class Coroutines(Collectors):
    COLUMNS = (
        Column("coroutine", "u4"), Column("name", "O"), Column("probe_id", "u8"), Column("pid", "u4"),
        Column("station", "u4"), Column("generation", "u4"), Column("dialect", "u1", DIALECTS),
        Column("parent", "u4", missing=NONE), Column("birth_ts", "u8", missing=0),
        Column("finish_ts", "u8", missing=0), Column("death_ts", "u8", missing=0), Column("captured", "u8"),
        Column("lost", "u8"), Column("missed", "u8"), Column("last_ts", "u8", missing=0), Column("active", "?"),
        Column("site", "u4"), Column("kind", "u1", POINTS), Column("flagged", "?"))
    LATEST = (("last_ts", "ts"), ("active", "active"), ("site", "site"), ("kind", "kind"))

    def __init__(self) -> None:
        super().__init__("birth", "name", "parent", "finish", "death", "flag", "loss")
        self._born = 0
        self._rows = numbered(0, self.COLUMNS)

    def add(self, batch: Any) -> None:
        super().add(batch)
        self._born += batch.birth_count
        if self._born > len(self._rows):
            more = numbered(max(self._born, 2 * len(self._rows)) - len(self._rows), self.COLUMNS)
            self._rows = np.concatenate([self._rows, more])
        events = events_of(batch)
        if len(events) == 0:
            return
        ids = events["coroutine"]
        first = ids.min()
        offsets = (ids - first).astype("i8")
        counts = np.bincount(offsets)
        latest = np.empty(len(counts), "i8")  # index of the latest event of each coroutine that has one
        latest[offsets] = np.arange(len(offsets))  # of equal offsets, the last one counts
        seen = np.flatnonzero(counts)
        self._rows["captured"][first + seen] += counts[seen].astype("u8")
        for column, of in self.LATEST:
            self._rows[column][first + seen] = events[of][latest[seen]]

    def table(self, problem: str) -> Table:
        table = self._rows[:self._born]
        table["coroutine"] = np.arange(self._born)
        births = self.rows("birth")
        for column in ("probe_id", "pid", "station", "generation", "dialect"):
            table[column][births["coroutine"]] = births[column]
        table["birth_ts"][births["coroutine"]] = births["ts"]
        for sort, column, of in (("name", "name", "name"), ("parent", "parent", "parent"),
                                 ("finish", "finish_ts", "ts"), ("death", "death_ts", "ts")):
            rows = self.rows(sort)
            table[column][rows["coroutine"]] = rows[of]
        table["flagged"][self.rows("flag")["coroutine"]] = True
        losses = self.rows("loss")
        for column, are_missed in (("lost", False), ("missed", True)):
            rows = losses[losses["missed"] == are_missed]
            np.add.at(table[column], rows["coroutine"], rows["count"])
        return Table.make(table, self.COLUMNS, problem)


def threads_of(rows: np.ndarray) -> np.ndarray:
    """One number for each thread."""
    return rows["pid"].astype("u8") << np.uint64(32) | rows["tid"].astype("u8")


class Threads(Collectors):
    COLUMNS = (Column("pid", "u4"), Column("tid", "u4"), Column("name", "O"), Column("events", "u8"),
               Column("sampled_ts", "u8", missing=0), Column("state", "u1", THREAD_STATES), Column("cpu_ns", "u8"),
               Column("run_delay_ns", "u8"))

    def __init__(self, target: int) -> None:
        """`target`: pid of the process whose coroutines have pid 0."""
        super().__init__("thread_name", "thread_sample")
        self._target = target
        self._pids = np.empty(0, "u4")  # of the process of each coroutine
        self._events: dict[int, int] = {}

    def add(self, batch: Any) -> None:
        super().add(batch)
        births = rows_at(batch.birth, batch.birth_count, LAYOUTS["birth"].row)
        if len(births):
            self._pids = np.concatenate([self._pids, np.where(births["pid"] == 0, self._target, births["pid"])])
        events = events_of(batch)
        if len(events) == 0:
            return
        threads = self._pids[events["coroutine"]].astype("u8") << np.uint64(32) | events["tid"].astype("u8")
        # Threads come in runs, and sorting the runs is cheaper than sorting the events.
        starts = np.flatnonzero(np.concatenate([[True], threads[1:] != threads[:-1]]))
        lengths = np.diff(np.append(starts, len(threads)))
        found, of = np.unique(threads[starts], return_inverse=True)
        counts = np.zeros(len(found), "u8")
        np.add.at(counts, of, lengths.astype("u8"))
        for thread, count in zip(found.tolist(), counts.tolist()):
            self._events[thread] = self._events.get(thread, 0) + count

    def table(self, problem: str) -> Table:
        names, samples = self.rows("thread_name"), self.rows("thread_sample")
        ran = np.fromiter(self._events, "u8", len(self._events))
        threads = np.unique(np.concatenate([threads_of(names), threads_of(samples), ran]))
        table = numbered(len(threads), self.COLUMNS)
        table["pid"], table["tid"] = threads >> np.uint64(32), threads & np.uint64(NONE)
        table["name"][np.searchsorted(threads, threads_of(names))] = names["name"]
        table["events"][np.searchsorted(threads, ran)] = np.fromiter(self._events.values(), "u8", len(ran))
        sampled = np.searchsorted(threads, threads_of(samples))  # of equal threads, the last row counts
        for column in ("state", "cpu_ns", "run_delay_ns"):
            table[column][sampled] = samples[column]
        table["sampled_ts"][sampled] = samples["ts"]
        return Table.make(table, self.COLUMNS, problem)


class Processes(Collectors):
    COLUMNS = (Column("pid", "u4"), Column("name", "O"), Column("start_ts", "u8", missing=0),
               Column("end_ts", "u8", missing=0))

    def __init__(self) -> None:
        super().__init__("process", "process_end")

    def table(self, problem: str) -> Table:
        starts, ends = self.rows("process"), self.rows("process_end")
        table = numbered(len(starts), self.COLUMNS)
        table["pid"], table["name"], table["start_ts"] = starts["pid"], starts["name"], starts["ts"]
        for end in ends:  # a pid may be used again: the end belongs to the latest start before it
            of = np.flatnonzero((starts["pid"] == end["pid"]) & (starts["ts"] <= end["ts"]))
            table["end_ts"][of[-1:]] = end["ts"]
        return Table.make(table, self.COLUMNS, problem)
