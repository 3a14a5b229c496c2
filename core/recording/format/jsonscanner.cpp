// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
#include "core/recording/format/jsonscanner.h"

#include "core/base/utf8.h"

#include <charconv>
#include <system_error>

namespace ct {

namespace {

constexpr int kDeepest = 64;

bool isDigit(char character)
{
    return character >= '0' && character <= '9';
}

}  // namespace

bool JsonScanner::string(std::string_view &value)
{
    if (!accept('"'))
        return false;
    const char *start = m_at;
    while (m_at != m_end && *m_at != '"' && *m_at != '\\' && static_cast<unsigned char>(*m_at) >= 0x20)
        ++m_at;
    if (m_at == m_end)
        return false;
    if (*m_at == '"') {
        value = std::string_view(start, static_cast<std::size_t>(m_at - start));
        ++m_at;
        return true;
    }
    m_scratch.assign(start, m_at);
    return escapedString(value);
}

bool JsonScanner::escapedString(std::string_view &value)
{
    while (m_at != m_end) {
        const char character = *m_at++;
        if (character == '"') {
            value = m_scratch;
            return true;
        }
        if (character == '\\') {
            if (!escape())
                return false;
        } else if (static_cast<unsigned char>(character) < 0x20) {
            return false;
        } else {
            m_scratch += character;
        }
    }
    return false;
}

bool JsonScanner::escape()
{
    if (m_at == m_end)
        return false;
    switch (*m_at++) {
    case '"': m_scratch += '"'; return true;
    case '\\': m_scratch += '\\'; return true;
    case '/': m_scratch += '/'; return true;
    case 'b': m_scratch += '\b'; return true;
    case 'f': m_scratch += '\f'; return true;
    case 'n': m_scratch += '\n'; return true;
    case 'r': m_scratch += '\r'; return true;
    case 't': m_scratch += '\t'; return true;
    case 'u': break;
    default: return false;
    }
    std::uint32_t unit = 0;
    if (!fourHexDigits(unit))
        return false;
    const bool highSurrogate = unit >= 0xD800 && unit <= 0xDBFF;
    if (highSurrogate && m_end - m_at >= 6 && m_at[0] == '\\' && m_at[1] == 'u') {
        const char *second = m_at;
        std::uint32_t low = 0;
        m_at += 2;
        if (!fourHexDigits(low))
            return false;
        if (low >= 0xDC00 && low <= 0xDFFF)
            unit = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
        else
            m_at = second;  // a lone surrogate: read the second escape again by itself
    }
    appendUtf8(m_scratch, unit);
    return true;
}

bool JsonScanner::fourHexDigits(std::uint32_t &value)
{
    if (m_end - m_at < 4)
        return false;
    const auto [stop, error] = std::from_chars(m_at, m_at + 4, value, 16);
    if (error != std::errc() || stop != m_at + 4)
        return false;
    m_at += 4;
    return true;
}

bool JsonScanner::word(std::string_view text)
{
    if (static_cast<std::size_t>(m_end - m_at) < text.size() || std::string_view(m_at, text.size()) != text)
        return false;
    m_at += text.size();
    return true;
}

bool JsonScanner::boolean(bool &value)
{
    skipSpace();
    value = word("true");
    return value || word("false");
}

JsonScanner::Number JsonScanner::number(std::uint64_t &value)
{
    skipSpace();
    if (m_at != m_end && *m_at == '-')
        return m_end - m_at > 1 && isDigit(m_at[1]) ? Number::OutOfRange : Number::Malformed;
    const auto [stop, error] = std::from_chars(m_at, m_end, value);
    if (error == std::errc::result_out_of_range)
        return Number::OutOfRange;
    if (error != std::errc() || (*m_at == '0' && stop - m_at > 1))
        return Number::Malformed;
    if (stop != m_end && (*stop == '.' || *stop == 'e' || *stop == 'E'))
        return Number::Malformed;
    m_at = stop;
    return Number::Good;
}

bool JsonScanner::skipScalar()
{
    skipSpace();
    if (m_at == m_end)
        return false;
    if (*m_at == '"') {
        std::string_view ignored;
        return string(ignored);
    }
    if (word("true") || word("false") || word("null"))
        return true;
    double ignored = 0;
    if (*m_at != '-' && !isDigit(*m_at))
        return false;
    const auto [stop, error] = std::from_chars(m_at, m_end, ignored);
    if (error == std::errc::invalid_argument)
        return false;
    m_at = stop;
    return true;
}

bool JsonScanner::skipValue()
{
    char open[kDeepest];  // the closing brackets that are still expected
    int depth = 0;
    for (;;) {
        // A value is expected here.
        const bool object = accept('{');
        if (object || accept('[')) {
            if (depth == kDeepest)
                return false;
            open[depth++] = object ? '}' : ']';
            if (!accept(open[depth - 1])) {
                std::string_view key;
                if (object && !(string(key) && accept(':')))
                    return false;
                continue;
            }
            --depth;
        } else if (!skipScalar()) {
            return false;
        }
        // A value has ended here. Close the objects and arrays that end with it.
        while (depth > 0 && accept(open[depth - 1]))
            --depth;
        if (depth == 0)
            return true;
        std::string_view key;
        if (!accept(',') || (open[depth - 1] == '}' && !(string(key) && accept(':'))))
            return false;
    }
}

}  // namespace ct
