// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Passes the value of one column to SQLite, in the form of the SQLite export.
#pragma once

#include <cstdint>
#include <string_view>

struct sqlite3_context;

namespace ct::query {

class SqlValue {
public:
    explicit SqlValue(sqlite3_context *context) : m_context(context) {}

    /// SQLite's integers are signed: values from 2^63 on become negative.
    void integer(std::uint64_t value);
    void null();
    void integerOrNull(std::uint64_t value, bool isKnown)
    {
        if (isKnown)
            integer(value);
        else
            null();
    }
    /// NULL for 0, which stands for a value that the target did not report.
    void known(std::uint64_t value) { integerOrNull(value, value != 0); }
    void decimalText(std::uint64_t value);
    void hexText(std::uint64_t value);
    void word(std::string_view constant);  ///< a constant of the program
    void text(std::string_view bytes);     ///< bytes from the target; copied, and made valid UTF-8
    void textOrNull(std::string_view bytes)
    {
        if (bytes.empty())
            null();
        else
            text(bytes);
    }

private:
    sqlite3_context *m_context;
};

}  // namespace ct::query
