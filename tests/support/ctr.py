#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""An independent reader of recordings, after docs/recording.md: `ctr.py FILE` prints everything in the stream.

It is slow and strict: any damage is an error."""

import ctypes
import json
import struct
import sys

MASK = (1 << 64) - 1
NONE = 0xFFFFFFFF
zstd = ctypes.CDLL("libzstd.so.1")
zstd.ZSTD_decompress.restype = ctypes.c_size_t
zstd.ZSTD_decompress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
xxhash = ctypes.CDLL("libxxhash.so.0")
xxhash.XXH3_64bits.restype = ctypes.c_uint64
xxhash.XXH3_64bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]


class Damaged(Exception):
    pass


def require(condition, what):
    if not condition:
        raise Damaged(what)


def check(data):
    return xxhash.XXH3_64bits(data, len(data))


class Reader:
    """Reads varints and bytes from a buffer, in order."""

    def __init__(self, data):
        self.data = data
        self.at = 0

    def ended(self):
        return self.at == len(self.data)

    def byte(self):
        require(not self.ended(), "a byte is missing")
        self.at += 1
        return self.data[self.at - 1]

    def varint(self):
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                require(value <= MASK and shift <= 70, "a varint is too long")
                return value

    def take(self, count):
        require(count <= len(self.data) - self.at, "bytes are missing")
        self.at += count
        return self.data[self.at - count : self.at]

    def column(self):
        return Reader(b"") if self.ended() else Reader(self.take(self.varint()))


def plain(column):
    values = []
    while not column.ended():
        values.append(column.varint())
    return values


def delta(column):
    values = []
    last = 0
    for value in plain(column):
        last = (last + ((value >> 1) ^ -(value & 1))) & MASK
        values.append(last)
    return values


def blocks(data):
    """(kind, head, payload) of each block after the file's head. The payload is decompressed."""
    magic, version, order, recording = struct.unpack_from("<8sIIQ", data)
    require(magic == b"CTRECORD" and version == 1 and order == 0x01020304, "no recording")
    require(struct.unpack_from("<Q", data, 56)[0] == check(data[:56]), "the file's head is damaged")
    at, sequence, before = 64, 0, 0
    while at < len(data):
        head = data[at : at + 64]
        require(len(head) == 64, "the last block is cut off")
        fields = struct.unpack("<4sHHQIIIIQQQQ", head)
        magic, kind, flags, owner, number, size, raw, transitions, sum_before, first, last, sum_ = fields
        payload = data[at + 64 : at + 64 + size]
        require(magic == b"ctBk" and owner == recording and len(payload) == size, "no block")
        require(sum_ == check(head[:56] + payload), "a block is damaged")
        require(number == sequence and sum_before == before, "a block is missing")
        if flags & 1:
            buffer = ctypes.create_string_buffer(max(raw, 1))
            require(zstd.ZSTD_decompress(buffer, raw, payload, size) == raw, "a payload cannot be decompressed")
            payload = buffer.raw[:raw]
        require(len(payload) == raw, "a payload has another size")
        yield kind, {"offset": at, "transitions": transitions, "first": first, "last": last}, payload
        at += 64 + size
        sequence, before = sequence + 1, before + transitions
        if kind == 5:
            end, owner, sum_ = struct.unpack_from("<8xQQQ", data, at)
            require(data[at : at + 8] == b"CTRECEND" and len(data) == at + 32, "the trailer is missing")
            require(end == at - 64 - size and owner == recording, "the trailer is of another file")
            require(sum_ == check(data[at : at + 24]), "the trailer is damaged")
            return


P, D, T, N, U = "plain", "delta", "text", "plain, one more", "plain, one more, 64 bits"
SECTIONS = {
    1: [D] + [P] * 21,
    2: [D, P, P, T, T],
    3: [D, D, P, P, P, D, D],
    4: [D, P, P, P],
    6: [D, D],
    7: [D, P],
    8: [P, D, T],
    9: [P, P, T],
    10: [D, T],
    11: [D, D],
    12: [D, P, P, D, N, P],
    13: [D, N, P, D, P, P],
    14: [P, P, P, D, D],
    15: [P, D, P],
    16: [P, D],
    17: [P] * 15,
    19: [N, P, P, D, P, D, P, P],
    20: [D, P, P, D],
    21: [D, D, P],
    22: [P, D, D, P, P, P, D, D, D],
    23: [P, D, P, D, P, P, U, D, P, P, P],
    24: [P, D, D, P, D, P, P, P, D],
    32: [D, T],
    48: [D, P, P, D, D],
}


# The sections whose rows belong to batches, in the order of their counts in section 1.
IN_BATCHES = [*range(2, 17), *range(19, 25)]


