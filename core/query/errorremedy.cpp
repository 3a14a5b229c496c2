// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/query/errorremedy.h"

#include "core/query/statements.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ct::query {

namespace {

/// More differences than this make another word.
constexpr std::size_t kMostDifferences = 2;

std::string lowercase(std::string_view text)
{
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char character) { return static_cast<char>(std::tolower(character)); });
    return lower;
}

/// Number of characters to insert, remove or replace (Levenshtein).
std::size_t differences(const std::string &one, const std::string &other)
{
    std::vector<std::size_t> row(other.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < one.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i + 1);
        for (std::size_t j = 0; j < other.size(); ++j) {
            const std::size_t replaced = diagonal + (one[i] == other[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({diagonal + 1, row[j] + 1, replaced});
        }
    }
    return row.back();
}

/// The most similar name of a table; empty if none is similar.
std::string similarTable(const std::string &name)
{
    std::string best;
    std::size_t fewest = kMostDifferences + 1;
    for (const QueriedTable &table : queriedTables()) {
        const std::size_t length = table.name.size();
        if (std::max(length, name.size()) - std::min(length, name.size()) > kMostDifferences)
            continue;  // `name` may be long
        if (const std::size_t count = differences(lowercase(name), table.name); count < fewest) {
            fewest = count;
            best = table.name;
        }
    }
    return best;
}

std::optional<std::size_t> positionOf(const std::string &name, std::string_view statement)
{
    for (const auto &[token, range] : sqlTokens(statement)) {
        std::string_view word = statement.substr(range.begin, range.end - range.begin);
        if (token == SqlToken::QuotedName && word.size() >= 2)
            word = word.substr(1, word.size() - 2);
        else if (token != SqlToken::Word)
            continue;
        if (lowercase(word) == lowercase(name))
            return range.begin;
    }
    return {};
}

}  // namespace

QueryError withRemedy(QueryError error, std::string_view statement)
{
    constexpr std::string_view kNoTable = "no such table: ";
    std::string &message = error.error.message;
    if (message.starts_with(kNoTable)) {
        const std::string name = message.substr(kNoTable.size());
        if (!error.offset)
            error.offset = positionOf(name, statement);
        if (const std::string similar = similarTable(name); !similar.empty())
            message += ". Did you mean " + similar + "?";
    } else if (message == "parser stack overflow" || message.starts_with("Expression tree is too large")) {
        message = "The statement is nested too deeply (" + message + "). Simplify it, or name its parts with WITH.";
    }
    return error;
}

}  // namespace ct::query
