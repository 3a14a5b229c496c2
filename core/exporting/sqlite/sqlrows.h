// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Builds one SQL statement for many rows, with literals, in ASCII. Four times as fast as binding values through Qt SQL.
#pragma once

#include "core/base/utf8.h"
#include "core/recording/text/lineoutput.h"

#include <algorithm>
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
    void endRow() { m_text.back() = ')'; }  // replaces the comma behind the last value

    /// SQLite's integers are signed: values from 2^63 on become negative (no clock gets there).
    void integer(std::uint64_t value)
    {
        std::array<char, kMaxDecimal + 1> digits;
        const auto end =
            std::to_chars(digits.data(), digits.data() + digits.size(), static_cast<std::int64_t>(value)).ptr;
        m_text.append(digits.data(), end) += ',';
    }
    /// Writes NULL for 0, which stands for a value that the target did not report.
    void known(std::uint64_t value)
    {
        if (value == 0)
            m_text += "NULL,";
        else
            integer(value);
    }
    /// Writes a number as text: all 64 bits, unsigned.
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
    void integerOrNull(std::uint64_t value, bool known)
    {
        if (known)
            integer(value);
        else
            m_text += "NULL,";
    }
    /// Writes any text that a target sent. Text with quotes or outside printable ASCII is written as hexadecimal bytes.
    void text(std::string_view value)
    {
        const auto isPlain = [](char character) { return character >= ' ' && character <= '~' && character != '\''; };
        if (std::all_of(value.begin(), value.end(), isPlain))
            return word(value);
        constexpr std::string_view kDigits = "0123456789abcdef";
        m_text += "CAST(x'";
        for (const char character : validUtf8(value)) {
            m_text += kDigits[static_cast<unsigned char>(character) >> 4];
            m_text += kDigits[static_cast<unsigned char>(character) & 0xF];
        }
        m_text += "' AS TEXT),";
    }
    /// Writes a text that contains no quotes.
    void word(std::string_view text)
    {
        m_text += '\'';
        m_text += text;
        m_text += "',";
    }

    bool isEmpty() const { return m_rows == 0; }
    bool isFull() const { return m_rows >= kMostRows; }
    /// Returns the statement and starts the next one.
    std::string takeStatement()
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
