#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records real targets, exports the recordings for trace viewers, and reads these files with protoc and Python. What
they show must be what the JSONL export of the same recording says: states and runs with their times, flows, gaps.

tst_viewerspeer.py FOLDER_OF_PROGRAMS FOLDER_OF_SOURCES"""

import collections
import decimal
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

TARGETS = [
    ["ct_causality", "--workers", "20"],
    ["ct_processes", "--processes", "2", "--coroutines", "20", "--turns", "50", "--rate", "20000"],
    ["ct_oldsdk"],
]
SKIPPED = 77
NOWHERE = (None, None, None)  # no function, file and line
FIELD = re.compile(r'\s*(\w+): (.*)\n')


def run(command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
    if done.returncode != 0:
        sys.exit(f"{command}: exit status {done.returncode}\n{done.stderr.decode(errors='replace')}")
    return done.stdout


# What protoc prints

def value_of(text):
    if text[0] == '"':
        return text[1:-1].encode().decode("unicode_escape").encode("latin-1").decode()
    return int(text, 0) if text[0] in "-0123456789" else text


def packets_of(text):
    """Yields each packet as nested dicts of lists."""
    stack = []
    for line in text.splitlines(keepends=True):
        stripped = line.strip()
        if stripped.endswith("{"):
            message = collections.defaultdict(list)
            if stack:
                stack[-1][stripped[:-2]].append(message)
            stack.append(message)
        elif stripped == "}":
            message = stack.pop()
            if not stack:
                yield message
        else:
            name, value = FIELD.match(line).groups()
            stack[-1][name].append(value_of(value))


class Perfetto:
    """The tracks and slices of a file, as a viewer makes them."""

    def __init__(self, text):
        self.tracks = {}
        interned = {kind: {} for kind in ("event_names", "event_categories", "debug_annotation_names", "source_locations")}
        events = []
        for number, packet in enumerate(packets_of(text)):
            for data in packet["interned_data"]:
                for kind, entries in data.items():
                    for entry in entries:
                        interned[kind][entry["iid"][0]] = entry
            for descriptor in packet["track_descriptor"]:
                self.tracks[descriptor["uuid"][0]] = descriptor
            for event in packet["track_event"]:
                events.append((packet["timestamp"][0], number, event))
        events.sort(key=lambda event: event[:2])
        self.slices = collections.defaultdict(list)
        open_slices = collections.defaultdict(list)
        for ts, _, event in events:
            track = event["track_uuid"][0]
            args = {}
            for annotation in event["debug_annotations"]:
                name = interned["debug_annotation_names"][annotation["name_iid"][0]]["name"][0]
                args[name] = next(values[0] for key, values in annotation.items() if key != "name_iid" and values)
            kind = event["type"][0]
            if kind == "TYPE_SLICE_END":
                ended = open_slices[track].pop()
                ended["end"] = ts
                ended["args"].update(args)
                continue
            location = event["source_location_iid"]
            entry = interned["source_locations"][location[0]] if location else {}
            name = event["name"][0] if event["name"] else interned["event_names"][event["name_iid"][0]]["name"][0]
            made = {
                "begin": ts, "end": ts, "args": args, "name": name, "kind": kind,
                "category": interned["event_categories"][event["category_iids"][0]]["name"][0],
                "location": tuple((entry.get(key) or [None])[0] or None for key in ("function_name", "file_name", "line_number")),
                "flows": event["flow_ids"], "ends_flows": event["terminating_flow_ids"],
            }
            self.slices[track].append(made)
            if kind == "TYPE_SLICE_BEGIN":
                open_slices[track].append(made)
        assert not any(open_slices.values()), "slices without an end"

    def coroutines(self):
        """The slices on the track of each coroutine."""
        found = {}
        for track, slices in self.slices.items():
            if "probe_id" in slices[0]["args"]:
                found[slices[0]["args"]["coroutine"]] = slices
        return found

    def threads(self):
        """The slices on threads, with their pid (0: unknown) and tid."""
        for track, slices in self.slices.items():
            descriptor = self.tracks[track]
            if descriptor["thread"]:
                yield (descriptor["thread"][0]["pid"][0], descriptor["thread"][0]["tid"][0]), slices
            elif "".join(descriptor["name"]).startswith("thread "):
                yield (0, int(descriptor["name"][0].split()[1])), slices


# What JSONL says

class Expected:
    def __init__(self, path):
        self.events = collections.defaultdict(list)
        self.pids = collections.defaultdict(int)
        self.wakes = []
        with open(path, encoding="utf-8") as lines:
            for line in map(json.loads, lines):
                if "note" not in line:
                    self.events[line["coroutine"]].append(line)
                if "pid" in line and "coroutine" in line and line.get("note") in (None, "birth"):
                    self.pids[line["coroutine"]] = line["pid"]
                if line.get("note") == "wake":
                    self.wakes.append(line)

    @staticmethod
    def missing(event):
        return {key: event[field] for key, field in
                (("lost", "lost_before"), ("missed", "missed_before"), ("unexplained", "dropped_before")) if field in event}

    def intervals(self, coroutine):
        """Pairs of events that follow each other without a gap."""
        events = self.events[coroutine]
        for before, after in zip(events, events[1:]):
            if not self.missing(after) and before["is_active"] != after["is_active"]:
                yield before, after

    def states(self, coroutine):
        for before, after in self.intervals(coroutine):
            if before["is_active"]:
                yield ("running", before["n"], before["ts"], after["ts"], NOWHERE)
            else:
                category = "finished" if before.get("kind") == "final" else "suspended"
                where = tuple(before.get(key) or None for key in ("function", "file", "line"))
                yield (category, before["n"], before["ts"], after["ts"], where)

    def runs(self, coroutine):
        for before, after in self.intervals(coroutine):
            if before["is_active"] and before["tid"] == after["tid"]:
                yield (self.pids[coroutine], before["tid"], coroutine, before["ts"], after["ts"])


def compare(what, seen, expected):
    seen, expected = collections.Counter(seen), collections.Counter(expected)
    if seen != expected:
        sys.exit(f"{what}: not expected {list((seen - expected).items())[:3]}, missing {list((expected - seen).items())[:3]}")
    return sum(expected.values())


def check_perfetto(file, expected):
    counts = collections.Counter()
    coroutines = file.coroutines()
    for coroutine in expected.events:
        slices = coroutines[coroutine]
        wanted = list(expected.states(coroutine))
        # An address may be resolved in one file alone. Version-1 targets, which write no pid, only have addresses.
        unresolved = {n for _, n, _, _, where in wanted if not where[0] or not expected.pids[coroutine]}
        unresolved |= {slice["args"]["n"] for slice in slices if "addr" in slice["args"]}
        wanted = [state[:4] + (NOWHERE if state[1] in unresolved else state[4],) for state in wanted]
        counts["locations"] += sum(state[4] != NOWHERE for state in wanted)
        states = [(slice["category"], slice["args"]["n"], slice["begin"], slice["end"],
                   NOWHERE if slice["args"]["n"] in unresolved else slice["location"]) for slice in slices if "n" in slice["args"] and "end" not in slice["args"]
                  and "still_open" not in slice["args"]]
        counts["states"] += compare(f"states of {coroutine}", states, wanted)
        gaps = [{name: slice["args"][name] for name in ("lost", "missed", "unexplained") if name in slice["args"]}
                for slice in slices if slice["category"] == "gap" and "still_open" not in slice["args"]]
        gaps_of_events = [gap for gap in map(expected.missing, expected.events[coroutine]) if gap]
        assert [gap for gap in gaps if gap][:len(gaps_of_events)] == gaps_of_events, f"gaps of {coroutine}"
        counts["gaps"] += len(gaps_of_events)
        for before, after in zip(slices, slices[1:]):
            assert before["end"] <= after["begin"], f"states of {coroutine} overlap"
    runs, resumptions, suspensions, wakes, ends = [], 0, 0, {}, {}
    for (pid, tid), slices in file.threads():
        for slice in slices:
            args = slice["args"]
            if slice["category"] == "wake":
                wakes[slice["flows"][0]] = (pid, tid, slice["begin"], args["coroutine"], args["n"])
            elif slice["category"] == "running":
                resumptions += 1
                suspensions += "end" not in args and "still_open" not in args
                if slice["ends_flows"]:
                    ends[slice["ends_flows"][0]] = (args["coroutine"], slice["begin"])
                if "end" not in args and "still_open" not in args:
                    runs.append((pid, tid, args["coroutine"], slice["begin"], slice["end"]))
            elif slice["category"] == "suspended":
                suspensions += 1
    counts["runs"] = compare("runs", runs, (run for coroutine in expected.events for run in expected.runs(coroutine)))
    events = [event for events in expected.events.values() for event in events]
    assert resumptions == sum(event["is_active"] for event in events), "a resumption is missing on the threads"
    assert suspensions == sum(not event["is_active"] for event in events), "a suspension is missing on the threads"
    # Of several wakes of one suspension, each has the flow to its resumption.
    compare("wakes", set(wakes.values()) and {wake[3:] for wake in wakes.values()},
            {(wake["coroutine"], wake["n"]) for wake in expected.wakes})
    resumed = {(event["coroutine"], event["n"]): event["ts"] for event in events if event["is_active"]}
    for flow, (_, _, _, coroutine, n) in wakes.items():
        if (coroutine, n) in resumed:
            assert ends[flow] == (coroutine, resumed[coroutine, n]), f"the flow to event {n} of {coroutine}"
            counts["flows"] += 1
    return counts


def check_chrome(path, file, has_sites):
    """Both formats have the same slices. Without sites, an address may be resolved in one file alone. A coroutine that
    gets its name while it runs has the new name in Chrome's slice of the run, which is written at its end."""
    def shown(name, category, *rest):
        return (name if has_sites and category != "running" else "", category, *rest)
    with open(path, encoding="utf-8") as content:
        events = json.load(content, parse_float=decimal.Decimal)
    seen = [shown(event["name"], event["cat"], int(event["ts"] * 1000), int(event.get("dur", 0) * 1000))
            for event in events if event["ph"] in "Xi"]
    return compare("Chrome trace", seen,
                   (shown(slice["name"], slice["category"], slice["begin"], slice["end"] - slice["begin"])
                    for slices in file.slices.values() for slice in slices))


