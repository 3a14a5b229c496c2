// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Scans the tokens of one line of JSON. Builds no tree and does not recurse. Strict where the meaning depends on it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ct {

class JsonScanner {
public:
    explicit JsonScanner(std::string_view text) : m_at(text.data()), m_end(text.data() + text.size()) {}

    /// Skips white space, then `character` if it comes next. Returns whether it did.
    bool accept(char character)
    {
        skipSpace();
        if (m_at == m_end || *m_at != character)
            return false;
        ++m_at;
        return true;
    }
    bool atEnd()
    {
        skipSpace();
        return m_at == m_end;
    }

    /// Returns the next character after white space, 0 at the end.
    char peek()
    {
        skipSpace();
        return m_at == m_end ? '\0' : *m_at;
    }

    /// Reads a string and resolves its escapes. `value` is valid until the next call.
    bool string(std::string_view &value);
    bool boolean(bool &value);

    enum class Number { Good, Malformed, OutOfRange };
    /// Reads an unsigned integer of 64 bits. Negative numbers are OutOfRange; fractions and exponents are Malformed.
    /// Both are left for skipValue().
    Number number(std::uint64_t &value);

    /// Skips any value, nested up to 64 levels deep.
    bool skipValue();

private:
    void skipSpace()
    {
        while (m_at != m_end && (*m_at == ' ' || *m_at == '\t' || *m_at == '\r'))
            ++m_at;
    }
    bool word(std::string_view text);
    bool escapedString(std::string_view &value);
    bool escape();
    bool fourHexDigits(std::uint32_t &value);
    bool skipScalar();

    const char *m_at;
    const char *m_end;
    std::string m_scratch;
};

}  // namespace ct
