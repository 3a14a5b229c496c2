# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: MIT
"""Recordings: each call of a table reads the file once, and keeps only the rows of that table."""

from __future__ import annotations

import contextlib
import json
import os
import warnings
from types import TracebackType
from typing import Any, Iterator, Mapping, NamedTuple

import numpy as np

from . import _summaries
from ._layouts import LAYOUTS
from ._library import Error, Reader, dict_of, text_of
from ._tables import Collector, Table, rows_at

BLOCK_ROWS = 1 << 16  # larger blocks leave the caches of the processor

# The tables that are rows of the stream, and their names in the C interface.
SORTS = {
    "sites": "site", "births": "birth", "events": "transition", "losses": "loss", "deaths": "death", "flags": "flag",
    "names": "name", "parents": "parent", "waits": "wait", "wakes": "wake", "uses": "use",
    "wakers_left": "wakers_left", "finishes": "finish", "drops": "drop", "switches": "switch",
    "process_starts": "process", "process_ends": "process_end", "thread_names": "thread_name",
    "thread_samples": "thread_sample", "descriptor_samples": "descriptor_sample",
    "process_samples": "process_sample", "outputs": "output",
}
TABLES = tuple(SORTS)
"""The names of the tables that `Recording.read()` and `Recording.batches()` know."""


class IncompleteRecording(UserWarning):
    """Rows are missing that the recording should have. Everything readable was returned."""


class Overview(NamedTuple):
    """Facts about a recording that are known without reading its events."""

    first_ts: int
    """ns, CLOCK_MONOTONIC: the earliest time. 0: no times"""
    last_ts: int
    """ns, CLOCK_MONOTONIC: the latest time"""
    transitions: int
    """events in the files"""
    bytes: int
    """size of all files"""
    files: list[str]
    """the files of the recording that exist, the oldest first"""
    sums: dict[str, int] | None
    """the last sums of the whole run that the program wrote. None: it wrote none"""
    ended: bool
    """the recording was ended in order"""


class End(NamedTuple):
    """What is known at the end of a pass over a recording."""

    problem: str
    sums: dict[str, int]
    damages: np.ndarray


class Batch(Mapping[str, Table]):
    """The rows of a part of the stream. `batch["events"]` copies the rows of one table; see `TABLES`."""

    def __init__(self, rows: Any) -> None:
        self._rows = rows

    def __getitem__(self, name: str) -> Table:
        if self._rows is None:
            raise ValueError("this batch is no longer valid: get its tables before the next one is read")
        collector = Collector(SORTS[name])
        collector.add(self._rows)
        return collector.table()

    def __iter__(self) -> Iterator[str]:
        return iter(SORTS)

    def __len__(self) -> int:
        return len(SORTS)

    def _end(self) -> None:
        self._rows = None


