# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: MIT
"""Tables: NumPy structured arrays whose columns know their names and missing values."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _library
from ._layouts import LAYOUTS, TEXT, Column, Layout

if TYPE_CHECKING:
    import pandas


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

    def __reduce__(self) -> Any:
        kind, arguments, state = super().__reduce__()
        return kind, arguments, (state, self.columns, self.problem)

    def __setstate__(self, state: Any) -> None:
        array, self.columns, self.problem = state
        super().__setstate__(array)

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
    """Collects the rows of one kind. Copies each row only once if expect() was called with the number of events."""

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