def rows_of(section, count, sorts):
    columns = []
    for sort in sorts:
        if sort == T:
            lengths, texts = plain(section.column()), section.column()
            column = [bytes(texts.take(length)) for length in lengths]
            missing = b""
        else:
            column = delta(section.column()) if sort == D else plain(section.column())
            missing = 0
            if sort in (N, U):
                missing = NONE if sort == N else MASK
                column = [(value - 1) & missing for value in column]
        require(not column or len(column) == count, "a column has another number of rows")
        columns.append(column or [missing] * count)
    return list(zip(*columns))


def transitions_of(section, count):
    times, coroutines, codes = delta(section.column()), delta(section.column()), plain(section.column())
    first_numbers, own = delta(section.column()), delta(section.column())
    jumps = dict(zip(delta(section.column()), plain(section.column())))
    cells = list(zip(delta(section.column()), *(plain(section.column()) for _ in range(3))))
    seqs = dict(zip(delta(section.column()), plain(section.column())))
    require(len(times) == len(coroutines) == len(codes) == count, "columns of transitions differ")
    known = {}  # coroutine: [next number, own address, latest cell, the one before]
    used = 0
    rows = []
    for row, (ts, coroutine, code) in enumerate(zip(times, coroutines, codes)):
        if coroutine not in known:
            known[coroutine] = [first_numbers[len(known)], own[len(known)], None, None]
        one = known[coroutine]
        n = jumps.get(row, one[0])
        if code == 0:
            entry = one[3]
        elif code == 1:
            entry = used
            used += 1
        else:
            entry = code - 2
            require(entry < used, "a cell that was not used yet")
        addr, tid, site, bits = cells[entry]
        one[0], one[2], one[3] = n + 1, entry, one[2]
        seq = seqs.get(row, n if bits & 8 else (n // 8 + 1) * 2)
        rows.append((coroutine, n, ts, one[1] if bits & 16 else addr, seq, tid, site, bits & 3, bits >> 2 & 1))
    require(used == len(cells) and len(known) == len(first_numbers), "entries are left")
    return rows


def sections_of(payload):
    reader = Reader(payload)
    sections = {}
    while not reader.ended():
        tag, count, section = reader.byte(), reader.varint(), reader.column()
        if tag == 5:
            sections[tag] = transitions_of(section, count)
        elif tag in SECTIONS:
            sections[tag] = rows_of(section, count, SECTIONS[tag])
    return sections


def batches_of(sections):
    """(time, {tag: rows}) of each batch."""
    done = dict.fromkeys(IN_BATCHES, 0)
    for now, *counts in sections.get(1, []):
        batch = {}
        for tag, count in zip(IN_BATCHES, counts):
            batch[tag] = sections.get(tag, [])[done[tag] : done[tag] + count]
            require(len(batch[tag]) == count, "a batch has rows that are not there")
            done[tag] += count
        yield now, batch
    require(all(done[tag] == len(sections.get(tag, [])) for tag in done), "rows belong to no batch")


class Recording:
    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        self.infos, self.batches, self.output, self.block_locations, self.sums = [], [], [], [], None
        seen = []
        for kind, head, payload in blocks(data):
            if kind != 5:
                seen.append((head["offset"], kind, head["transitions"], head["first"], head["last"]))
            if kind == 1:
                self.infos.append(json.loads(payload))
            elif kind == 2:
                sections = sections_of(payload)
                require(len(sections.get(5, [])) == head["transitions"], "a head says other transitions")
                self.batches += batches_of(sections)
                self.sums = sections.get(17, [self.sums])[0]
            elif kind == 4:
                self.output += sections_of(payload)[32]
            elif kind == 5:
                self.block_locations = sections_of(payload).get(48, [])
                require(self.block_locations == seen, "the index is wrong")


LETTERS = {2: "S", 3: "B", 4: "L", 5: "T", 6: "D", 7: "F", 8: "P", 9: "TN", 10: "N", 11: "PA", 12: "WO", 13: "W",
           19: "U", 20: "WL", 21: "FI", 14: "DR", 15: "SW", 16: "PE", 22: "TS", 23: "DS", 24: "PS"}


def main():
    recording = Recording(sys.argv[1])
    out = sys.stdout.buffer
    for now, batch in recording.batches:
        out.write(b"now %d\n" % now)
        for tag, letters in LETTERS.items():
            for row in batch[tag]:
                words = [word if isinstance(word, bytes) else str(word).encode() for word in row]
                out.write(b" ".join([letters.encode()] + words) + b"\n")
    print(json.dumps({"infos": recording.infos, "sums": recording.sums}), file=sys.stderr)


if __name__ == "__main__":
    main()