def main():
    programs, sources = map(os.path.abspath, sys.argv[1:])
    if not shutil.which("protoc"):
        print("protoc is missing: install protobuf-compiler")
        sys.exit(SKIPPED)
    for target in TARGETS:
        with tempfile.TemporaryDirectory() as folder:
            gui = [f"{programs}/corotracer-gui", "--batch"]
            run(gui + ["--shm", f"{folder}/shm", "--sock", f"{folder}/sock", "-o", "run.ctr", "--",
                       f"{programs}/{target[0]}", *target[1:]], cwd=folder)
            run(gui + ["--input", "run.ctr", "--export", "jsonl", "--export", "perfetto", "--export", "chrome"], cwd=folder)
            with open(f"{folder}/run.pftrace", "rb") as trace:
                text = run(["protoc", "-I", f"{sources}/core/exporting/viewers", "--decode=perfetto.protos.Trace",
                            "perfetto.proto"], stdin=trace).decode()
            unknown = re.search(r"^\s*\d+:", text, re.MULTILINE)
            assert not unknown, "perfetto.proto lacks a field: " + unknown.group()
            file = Perfetto(text)
            counts = check_perfetto(file, Expected(f"{folder}/run.jsonl"))
            has_sites = target[0] != "ct_oldsdk"
            counts["slices"] = check_chrome(f"{folder}/run.json", file, has_sites)
            assert counts["states"] > 0 and counts["runs"] > 0
            assert counts["locations"] > 0 or not has_sites, "no suspension has a location"
            assert counts["flows"] > 0 or target[0] != "ct_causality", "no wake has a flow"
            print(target[0], dict(counts))


main()