class Recording:
    """A recording. `open()` makes it. Different threads may use it at the same time.

    Every table is read from the file when it is asked for, up to the end that the file has by then. If rows are
    missing, a warning `IncompleteRecording` says so, and `problem` of the table has the text.

    All times are ns of the CLOCK_MONOTONIC of the recorded machine.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fsdecode(path)
        self._is_closed = False
        self._identity = identity_of(self.path)
        Reader(self.path).close()  # an error shows at once

    def close(self) -> None:
        """Closes the recording. Tables that were returned stay valid. Closing twice is harmless."""
        self._is_closed = True

    def __enter__(self) -> Recording:
        self._check_open()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<corotracer.Recording {self.path!r}{' (closed)' if self._is_closed else ''}>"

    # ---- Tables ----

    def events(self) -> Table:
        """Resumptions and suspensions: `ts` (ns), `addr` (0: none), `n` (number of the event in its coroutine), `seq`
        (of the slot), `coroutine`, `tid`, `site` (0: unknown), `kind` (of the suspension point, `POINTS`), `active`
        (resumed: True, suspended: False)."""
        return self._read("events")

    def sites(self) -> Table:
        """Suspension points: `site` (from 1), `file`, `function`, `line`, `column` (0: unknown)."""
        return self._read("sites")

    def coroutines(self) -> Table:
        """One row per coroutine, in the order of births, so that row i is coroutine i: `coroutine`, `name`,
        `probe_id`, `pid` (0: unknown), `parent` (`NONE`), `birth_ts`, `finish_ts`, `death_ts` (ns, 0: unknown or not
        yet), `captured`, `lost`, `missed` (numbers of events), `last_ts` (ns, 0: no events), `active`, `site`, `kind`
        (of its latest event), `flagged` (its data contradict each other)."""
        return self._summary(_summaries.Coroutines())

    def threads(self) -> Table:
        """Threads that ran events, have a name, or were sampled: `pid`, `tid`, `name`, `events` (their number), and at
        the latest sample: `sampled_ts` (ns, 0: not sampled), `state` (`THREAD_STATES`), `cpu_ns` (processor time so
        far), `run_delay_ns` (time of waiting for a processor)."""
        return self._summary(_summaries.Threads(self.info().get("target") or 0))

    def processes(self) -> Table:
        """Processes: `pid`, `name`, `start_ts`, `end_ts` (ns, 0: unknown, or not yet)."""
        return self._summary(_summaries.Processes())

    def waits(self) -> Table:
        """What suspensions wait for: `coroutine`, `n` (of the suspension), `kind` (`WAITS`), `object` (address,
        descriptor, or end time of a timer), `target` (the awaited coroutine, or `NONE`), `mode` (`MODES`: the only
        object, any or all of several), `position` (among several, from 0)."""
        return self._read("waits")

    def wakes(self) -> Table:
        """Wakes: `ts` (ns), `coroutine` (which was woken), `n` (it woke suspension n - 1), `by` (the waking coroutine,
        or `NONE`), `pid`, `tid` (of the waker)."""
        return self._read("wakes")

    def uses(self) -> Table:
        """Uses of objects: `ts` (ns), `by` (the coroutine, or `NONE`), `n` (its events so far), `kind` (`USES`),
        `object` (address), `site`, `pid`, `tid`."""
        return self._read("uses")

    def wakers_left(self) -> Table:
        """How many objects could still wake a coroutine: `ts` (ns), `coroutine`, `n` (its events so far),
        `count`."""
        return self._read("wakers_left")

    def losses(self) -> Table:
        """Gaps: events `first_n` to `first_n + count - 1` of `coroutine` are lost, or missed (`missed`: gone before
        the capture attached)."""
        return self._read("losses")

    def drops(self) -> Table:
        """Full lanes: thread `tid` of `pid` could not write `records` records from `first_ts` to `last_ts` (ns)."""
        return self._read("drops")

    def switches(self) -> Table:
        """Tracing was switched on or off: `ts` (ns), `pid`, `on`."""
        return self._read("switches")

    def thread_samples(self) -> Table:
        """Changes of threads, as the capture saw them: `ts` (ns), `pid`, `tid`, `state` (`THREAD_STATES`), `call`
        (`THREAD_CALLS`), `timed` (a timeout ends the call), `object` (of the call), `cpu_ns`, `run_delay_ns`."""
        return self._read("thread_samples")

    def outputs(self) -> Table:
        """What the target wrote to its terminal: `ts` (ns), `bytes`."""
        return self._read("outputs")

    def damages(self) -> Table:
        """Parts of the files that were left out: `file` (index in `overview().files`), `offset`, `bytes`,
        `transitions` (events in it, as far as known), `at_end` (cut off, or still being written)."""
        end = self._pass()
        collector = Collector("damage")
        collector.add_rows(end.damages)
        return collector.table(end.problem)

    def read(self, *names: str) -> dict[str, Table]:
        """Reads several of `TABLES` at once, which needs no more time than one."""
        for name in names:
            if name not in SORTS:
                raise ValueError(f"no table is called {name!r}; expected one of {', '.join(TABLES)}")
        collectors = {name: Collector(SORTS[name]) for name in names}
        end = self._pass(*collectors.values())
        return {name: collector.table(end.problem) for name, collector in collectors.items()}

    def batches(self, rows: int = BLOCK_ROWS) -> Iterator[Batch]:
        """Reads the recording in parts of at least `rows` rows (and of at most a million more), for recordings larger
        than memory. A batch is valid until the next one; the tables that it returned stay valid."""
        if rows < 0:
            raise ValueError(f"{rows} rows: expected 0 or more")
        return self._batches(self._open(), rows)

    # ---- Facts ----

    def sums(self) -> dict[str, int]:
        """The sums of the run, as far as the recording has it: `captured` is the number of events(), `coroutines`
        is the number of coroutines(), `lost` and `missed_before_attach` are the sums of losses() plus
        `lost_without_coroutine` and `missed_without_coroutine`. <capi.h> describes the others. Reads the recording
        through."""
        return self._pass().sums

    def info(self) -> dict[str, Any]:
        """The facts about the run, as docs/recording.md ("Kind 1") lists them. 64-bit numbers are texts of digits."""
        with contextlib.closing(self._open()) as reader:
            return json.loads((reader.overview().info or b"{}").decode("utf-8", "surrogateescape"))

    def overview(self) -> Overview:
        """Facts from the heads of the blocks. Takes milliseconds, however long the recording is."""
        with contextlib.closing(self._open()) as reader:
            facts = reader.overview()
            files = [text_of(file.data, file.size) for file in facts.files[:facts.file_count]]
            sums = dict_of(facts.sums.contents) if facts.sums else None
            return Overview(facts.first_ts, facts.last_ts, facts.transitions, facts.bytes, files, sums,
                            bool(facts.ended))

    # ---- Reading ----

    def _check_open(self) -> None:
        if self._is_closed:
            raise ValueError(f"{self.path} is closed: open it again")

    def _open(self) -> Reader:
        """A reader at the beginning of the stream. Each use has its own, so threads do not share one."""
        self._check_open()
        if identity_of(self.path) != self._identity:
            raise Error(f"{self.path} was replaced or removed since it was opened: open it again")
        return Reader(self.path)

    def _read(self, name: str) -> Table:
        return self.read(name)[name]

    def _summary(self, summary: Any) -> Table:
        return summary.table(self._pass(summary).problem)

    def _pass(self, *consumers: Any) -> End:
        """Reads the whole recording, and passes all batches to the consumers."""
        with contextlib.closing(self._open()) as reader:
            expected = reader.overview().transitions
            for consumer in consumers:
                consumer.expect(expected)
            while (batch := reader.next(BLOCK_ROWS)) is not None:
                self._check_open()
                for consumer in consumers:
                    consumer.add(batch)
            return self._end(reader)

    def _batches(self, reader: Reader, rows: int) -> Iterator[Batch]:
        with contextlib.closing(reader):
            while (content := reader.next(rows)) is not None:
                batch = Batch(content)
                try:
                    yield batch
                finally:
                    batch._end()
                self._check_open()
            self._end(reader)

    def _end(self, reader: Reader) -> End:
        address, count = reader.damages()
        damages = rows_at(address, count, LAYOUTS["damage"].row).copy()
        sums = reader.sums()
        problem = self._problem(reader, sums)
        if problem:
            warnings.warn(problem, IncompleteRecording, stacklevel=2)
        return End(problem, sums, damages)

    def _problem(self, reader: Reader, sums: dict[str, int]) -> str:
        """What is missing after a pass; "" if nothing is."""
        if reader.message():
            return reader.message()
        if not reader.has_ended():
            return (f"{self.path}: the recording was interrupted or is still being written; everything up to its "
                    "present end was read")
        run = reader.overview().sums
        missing = run.contents.captured - sums["captured"] if run else 0
        if missing > 0:
            return (f"{self.path}: {missing} events of the run are not in the recording, because its limit or a full "
                    "disk left them out; everything else was read")
        return ""


def identity_of(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino
