// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Tokens of one line of JSON. Strict where it matters for meaning, without a tree and without recursion.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ct {

class JsonScanner {
public:
    explicit JsonScanner(std::string_view text) : m_at(text.data()), m_end(text.data() + text.size()) {}

    /// True and past it, when `character` comes next (after white space).
    bool take(char character)
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

    /// A string, unescaped. `value` is valid until the next call.
    bool string(std::string_view &value);
    bool boolean(bool &value);

    enum class Number { Good, Malformed, OutOfRange };
    /// A whole number of 64 bits without sign; signs, fractions and exponents are no such thing.
    Number number(std::uint64_t &value);

    /// Any value, nested ones too (up to 64 levels).
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
