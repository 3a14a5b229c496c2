// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/databases/reading/rowreader.h"

#include <algorithm>
#include <charconv>

namespace ct {

bool RowReader::readNumber(std::uint64_t &value) const
{
    if (isNull())
        return false;
    const StoredCell &cell = m_cells[m_at];
    value = cell.number;
    if (cell.kind == StoredCell::Kind::Number)
        return true;
    std::string_view digits = cell.text;
    const int base = digits.starts_with("0x") ? 16 : 10;
    if (base == 16)
        digits.remove_prefix(2);
    const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    return failed == std::errc() && end == digits.data() + digits.size();
}

RowReader &RowReader::flag(bool &value)
{
    // PostgreSQL writes t and f.
    const std::string_view word = isNull() ? std::string_view() : m_cells[m_at].text;
    if (word == "t" || word == "f")
        return assign(value, word == "t");
    std::uint64_t content = 0;
    if (!readNumber(content) || content > 1)
        refuse();
    return assign(value, content == 1);
}

RowReader &RowReader::text(std::string &value)
{
    value.clear();
    if (!isNull() && m_cells[m_at].kind == StoredCell::Kind::Text)
        value = m_cells[m_at].text;
    else if (!isNull())
        refuse();
    return skip();
}

std::size_t RowReader::indexIn(std::span<const std::string_view> names)
{
    const std::string_view text = isNull() ? std::string_view() : m_cells[m_at].text;
    const auto found = std::find(names.begin(), names.end(), text);
    if (found != names.end())
        return static_cast<std::size_t>(found - names.begin());
    refuse();
    return 0;
}

void RowReader::refuse()
{
    if (m_wrong.empty() && m_at < m_schema.columns.size())
        m_wrong = m_schema.columns[m_at].name;
}

}  // namespace ct
