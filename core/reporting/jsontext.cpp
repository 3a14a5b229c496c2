// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/reporting/jsontext.h"

#include "core/base/utf8.h"

#include <array>
#include <charconv>
#include <utility>

namespace ct {

void JsonText::next(std::string_view name)
{
    if (!m_isFirst)
        m_text += ',';
    if (m_depth != 0) {
        m_text += '\n';
        m_text.append(2 * m_depth, ' ');
    }
    m_isFirst = false;
    if (name.empty())
        return;
    appendJsonString(m_text, name);
    m_text += ": ";
}

void JsonText::begin(std::string_view name, char bracket)
{
    next(name);
    m_text += bracket;
    ++m_depth;
    m_isFirst = true;
}

void JsonText::end(char bracket)
{
    --m_depth;
    if (!m_isFirst) {
        m_text += '\n';
        m_text.append(2 * m_depth, ' ');
    }
    m_text += bracket;
    m_isFirst = false;
}

void JsonText::member(std::string_view name, std::string_view text)
{
    next(name);
    appendJsonString(m_text, text);
}

void JsonText::flag(std::string_view name, bool flag)
{
    next(name);
    m_text += flag ? "true" : "false";
}

void JsonText::member(std::string_view name, std::uint64_t number)
{
    next(name);
    m_text += std::to_string(number);
}

void JsonText::member(std::string_view name, double number)
{
    next(name);
    std::array<char, 32> text{};
    m_text.append(text.data(), std::to_chars(text.data(), text.data() + text.size(), number).ptr);
}

std::string JsonText::take()
{
    m_text += '\n';
    return std::move(m_text);
}

}  // namespace ct
