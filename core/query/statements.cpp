// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/query/statements.h"

#include <algorithm>
#include <optional>

namespace ct {

namespace {

bool isSpace(char character)
{
    return character == ' ' || (character >= '\t' && character <= '\r');
}
bool isDigit(char character)
{
    return character >= '0' && character <= '9';
}
bool isWord(char character)
{
    return isDigit(character) || character == '_' || character == '$' || (character >= 'a' && character <= 'z') ||
           (character >= 'A' && character <= 'Z') || static_cast<unsigned char>(character) >= 0x80;
}

/// Returns the end of the quoted text that begins at `at`. A doubled quote does not end it.
std::size_t endOfQuoted(std::string_view text, std::size_t at)
{
    const char quote = text[at] == '[' ? ']' : text[at];
    for (std::size_t end = at + 1; end < text.size(); ++end) {
        if (text[end] != quote)
            continue;
        if (quote == ']' || end + 1 == text.size() || text[end + 1] != quote)
            return end + 1;
        ++end;
    }
    return text.size();
}

std::size_t endOf(std::string_view text, std::size_t at, std::string_view mark)
{
    const std::size_t found = text.find(mark, at);
    return found == std::string_view::npos ? text.size() : found + mark.size();
}

template <class Is>
std::size_t endWhile(std::string_view text, std::size_t at, Is is)
{
    while (at < text.size() && is(text[at]))
        ++at;
    return at;
}

SqlTokenRange tokenAt(std::string_view text, std::size_t at)
{
    const std::string_view rest = text.substr(at);
    const char first = rest.front();
    if (isSpace(first))
        return {SqlToken::Space, {at, endWhile(text, at, isSpace)}};
    if (rest.substr(0, 2) == "--")
        return {SqlToken::Comment, {at, endOf(text, at, "\n")}};
    if (rest.substr(0, 2) == "/*")
        return {SqlToken::Comment, {at, endOf(text, std::min(at + 2, text.size()), "*/")}};
    if (first == '\'')
        return {SqlToken::Text, {at, endOfQuoted(text, at)}};
    if (first == '"' || first == '`' || first == '[')
        return {SqlToken::QuotedName, {at, endOfQuoted(text, at)}};
    if (first == ';')
        return {SqlToken::Semicolon, {at, at + 1}};
    if (isWord(first))
        return {isDigit(first) ? SqlToken::Number : SqlToken::Word, {at, endWhile(text, at, isWord)}};
    return {SqlToken::Other, {at, at + 1}};
}

bool isBlank(SqlToken token)
{
    return token == SqlToken::Space || token == SqlToken::Comment || token == SqlToken::Semicolon;
}

}  // namespace

std::vector<SqlTokenRange> sqlTokens(std::string_view text)
{
    std::vector<SqlTokenRange> tokens;
    for (std::size_t at = 0; at < text.size(); at = tokens.back().range.end)
        tokens.push_back(tokenAt(text, at));
    return tokens;
}

bool isBlankStatement(std::string_view text)
{
    const std::vector<SqlTokenRange> tokens = sqlTokens(text);
    return std::all_of(tokens.begin(), tokens.end(), [](const auto &token) { return isBlank(token.token); });
}

TextRange statementAt(std::string_view text, std::size_t position)
{
    std::optional<TextRange> statement;  // the latest one so far
    bool isOpen = false;
    for (const auto &[token, range] : sqlTokens(text)) {
        if (token == SqlToken::Semicolon) {
            if (isOpen)
                statement->end = range.end;
            isOpen = false;
        } else if (!isBlank(token)) {
            if (!isOpen && statement && range.begin > position)
                break;
            if (!isOpen)
                statement = range;
            isOpen = true;
            statement->end = range.end;
        }
    }
    return statement.value_or(TextRange());
}

}  // namespace ct
