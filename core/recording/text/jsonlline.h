// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Parses one event line of a JSONL recording: a flat JSON object. Unknown fields are skipped.
#pragma once

#include "core/stream/stream.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace ct {

/// The known fields of a line. Untrusted: only the syntax, the types and the ranges given here are checked.
struct JsonlLine {
    enum Field : std::uint32_t {
        ProbeId = 1U << 0,
        Tid = 1U << 1,
        Addr = 1U << 2,
        Seq = 1U << 3,
        IsActive = 1U << 4,
        Ts = 1U << 5,
        Required = (1U << 6) - 1,
        N = 1U << 6,
        Coroutine = 1U << 7,
        BirthTs = 1U << 8,
        Pid = 1U << 9,
        Line = 1U << 10,
        Column = 1U << 11,
        LostBefore = 1U << 12,
        MissedBefore = 1U << 13,
        DroppedBefore = 1U << 14,
        File = 1U << 15,
        Function = 1U << 16,
        Kind = 1U << 17,
        Name = 1U << 18,
        Parent = 1U << 19,
        Resolved = 1U << 20,
        NotSelectedBefore = 1U << 21,
    };
    std::uint32_t present = 0;  ///< bits of Field
    bool has(Field field) const { return (present & field) != 0; }

    std::uint64_t probeId = 0;
    std::uint64_t addr = 0;
    std::uint64_t seq = 0;  ///< 1 .. kMaxNumber
    std::uint64_t ts = 0;   ///< ns, CLOCK_MONOTONIC
    std::uint64_t n = 0;    ///< 0 .. kMaxNumber
    std::uint64_t coroutine = 0;
    std::uint64_t birthTs = 0;
    std::uint64_t parent = 0;
    std::uint64_t lostBefore = 0;
    std::uint64_t missedBefore = 0;
    std::uint64_t droppedBefore = 0;  ///< or, with NotSelectedBefore, before the time range of a selection
    std::uint32_t tid = 0;
    std::uint32_t pid = 0;
    std::uint32_t line = 0;
    std::uint32_t column = 0;
    bool isActive = false;
    bool isResolved = false;  ///< file, line and function are not those of a site
    bool isNote = false;      ///< a note line, see jsonlnotereader.h: all other members are meaningless
    PointKind kind = PointKind::Await;
    std::string file;  ///< valid UTF-8, like `function` and `name`
    std::string function;
    std::string name;

    /// The largest valid event number, seq and count. The limit keeps arithmetic with them from overflowing.
    static constexpr std::uint64_t kMaxNumber = 1ULL << 56;
};

/// Parses `text` into `line`. Recognises a note line, but does not parse it. Returns an empty text, or the problem in
/// words for the user: "field seq: expected a whole number".
std::string parseJsonlLine(std::string_view text, JsonlLine &line);

}  // namespace ct
