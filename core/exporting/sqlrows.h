// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Many rows in one SQL statement, as literals. Four times as fast as binding each value through Qt SQL; for numbers and
// texts of our own making only, so that nothing ever needs quoting.
#pragma once

#include "core/recording/lineoutput.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace ct {

class SqlRows {
public:
    /// The statement is `head`, then (...),(...), then `tail`.
    explicit SqlRows(std::string_view head, std::string_view tail = {}) : m_head(head), m_tail(tail), m_text(head) {}

    void beginRow() { m_text += m_rows++ == 0 ? "(" : ",("; }
    void endRow() { m_text.back() = ')'; }  // in place of the comma behind the last value

    /// SQLite's integers are signed: beyond 2^63 the same 64 bits come out negative (no clock gets there).
    void integer(std::uint64_t value)
    {
        std::array<char, kMaxDecimal + 1> digits;
        const auto end =
            std::to_chars(digits.data(), digits.data() + digits.size(), static_cast<std::int64_t>(value)).ptr;
        m_text.append(digits.data(), end) += ',';
    }
    /// NULL for what the target did not say.
    void known(std::uint64_t value)
    {
        if (value == 0)
            m_text += "NULL,";
        else
            integer(value);
    }
    /// A number as text: all its 64 bits, unsigned.
    void decimalText(std::uint64_t value)
    {
        std::array<char, kMaxDecimal> digits;
        word({digits.data(), static_cast<std::size_t>(putDecimal(digits.data(), value) - digits.data())});
    }
    void hexText(std::uint64_t value)
    {
        std::array<char, kHexLength> digits;
        putHex(digits.data(), value);
        word({digits.data(), digits.size()});
    }
    /// A text without quotes.
    void word(std::string_view text)
    {
        m_text += '\'';
        m_text += text;
        m_text += "',";
    }

    bool isEmpty() const { return m_rows == 0; }
    bool isFull() const { return m_rows >= kMostRows; }
    /// The statement; starts the next one.
    std::string take()
    {
        std::string statement = std::move(m_text.append(m_tail));
        m_text = m_head;
        m_rows = 0;
        return statement;
    }

private:
    static constexpr std::size_t kMostRows = 500;

    const std::string m_head;
    const std::string m_tail;
    std::string m_text;
    std::size_t m_rows = 0;
};

}  // namespace ct
