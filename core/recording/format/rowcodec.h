// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Encodes rows of any type as a section of columns, and decodes them again. A row type is a list of its fields and
// needs no encoder or decoder of its own.
#pragma once

#include "core/recording/format/columns.h"
#include "core/stream/stream.h"

#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ct::ctr {

/// The largest valid value of a type. Larger values in a file are damage.
template <class T>
inline constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
template <>
inline constexpr std::uint64_t kLargest<Dialect> = static_cast<std::uint64_t>(Dialect::Lane);
template <>
inline constexpr std::uint64_t kLargest<WaitKind> = static_cast<std::uint64_t>(WaitKind::Other);
template <>
inline constexpr std::uint64_t kLargest<UseKind> = static_cast<std::uint64_t>(UseKind::Signalled);
template <>
inline constexpr std::uint64_t kLargest<ThreadState> = static_cast<std::uint64_t>(ThreadState::Ended);
template <>
inline constexpr std::uint64_t kLargest<ThreadCall> = static_cast<std::uint64_t>(ThreadCall::Other);
template <>
inline constexpr std::uint64_t kLargest<DescriptorKind> = static_cast<std::uint64_t>(DescriptorKind::Other);
template <>
inline constexpr std::uint64_t kLargest<Flag::Reason> = static_cast<std::uint64_t>(Flag::Reason::DialectContradiction);

/// Converts `value` to T. Returns false when `value` is out of range.
template <class T>
bool convert(std::uint64_t value, T &to)
{
    static_assert(kLargest<T> > 0);  // an enum needs a specialization of kLargest
    to = static_cast<T>(value);
    return value <= kLargest<T>;
}

// The sorts of fields. Each writes and reads the column of one member for all rows; Text uses two columns.

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
            good &= convert(column.plain(), row.*Member);
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
            good &= convert(column.delta(), row.*Member);
        return good && column.atEnd() && !column.failed();
    }
};

/// An event number or a count of events: plain, and smaller than kNumberEnd.
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

/// An optional number, such as a coroutine, whose largest value means none: the number + 1, plain; 0 = none.
template <auto Member>
struct OneMore {
    template <class Row>
    static void write(const std::vector<Row> &rows, ColumnWriter &column, ColumnWriter &section)
    {
        using Value = std::remove_cvref_t<decltype(std::declval<Row>().*Member)>;
        for (const Row &row : rows)
            column.plain(static_cast<Value>(row.*Member + 1));
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

    /// Appends the section. Appends nothing when there are no rows.
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
    /// Replaces `rows` by the `count` rows of the section; `count` is at most kMostRows. Columns at the end may be
    /// missing or unknown. Returns false when the section contradicts itself.
    static bool read(ColumnReader section, std::uint64_t count, std::vector<Row> &rows)
    {
        // Each row has at least one byte in the first column. This check limits the allocation to what the file backs.
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
