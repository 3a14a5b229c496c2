// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The tables of a session, independent of the SQL dialect. docs/interchange.md describes them for users.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace ct {

enum class ColumnType : std::uint8_t {
    Integer,       ///< below 2^63: ids, lines, counts
    Unsigned,      ///< all 64 bits. SQLite's integers are signed: values from 2^63 on become negative
    UnsignedText,  ///< all 64 bits, as text in SQLite, where scripts expect it
    Boolean,       ///< 0 or 1
    Address,       ///< 0x and 16 digits
    Word,          ///< ASCII, at most 32 characters
    Text,
    Object,  ///< a number, or an Address
};

struct Column {
    std::string_view name;
    ColumnType type;
    bool isNullable = false;
};

struct TableSchema {
    std::string_view name;  ///< as in SQLite
    std::span<const Column> columns;
    std::string_view key;       ///< its columns, separated by commas; empty: none
    bool hasNumberKey = false;  ///< the key is the first column, an integer
};

/// The tables in the order of their creation.
enum class Table : std::uint8_t {
    Events,
    Coroutines,
    Sites,
    Addresses,
    Processes,
    Threads,
    Waits,
    Wakes,
    Uses,
    WakersLeft,
    Gaps,
    Drops,
    Flags,
    Switches,
    ThreadSamples,
    DescriptorSamples,
    ProcessSamples,
    Findings,
    FindingCoroutines,
    Sessions,
    TraceInfo,
};
inline constexpr std::size_t kTables = 21;

const TableSchema &schemaOf(Table table);
/// The name on servers. The table `coro_trace_events` is `events` there; a view keeps the name for older scripts.
std::string_view serverNameOf(Table table);

struct IndexSchema {
    Table table;
    std::string_view name;  ///< unique in a database
    std::string_view columns;
};

/// Created at the end, because updating them with each row costs more than the rows themselves.
std::span<const IndexSchema> tableIndexes();

}  // namespace ct
