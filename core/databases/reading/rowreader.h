// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Reads the cells of one row, in the order of the table's columns: the counterpart of Row. The row is untrusted,
// because other programs can change it.
#pragma once

#include "core/databases/schema.h"

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

namespace ct {

/// A cell as the database returns it. Servers return all values as text.
struct StoredCell {
    enum class Kind : std::uint8_t { Null, Number, Text };
    Kind kind = Kind::Null;
    std::uint64_t number = 0;
    std::string_view text;  ///< valid until the next row is read
};

class RowReader {
public:
    RowReader(const TableSchema &schema, std::span<const StoredCell> cells) : m_schema(schema), m_cells(cells) {}

    /// A number that is not NULL and fits the type.
    template <class Integer>
    RowReader &number(Integer &value)
    {
        return take(value, false);
    }
    /// NULL gives 0.
    template <class Integer>
    RowReader &known(Integer &value)
    {
        return take(value, true);
    }
    /// NULL gives `ofNull`.
    template <class Integer>
    RowReader &numberOr(Integer &value, Integer ofNull)
    {
        return isNull() ? assign(value, ofNull) : take(value, false);
    }
    RowReader &flag(bool &value);
    /// NULL gives "".
    RowReader &text(std::string &value);
    /// One of the names; gives its index.
    template <class Value, std::size_t kCount>
    RowReader &word(Value &value, const std::array<std::string_view, kCount> &names)
    {
        return assign(value, static_cast<Value>(indexIn(names)));
    }
    RowReader &skip(std::size_t columns = 1)
    {
        m_at += columns;
        return *this;
    }
    bool isNull() const { return m_at >= m_cells.size() || m_cells[m_at].kind == StoredCell::Kind::Null; }

    /// The first column with invalid content; empty: all are valid.
    std::string_view wrongColumn() const { return m_wrong; }

private:
    template <class Value>
    RowReader &assign(Value &value, Value content)
    {
        value = content;
        return skip();
    }
    template <class Integer>
    RowReader &take(Integer &value, bool canBeNull)
    {
        std::uint64_t content = 0;
        if (!(canBeNull && isNull()) && (!readNumber(content) || content > std::numeric_limits<Integer>::max()))
            refuse();
        return assign(value, static_cast<Integer>(content));
    }
    bool readNumber(std::uint64_t &value) const;
    std::size_t indexIn(std::span<const std::string_view> names);
    void refuse();

    const TableSchema &m_schema;
    std::span<const StoredCell> m_cells;
    std::size_t m_at = 0;
    std::string_view m_wrong;
};

}  // namespace ct
