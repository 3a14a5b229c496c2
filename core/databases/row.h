// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// One row of a table, as values that are independent of the SQL dialect.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace ct {

/// Not initialised, because most rows use only a part of their cells.
struct Cell {
    enum class Kind : std::uint8_t { Null, Number, Address, Text };
    Kind kind;
    std::uint64_t number;  ///< the value, or the size of the text in bytes
    const char *data;      ///< of a text, valid UTF-8

    std::string_view text() const { return {data, number}; }
};

/// The cells of one row, in the order of the table's columns. Texts are not copied: they must outlive the row.
class Row {
public:
    static constexpr std::size_t kMostCells = 20;

    Row &null() { return add({Cell::Kind::Null, 0, nullptr}); }
    Row &number(std::uint64_t value) { return add({Cell::Kind::Number, value, nullptr}); }
    Row &numberIf(bool isKnown, std::uint64_t value) { return isKnown ? number(value) : null(); }
    /// NULL for 0, which stands for a value that the target did not report.
    Row &known(std::uint64_t value) { return numberIf(value != 0, value); }
    /// An address of the target: 0x and 16 digits.
    Row &address(std::uint64_t value) { return add({Cell::Kind::Address, value, nullptr}); }
    Row &text(std::string_view value) { return add({Cell::Kind::Text, value.size(), value.data()}); }
    /// NULL for "", which stands for a text that is not known.
    Row &textIfAny(std::string_view value) { return value.empty() ? null() : text(value); }

    std::span<const Cell> cells() const { return {m_cells.data(), m_size}; }

private:
    Row &add(const Cell &cell)
    {
        m_cells[m_size++] = cell;
        return *this;
    }

    std::array<Cell, kMostCells> m_cells;
    std::size_t m_size = 0;
};

}  // namespace ct
