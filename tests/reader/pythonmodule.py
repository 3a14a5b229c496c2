#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of the Python module, one function each: `pythonmodule.py CHECK ARGUMENT...`. tst_pythonmodule.cpp makes the
recordings, and runs the checks."""

import concurrent.futures
import contextlib
import gc
import os
import pathlib
import pickle
import re
import resource
import sys
import tempfile
import warnings

from pythonchecks import MASK, SOURCE, equal, raises, run_named

# ---- Values ----

def extremes(path):
    """0, 2^63 and 2^64 - 1 survive in every 64-bit column, also in pandas."""
    import corotracer
    import numpy as np
    values = [0, 1, 1 << 63, MASK]
    run = corotracer.open(path)
    events = run.events()
    equal(events["addr"].tolist(), values)
    equal(events["seq"].tolist(), values)
    equal(events["ts"].tolist(), [1, 1, 1 << 63, MASK])
    equal(run.read("births")["births"]["probe_id"].tolist(), values)
    equal(run.wakes()["ts"].tolist(), values)
    equal(run.waits()["object"].tolist(), values)
    frame = events.to_pandas()
    equal(str(frame["addr"].dtype), "uint64")
    equal(frame["addr"].tolist(), values)
    # As a table with missing values: 0 is no time.
    births = run.coroutines().to_pandas()["birth_ts"]
    equal(str(births.dtype), "UInt64")
    equal(births.isna().tolist(), [True, False, False, False])
    equal(births.tolist()[1:], values[1:])
    equal(run.coroutines()["name"].tolist()[:2], ["a \"quoted\", name\nof two lines: ä", "\udcff"])
    equal(run.coroutines()["name"].tolist()[1].encode("utf-8", "surrogateescape"), b"\xff")
    target = run.waits().to_pandas()["target"]
    equal([value is not None and value == value and int(value) for value in target.fillna(77)], [0, 77, 77, 77])
    assert isinstance(events["ts"], np.ndarray) and type(events["ts"]) is np.ndarray
    assert isinstance(events[events["ts"] > 1], corotracer.Table)
    equal(list(events[["ts", "kind"]].to_pandas().columns), ["ts", "kind"])


def types(path, empty_path):
    """Types do not depend on the values: a table of an empty recording has those of a full one."""
    import corotracer
    run, empty = corotracer.open(path), corotracer.open(empty_path)
    methods = ["events", "sites", "coroutines", "threads", "processes", "waits", "wakes", "uses", "wakers_left",
               "losses", "drops", "switches", "thread_samples", "outputs", "damages"]
    for method in methods:
        full, none = getattr(run, method)(), getattr(empty, method)()
        equal(none.dtype, full.dtype, method)
        equal(len(none), 0, method)
        assert len(full) or method == "damages", method
        equal(none.to_pandas().dtypes.astype(str).to_dict(), full.to_pandas().dtypes.astype(str).to_dict(), method)
        equal(len(full.to_pandas()), len(full), method)
    equal({name: str(type_) for name, type_ in run.events().to_pandas().dtypes.items()},
          {"ts": "uint64", "addr": "uint64", "n": "uint64", "seq": "uint64", "coroutine": "uint32", "tid": "uint32",
           "site": "uint32", "kind": "category", "active": "bool"})
    equal((empty.sums()["captured"], empty.events().problem), (0, ""))


def enumerations():
    """The names of the values are those of <capi.h>."""
    import corotracer
    header = (SOURCE / "reader/include/corotracer/recording/capi.h").read_text(encoding="utf-8")
    for enum, prefix, names in (("ctr_dialect", "CTR_DIALECT_", corotracer.DIALECTS),
                                ("ctr_point", "CTR_", corotracer.POINTS),
                                ("ctr_wait_kind", "CTR_WAIT_", corotracer.WAITS),
                                ("ctr_use_kind", "CTR_", corotracer.USES),
                                ("ctr_thread_state", "CTR_THREAD_", corotracer.THREAD_STATES),
                                ("ctr_thread_call", "CTR_CALL_", corotracer.THREAD_CALLS),
                                ("ctr_descriptor_kind", "CTR_DESCRIPTOR_", corotracer.DESCRIPTORS)):
        body = re.search(rf"enum {enum} \{{(.*?)\}}", header, re.S).group(1)
        values = dict(re.findall(rf"{prefix}(\w+) = (\d+)", body))
        equal({name.lower(): int(value) for name, value in values.items()},
              {name: value for value, name in enumerate(names)}, enum)


def sums(path):
    """The sum over coroutines is the sum over events and losses, and what sums() says."""
    import corotracer
    run = corotracer.open(path)
    totals, coroutines, losses = run.sums(), run.coroutines(), run.losses()
    equal(len(run.events()), totals["captured"])
    equal(int(coroutines["captured"].sum()), totals["captured"])
    equal((int(coroutines["lost"].sum()), int(coroutines["missed"].sum())),
          (totals["lost"] - totals["lost_without_coroutine"],
           totals["missed_before_attach"] - totals["missed_without_coroutine"]))
    equal(int(losses["count"].sum()), int(coroutines["lost"].sum()) + int(coroutines["missed"].sum()))
    flags = run.read("flags")["flags"]
    equal((len(coroutines), len(flags)), (totals["coroutines"], totals["flagged"]))
    equal(int(coroutines["flagged"].sum()), len(set(flags["coroutine"].tolist())))
    equal(coroutines["coroutine"].tolist(), list(range(len(coroutines))))
    equal(int(run.threads()["events"].sum()), totals["captured"])
    latest, last_names = {}, {}
    for row in run.events().tolist():
        latest[row[4]] = row
    for coroutine, name in run.read("names")["names"].tolist():
        last_names[coroutine] = name
    for row in coroutines:
        event = latest.get(int(row["coroutine"]), (0,) * 9)
        equal((row["last_ts"], row["site"], row["kind"], row["active"]), (event[0], event[6], event[7], event[8]))
        equal(row["name"], last_names.get(int(row["coroutine"]), ""))
    overview = run.overview()
    equal((overview.transitions, overview.ended), (totals["captured"], True))
    assert totals["captured"] and isinstance(run.info(), dict)


# ---- Files that are not whole ----

def incomplete(path, events, *words):
    """Everything readable is returned, and a warning and the table say what is missing."""
    import corotracer
    for read in (lambda run: run.events(), lambda run: [batch["events"] for batch in run.batches()]):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            got = read(corotracer.open(path))
        equal([warning.category for warning in caught], [corotracer.IncompleteRecording])
        texts = [str(caught[0].message)]
        if isinstance(got, list):
            equal(sum(map(len, got)), int(events))
        else:
            equal(len(got), int(events))
            texts.append(got.problem)
            texts += [got[:0].problem, pickle.loads(pickle.dumps(got)).problem]
        for text in texts:
            for word in (path, *words):
                assert word in text, f"{word!r} is not in: {text}"


def damages(path, offset):
    import corotracer
    warnings.simplefilter("ignore")
    rows = corotracer.open(path).damages()
    equal((len(rows), rows["offset"][0], rows["file"][0], rows["at_end"][0]), (1, int(offset), 0, False))
    assert rows["transitions"][0] > 0 and rows.problem


def errors(folder):
    import corotracer
    missing, text = os.path.join(folder, "missing.ctr"), os.path.join(folder, "text.ctr")
    pathlib.Path(text).write_text("no recording", encoding="utf-8")
    for path in (missing, text, folder):
        raises(corotracer.Error, [path], lambda: corotracer.open(path))
        raises(corotracer.Error, [path], lambda: corotracer.open(pathlib.Path(path)))
    raises(corotracer.Error, ["choose a recording (.ctr)"], lambda: corotracer.open(folder))
    lines = os.path.join(folder, "run.jsonl")
    pathlib.Path(lines).write_text('{"note":"process"}\n', encoding="utf-8")
    raises(corotracer.Error, [f"corotracer-gui --batch --input {lines} --export ctr"], lambda: corotracer.open(lines))
    equal(corotracer.Error.__module__, "corotracer")


def growing(path):
    """Each call reads up to the end that the file has by then."""
    import corotracer
    whole = pathlib.Path(path).read_bytes()
    expected = corotracer.open(path).events().tolist()
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "grows.ctr")
        before = 0
        with open(copy, "wb", buffering=0) as file:
            file.write(whole[:64])
            run = corotracer.open(copy)
            for part in range(64, len(whole), len(whole) // 7):
                file.write(whole[part:part + len(whole) // 7])
                is_whole = os.path.getsize(copy) == len(whole)
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    events = run.events()
                equal((len(caught), events.problem == ""), (0, True) if is_whole else (1, False))
                equal(events.tolist(), expected[:len(events)])
                assert before <= len(events)
                before = len(events)
        equal(before, len(expected))
        os.replace(copy, copy + ".other")
        raises(corotracer.Error, [copy, "open it again"], run.events)
        pathlib.Path(copy).write_bytes(whole)
        raises(corotracer.Error, [copy, "open it again"], run.events)


# ---- Use of the objects ----

def closing(path):
    import corotracer
    with corotracer.open(path) as run:
        events = run.events()
        batches = run.batches(rows=100)
        batch = next(batches)
        first = batch["events"]
        next(batches)
        raises(ValueError, ["before the next one"], lambda: batch["events"])
        raises(ValueError, ["no table", "events"], lambda: run.read("event"))
        raises(ValueError, ["-1"], lambda: run.batches(rows=-1))
        copy = pickle.loads(pickle.dumps(events))
        equal(copy.tolist(), events.tolist())
        equal(str(copy.to_pandas()["kind"].dtype), "category")
        assert "corotracer.Recording" in repr(run)
    run.close()
    run.close()
    assert "closed" in repr(run)
    for call in (run.events, run.sums, run.info, run.overview, run.batches, run.coroutines, run.__enter__,
                 lambda: next(batches)):
        raises(ValueError, [path, "is closed"], call)
    assert len(events) > len(first) and first.tolist() == events[:len(first)].tolist()
    del run, batches, batch
    gc.collect()
    assert int(events["n"].sum()) >= 0 and len(events.to_pandas()) == len(events)


def threads(path):
    """Threads may share a recording, and one may close it."""
    import corotracer
    run = corotracer.open(path)
    expected = run.events().tolist()
    descriptors = len(os.listdir("/proc/self/fd"))
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        tables = list(pool.map(lambda _: run.events().tolist(), range(40)))
        assert all(table == expected for table in tables)
        iterators = [run.batches(rows=50) for _ in range(20)]
        for _ in range(5):
            parts = pool.map(lambda one: str(next(one)["events"].tolist()), iterators)
            equal(len(set(parts)), 1)
        running = [pool.submit(run.coroutines) for _ in range(20)]
        run.close()
        for future in running:
            with contextlib.suppress(ValueError):
                future.result()
    del iterators
    gc.collect()
    equal(len(os.listdir("/proc/self/fd")), descriptors)


def memory(path):
    """Reading in batches needs no memory for the whole recording."""
    import corotracer
    run = corotracer.open(path)
    count = sum(len(batch["events"]) for batch in corotracer.open(path).batches())
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(2):
        equal(sum(len(batch["events"]) for batch in run.batches()), count)
    in_batches = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    events = run.events()
    whole = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    kib = events.nbytes // 1024
    assert kib > 100_000, kib
    assert before < kib and in_batches - before < kib // 20, (before, in_batches, kib)
    # The table itself is read into its final memory.
    assert kib // 2 < whole - in_batches < kib * 6 // 5, (in_batches, whole, kib)


def installed(prefix, path):
    import corotracer
    assert corotracer.__file__.startswith(prefix), corotracer.__file__
    mapped = pathlib.Path("/proc/self/maps").read_text(encoding="utf-8")
    assert f"{prefix}/lib" in mapped and re.search(rf"{re.escape(prefix)}/\S*libcorotracer-recording", mapped), mapped
    equal(len(corotracer.open(path).events()), 4000)
    assert re.fullmatch(r"\d+\.\d+\.\d+", corotracer.__version__)


def without_numpy():
    sys.modules["numpy"] = None
    raises(ImportError, ["NumPy", "python3-numpy"], lambda: __import__("corotracer"))


def without_library(module):
    """A copy of the module without a library next to it."""
    sys.path.insert(0, module)
    raises(ImportError, ["libcorotracer-recording.so.0", "LD_LIBRARY_PATH"], lambda: __import__("corotracer"))


def without_pandas(path):
    import corotracer
    events = corotracer.open(path).events()
    sys.modules["pandas"] = None
    raises(ImportError, ["pandas", "python3-pandas"], events.to_pandas)


if __name__ == "__main__":
    run_named(globals())
