#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The corotracer-gui authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks that the tables of docs/ctp.md have exactly the fields of layout.h, at their offsets.

tst_ctpdoc.py <source directory>. It parses the header's text and expects structs of fixed-size fields with natural
alignment.
"""
import pathlib
import re
import sys

SIZES = {"std::uint64_t": 8, "std::uint32_t": 4, "std::uint8_t": 1, "char": 1}
# Heading of a table in ctp.md: the struct that the table describes, and the offset of the struct in the table.
TABLES = {
    "GlobalHeader": ("GlobalHeader", 0),
    "StationData": ("StationData", 0),
    "Epoch": ("Epoch", 0),
    "ExtensionHeader": ("ExtensionHeader", 0x40),
    "Station, at 0x240": ("StationExtension", 0x240),
    "Epoch, only in marked stations": ("Epoch", 0),
    "SiteRecord": ("SiteRecord", 0),
    "CompactState": ("CompactState", 0),
    "CompactBirth": ("CompactBirth", 0),
    "LaneRecord": ("LaneRecord", 0),
    "LaneHeader": ("LaneHeader", 0),
    "ProcessEntry": ("ProcessEntry", 0),
}
PADDING = re.compile(r"pad|reserved|flexible")
# Structs whose fields are in the table of another struct, and fields that are structs with their own tables.
INLINED = ("StationHeader",)
ELSEWHERE = ("extension",)


def header_fields(text):
    """{struct: {field: (offset, type)}}, without padding."""
    text = re.sub(r"//[^\n]*", "", text)
    names = dict(re.findall(r"constexpr std::\w+ (k\w+) = ([0-9'xA-Fa-f]+)[UL]*;", text))
    values = {name: int(value.replace("'", ""), 0) for name, value in names.items()}
    sizes, structs = dict(SIZES), {}
    for align, name, body in re.findall(r"struct (?:alignas\((\d+)\) )?(\w+) \{(.*?)\n\};", text, re.S):
        fields, offset, widest = {}, 0, 1
        for kind, field, count in re.findall(r"^\s+(?:std::atomic<)?([\w:]+)>?\s+(\w+)(?:\[([^;]+)\])?;", body, re.M):
            alignment = min(sizes[kind], 64) if kind in structs else sizes[kind]
            length = 1
            if count:
                expression = re.sub(r"sizeof\((\w+)\)", lambda found: str(sizes[found.group(1)]), count)
                length = eval(expression, {"__builtins__": {}}, values)  # numbers from our own header
            offset = (offset + alignment - 1) // alignment * alignment
            if kind in INLINED:
                fields.update({inner: (offset + at, of) for inner, (at, of) in structs[kind].items()})
            elif not PADDING.match(field) and field not in ELSEWHERE:
                fields[field] = (offset, kind)
            offset += sizes[kind] * length
            widest = max(widest, alignment)
        widest = int(align) if align else widest
        sizes[name] = (offset + widest - 1) // widest * widest
        structs[name] = fields
    return structs


def document_fields(text):
    """(struct, field, offset, size in bytes or 0) of each field in a known table."""
    heading = None
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|"):
            heading = None
        elif heading is None:
            title = re.sub(r"(, \d+ B.*)?$", "", cells[0])
            heading = TABLES.get(title, ())
        elif heading and re.fullmatch(r"0x[0-9A-F]+", cells[0]):
            struct, base = heading
            kind = re.match(r"(?:atomic )?(u8|u32|u64|char|Epoch)\b", cells[1])
            offset = int(cells[0], 16) - base
            width = {"u8": 1, "u32": 4, "u64": 8}.get(kind.group(1) if kind else "", 0)
            for field in re.findall(r"`(\w+)(?:\[\d+\])?`", cells[1]):
                yield struct, field, offset, width
                offset += width


def main():
    source = pathlib.Path(sys.argv[1])
    structs = header_fields((source / "probe/include/corotracer/layout.h").read_text())
    documented = {}
    wrong = []
    for struct, field, offset, width in document_fields((source / "docs/ctp.md").read_text()):
        documented.setdefault(struct, set()).add(field)
        where = structs.get(struct, {}).get(field)
        if where is None:
            wrong.append(f"ctp.md: {struct} has no field {field}")
        elif where[0] != offset or (width and SIZES.get(where[1], width) != width):
            wrong.append(f"ctp.md: {struct}.{field} is {where[1]} at {where[0]:#x}, not {width} bytes at {offset:#x}")
    for struct in sorted({struct for struct, _ in TABLES.values()}):
        for field in sorted(structs[struct].keys() - documented.get(struct, set())):
            wrong.append(f"ctp.md: {struct}.{field} at {structs[struct][field][0]:#x} is missing")
    print("\n".join(wrong) if wrong else f"{sum(map(len, documented.values()))} fields agree")
    return 1 if wrong or not documented else 0


if __name__ == "__main__":
    sys.exit(main())
