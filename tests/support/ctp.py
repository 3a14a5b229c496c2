#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""An independent reader of a cTP region, after docs/ctp.md. No process may write the region. Standard library only.

It reads with pread, which does not fill the holes of a tmpfs file.

usage: ctp.py REGION [--list]      sums as JSON; --list: one line per coroutine
"""

import json
import os
import struct
import sys
from dataclasses import dataclass

MAGIC = 0x434F524F54524352
EXTENSION_MAGIC = 0x3130545845505443
EXTENSION_VERSION = 2
STATION_SIZE = 1024
STATION_MARK = 0x31505443
LANES_NONE, LANES_DISCARD, LANES_OVERWRITE = range(3)
COMPACT_FREE, COMPACT_ALIVE, COMPACT_DEAD, COMPACT_RECYCLED = range(4)
LANE_MAKING = 3
PROCESS_FREE, PROCESS_MAKING = range(2)
NO_IDENTITY = 2**64 - 1
BLOCK = 1024
LAPS = 15

SUSPEND, RESUME, BIRTH, DEATH, DROPS = 0x10, 0x20, 0x30, 0x31, 0x40
NAME, THREAD_NAME, PARENT, WAKE, WAITS_ON, SWITCH_OFF, SWITCH_ON = 0x50, 0x51, 0x52, 0x60, 0x70, 0x80, 0x81


@dataclass
class Coroutine:
    """One generation of a compact station."""
    index: int
    generation: int
    events: int = 0       # largest number of events that the state record or the lanes show
    state_events: int = 0  # number of events in the state record
    has_state: bool = False  # the state record still belongs to this generation
    in_lanes: int = 0     # transitions in lanes, including the retained records
    dead: bool = False
    name: str = ""
    parent: int = NO_IDENTITY


class Region:
    def __init__(self, path):
        self.file = os.open(path, os.O_RDONLY)
        self.size = os.fstat(self.file).st_size
        head = self.read(0, 1024)
        magic, self.version, self.max_stations, self.allocated = struct.unpack_from("<QIII", head, 0)
        if magic != MAGIC:
            raise ValueError(f"{path}: no cTP region")
        self.lane_mode = LANES_NONE
        self.extended = struct.unpack_from("<QI", head, 0x40) == (EXTENSION_MAGIC, EXTENSION_VERSION)
        if self.extended:
            self.stations_reserved, = struct.unpack_from("<Q", head, 0x58)
            self.strings_offset, self.strings_capacity = struct.unpack_from("<QQ", head, 0x70)
            self.born_before_init, = struct.unpack_from("<Q", head, 0x90)
            self.wrapped, = struct.unpack_from("<Q", head, 0xC0)
            (self.process_table, self.lane_directory, self.states_offset, self.births_offset, self.lane_pool,
             self.lane_pool_size) = struct.unpack_from("<6Q", head, 0x100)
            self.process_capacity, self.lane_capacity, self.compact_stations_reserved, self.lane_mode = struct.unpack_from(
                "<4I", head, 0x130)
            self.compact_station_count, self.compact_stations_committed = struct.unpack_from("<II", head, 0x180)
            (self.births_without_station, self.births_while_off, self.pool_used) = struct.unpack_from("<3Q", head, 0x190)
            self.lane_count, self.threads_without_lane = struct.unpack_from("<II", head, 0x1A8)
            self.records_without_lane, = struct.unpack_from("<Q", head, 0x1B0)

    def close(self):
        os.close(self.file)

    def read(self, offset, size):
        data = b""
        while len(data) < size:
            part = os.pread(self.file, size - len(data), offset + len(data))
            if not part:
                break
            data += part
        return data.ljust(size, b"\0")

    # -- version 1 ----------------------------------------------------------------------------------------------

    def stations(self):
        """(index, events, dead) of each full station with a coroutine, read as a station with seqlock slots. In a
        reused station, only the events of the present coroutine count."""
        for index in range(min(self.allocated, self.max_stations)):
            data = self.read(1024 + index * STATION_SIZE, STATION_SIZE)
            if struct.unpack_from("<Q", data, 8)[0] == 0:
                continue
            mark, = struct.unpack_from("<I", data, 0x240)
            before = struct.unpack_from("<Q", data, 0x258)[0] if mark == STATION_MARK else 0
            events = sum(struct.unpack_from("<Q", data, 0x40 + slot * 64 + 0x18)[0] // 2 for slot in range(8))
            yield index, events - before, data[0x10] != 0

    # -- lanes --------------------------------------------------------------------------------------------------

    def lanes(self):
        for index in range(min(self.lane_count, self.lane_capacity)):
            data = self.read(self.lane_directory + index * 256, 256)
            state, process, tid, offset, records, claims, blocks, begin = struct.unpack_from("<IIQQIIQQ", data, 0)
            dropped, committed = struct.unpack_from("<QI", data, 0x40)
            tail, = struct.unpack_from("<Q", data, 0x80)
            if records < 2 * BLOCK or records % BLOCK or offset + records * 32 > self.size:
                continue
            yield {"index": index, "state": state, "process": process, "tid": tid, "offset": offset,
                   "records": records, "claims": claims, "blocks": blocks, "dropped": dropped, "tail": tail,
                   "begin": begin, "committed": committed}

    def records(self, lane):
        """(ts, identity, arg, n, site, kind) of each record in the lane, in order."""
        if self.lane_mode == LANES_OVERWRITE:
            yield from self.overwritten_records(lane)
            return
        end = lane["tail"]  # of the committed records
        for record in self.committed_records(lane, end):
            if record is None:
                break
            end += 1
        for record in self.committed_records(lane, self.oldest(lane, end)):
            if record is None:
                return
            yield record

    def oldest(self, lane, end):
        """The position of the oldest readable record. Retained records stay until they are overwritten. The slot after
        the end may be half written, so its old record does not count."""
        if not self.process_is_known(lane["process"]):
            return lane["tail"]
        position = max(0, end + 1 - lane["records"])
        if not self.had_one_process():
            position = max(position, lane["begin"])
        while position < lane["tail"] and next(self.run(lane, position, 1)) is None:
            position += 1
        return min(position, lane["tail"])

    def committed_records(self, lane, position):
        end = position + lane["records"]
        while position < end:
            count = min(BLOCK, end - position, lane["records"] - position % lane["records"])
            yield from self.run(lane, position, count)
            position += count

    def overwritten_records(self, lane):
        blocks = lane["records"] // BLOCK
        numbers = struct.unpack(f"<{blocks}Q", self.read(lane["blocks"], blocks * 8))
        present = sorted(number - 1 for slot, number in enumerate(numbers) if number and (number - 1) % blocks == slot)
        for block in present:
            for record in self.run(lane, block * BLOCK, BLOCK):
                if record is None:
                    break
                yield record

    def run(self, lane, position, count):
        """The records of `count` adjacent slots. Yields None and stops at the first slot without the expected lap."""
        if count <= 0:
            return
        lap = position // lane["records"] % LAPS + 1
        data = self.read(lane["offset"] + position % lane["records"] * 32, count * 32)
        for ts, identity, arg, commit in struct.iter_unpack("<QQQQ", data):
            if commit & 0xF != lap:
                yield None
                return
            yield ts, identity, arg, commit >> 32, commit >> 12 & 0xFFFFF, commit >> 4 & 0xFF

    # -- compact stations ---------------------------------------------------------------------------------------

    def compact_stations(self):
        """(index, generation, state, events) of all compact stations that were ever used."""
        end = min(self.compact_station_count, self.compact_stations_committed, self.compact_stations_reserved)
        for first in range(0, end, 4096):
            count = min(4096, end - first)
            data = self.read(self.states_offset + first * 64, count * 64)
            for i in range(count):
                seq, _, _, _, _, life = struct.unpack_from("<6Q", data, i * 64)
                yield first + i, life >> 32, life & 0xFFFFFFFF, seq >> 1

    def ever(self, coroutines):
        """(coroutines, events) of all compact stations since the region was made, even if all records are overwritten.
        Exact if no process writes the region any more. `coroutines`: the result of coroutines()."""
        generations = total = 0
        end = min(self.compact_station_count, self.compact_stations_committed, self.compact_stations_reserved)
        for first in range(0, end, 4096):
            count = min(4096, end - first)
            births = self.read(self.births_offset + first * 64, count * 64)
            states = self.read(self.states_offset + first * 64, count * 64)
            for i in range(count):
                before, = struct.unpack_from("<Q", births, i * 64 + 0x28)
                seq, = struct.unpack_from("<Q", states, i * 64)
                life, = struct.unpack_from("<Q", states, i * 64 + 0x28)
                # In overwrite mode no engine frees stations: a claimed station without a birth is no coroutine.
                is_claimed = self.lane_mode == LANES_OVERWRITE and life >> 32 and life & 0xFFFFFFFF == COMPACT_FREE
                generations += (life >> 32) - (1 if is_claimed else 0)
                # If a thread is killed after a lane record, the state record lacks one event.
                latest = coroutines.get(life >> 32 << 32 | first + i)
                counted = latest.events if latest and latest.has_state else 0
                total += before + max(seq >> 1, counted)
        return generations, total

    def text(self, reference):
        offset, length = reference >> 16, reference & 0xFFFF
        if reference == 0 or offset + length > self.strings_capacity:
            return ""
        return self.read(self.strings_offset + offset, length).decode("utf-8", "replace")

    def coroutines(self):
        """{identity: Coroutine} for each coroutine that is alive, dead but not freed, or mentioned in a lane."""
        found = {}
        states = {}

        def of(identity):
            if identity not in found:
                found[identity] = Coroutine(identity & 0xFFFFFFFF, identity >> 32)
            return found[identity]

        details = []

        for index, generation, life, events in self.compact_stations():
            states[index] = (generation, life, events)
            if life in (COMPACT_ALIVE, COMPACT_DEAD):
                of(generation << 32 | index)
        for lane in self.lanes():
            for record in self.records(lane):
                if record[5] in (NAME, PARENT):
                    details.append(record)
                else:
                    self.note(of, record)
        for _, identity, arg, _, _, kind in details:  # ignored for unknown coroutines
            if identity in found and kind == NAME:
                found[identity].name = self.text(arg)
            elif identity in found:
                found[identity].parent = arg
        for coroutine in found.values():
            generation, life, events = states.get(coroutine.index, (None, None, 0))
            if generation != coroutine.generation or life == COMPACT_FREE:
                continue
            # A recycled station keeps its number of events until the next claim, which raises the generation first.
            coroutine.state_events = events
            coroutine.has_state = True
            coroutine.events = max(coroutine.events, events)
            coroutine.dead = coroutine.dead or life != COMPACT_ALIVE
            if life != COMPACT_RECYCLED:
                self.note_birth(coroutine)
        return found

    def note_birth(self, coroutine):
        data = self.read(self.births_offset + coroutine.index * 64, 64)
        _, _, name, parent = struct.unpack_from("<4Q", data, 0)
        coroutine.name = coroutine.name or self.text(name)
        if coroutine.parent == NO_IDENTITY:
            coroutine.parent = parent

    def note(self, of, record):
        _, identity, arg, n, _, kind = record
        if kind & 0xF0 in (SUSPEND, RESUME):
            coroutine = of(identity)
            coroutine.in_lanes += 1
            coroutine.events = max(coroutine.events, n + 1)  # correct below 2^32 events
        elif kind == BIRTH:
            of(identity)
        elif kind == DEATH:
            coroutine = of(identity)
            coroutine.dead = True
            coroutine.events = max(coroutine.events, n)

    def process_entries(self):
        """(state, pid) of each process entry."""
        data = self.read(self.process_table, self.process_capacity * 256)
        return [struct.unpack_from("<II", data, index * 256) for index in range(self.process_capacity)]

    def process_is_known(self, index):
        return index < self.process_capacity and self.process_entries()[index][0] not in (PROCESS_FREE, PROCESS_MAKING)

    def had_one_process(self):
        return sum(pid != 0 for _, pid in self.process_entries()) <= 1

    def processes(self):
        for index in range(self.process_capacity if self.lane_mode else 0):
            data = self.read(self.process_table + index * 256, 256)
            state, pid = struct.unpack_from("<II", data, 0)
            if state in (PROCESS_FREE, PROCESS_MAKING):
                continue
            length, = struct.unpack_from("<I", data, 0x48)
            yield {"pid": pid, "state": state, "name": data[0x50:0x50 + min(length, 64)].decode("utf-8", "replace")}


def sums(path):
    region = Region(path)
    try:
        stations = list(region.stations())
        result = {"stations": len(stations), "emitted": sum(events for _, events, _ in stations),
                  "coroutines": len(stations), "lane_mode": region.lane_mode, "in_lanes": 0, "alive": 0}
        if region.lane_mode != LANES_NONE:
            found = region.coroutines()
            coroutines = found.values()
            result["coroutines"] += len(coroutines)
            result["emitted"] += sum(coroutine.events for coroutine in coroutines)
            result["in_lanes"] = sum(coroutine.in_lanes for coroutine in coroutines)
            result["alive"] = sum(not coroutine.dead for coroutine in coroutines)
            result["generations_ever"], result["events_ever"] = region.ever(found)
            result["named"] = sum(coroutine.name != "" for coroutine in coroutines)
            result["dropped"] = sum(lane["dropped"] for lane in region.lanes())
            result["lanes"] = region.lane_count
            result["threads_without_lane"] = region.threads_without_lane
            result["processes"] = list(region.processes())
        return result
    finally:
        region.close()


def main():
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    print(json.dumps(sums(sys.argv[1]), indent=2))
    if "--list" in sys.argv:
        region = Region(sys.argv[1])
        for identity, coroutine in sorted(region.coroutines().items()):
            print(f"{identity:#018x} events {coroutine.events} state {coroutine.state_events} lanes "
                  f"{coroutine.in_lanes}{' dead' if coroutine.dead else ''} {coroutine.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
