// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Rows of any record type as a section of columns, and back. A type is a list of its fields; nobody writes an encoder
// and a decoder for it.
#pragma once

#include "core/recording/columns.h"
#include "core/trace/stream.h"

#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ct::ctr {

/// The largest value of a type, so that a file cannot say what is none of its values.
template <class T>
inline constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
template <>
inline constexpr std::uint64_t kLargest<Dialect> = static_cast<std::uint64_t>(Dialect::Lane);
template <>
inline constexpr std::uint64_t kLargest<WaitKind> = static_cast<std::uint64_t>(WaitKind::Other);
template <>
inline constexpr std::uint64_t kLargest<Flag::Reason> = static_cast<std::uint64_t>(Flag::Reason::DialectContradiction);

/// False when `value` is none of T's.
template <class T>
bool take(std::uint64_t value, T &to)
{
    static_assert(kLargest<T> > 0);  // an enum has its line above
    to = static_cast<T>(value);
    return value <= kLargest<T>;
}

// The sorts of fields. Each writes and reads the column (or two) of its member over all rows.

template <auto Member>
struct Plain {
    template <class Row>
    static void write(const std::vector<Row> &rows, ColumnWriter &column, ColumnWriter &section)
    {
        for (const Row &row : rows)
            column.plain(static_cast<std::uint64_t>(row.*Member));
        section.column(column);
    }
    template <class Row>
    static bool read(ColumnReader &section, std::vector<Row> &rows)
    {
        ColumnReader column = section.column();
        bool good = true;
        for (Row &row : rows)
            good &= take(column.plain(), row.*Member);
        return good && column.atEnd() && !column.failed();
    }
};

template <auto Member>
struct Delta {
    template <class Row>
    static void write(const std::vector<Row> &rows, ColumnWriter &column, ColumnWriter &section)
    {
        for (const Row &row : rows)
            column.delta(static_cast<std::uint64_t>(row.*Member));
        section.column(column);
    }
    template <class Row>
    static bool read(ColumnReader &section, std::vector<Row> &rows)
    {
        ColumnReader column = section.column();
        bool good = true;
        for (Row &row : rows)
            good &= take(column.delta(), row.*Member);
        return good && column.atEnd() && !column.failed();
    }
};

/// Plain, of a number or a count of events.
template <auto Member>
struct Number : Plain<Member> {
    template <class Row>
    static bool read(ColumnReader &section, std::vector<Row> &rows)
    {
        bool good = Plain<Member>::read(section, rows);
        for (const Row &row : rows)
            good &= row.*Member < kNumberEnd;
        return good;
    }
};

/// Plain, of a coroutine that there may not be: one more than its id, 0 = none.
template <auto Member>
struct OneMore {
    template <class Row>
    static void write(const std::vector<Row> &rows, ColumnWriter &column, ColumnWriter &section)
    {
        for (const Row &row : rows)
            column.plain(static_cast<CoroutineId>(row.*Member + 1));
        section.column(column);
    }
    template <class Row>
    static bool read(ColumnReader &section, std::vector<Row> &rows)
    {
        const bool good = Plain<Member>::read(section, rows);
        for (Row &row : rows)
            --(row.*Member);
        return good;
    }
};

template <auto Member>
struct Text {
    template <class Row>
    static void write(const std::vector<Row> &rows, ColumnWriter &column, ColumnWriter &section)
    {
        for (const Row &row : rows)
            column.plain((row.*Member).size());
        section.column(column);
        column.clear();
        for (const Row &row : rows)
            column.bytes(row.*Member);
        section.column(column);
    }
    template <class Row>
    static bool read(ColumnReader &section, std::vector<Row> &rows)
    {
        ColumnReader lengths = section.column();
        if (section.atEnd())
            return lengths.atEnd() && !section.failed();
        ColumnReader text = section.column();
        for (Row &row : rows)
            row.*Member = text.text(lengths.plain());
        return lengths.atEnd() && text.atEnd() && !lengths.failed() && !text.failed();
    }
};

template <class Row_, Tag tag, class... Fields>
struct Layout {
    using Row = Row_;
    static constexpr Tag kTag = tag;

    /// Appends the section; nothing when there are no rows.
    static void write(const std::vector<Row> &rows, ColumnWriter &payload)
    {
        if (rows.empty())
            return;
        ColumnWriter section;
        ColumnWriter column;
        (..., (column.clear(), Fields::write(rows, column, section)));
        const auto tagByte = static_cast<std::uint8_t>(tag);
        payload.bytes(&tagByte, 1);
        payload.plain(rows.size());
        payload.column(section);
    }
    /// Replaces `rows` by what the section holds; `count` is what it says, and at most kMostRows. False: it
    /// contradicts itself. Columns at its end may be missing, or be unknown ones.
    static bool read(ColumnReader section, std::uint64_t count, std::vector<Row> &rows)
    {
        // The first column has a byte at least for each row, so that bytes stand behind what is allocated.
        if (count > section.left())
            return false;
        rows.assign(static_cast<std::size_t>(count), Row{});
        bool first = true;
        return (... && (section.atEnd() ? !std::exchange(first, false) || count == 0
                                        : (first = false, Fields::read(section, rows)))) &&
               !section.failed();
    }
};

}  // namespace ct::ctr
