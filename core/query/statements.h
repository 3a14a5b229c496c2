// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Splits a text into SQL statements, without parsing them.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace ct {

/// A piece of a text, in bytes.
struct TextRange {
    std::size_t begin = 0;
    std::size_t end = 0;

    bool operator==(const TextRange &) const = default;
};

enum class SqlToken { Space, Comment, Word, Number, Text, QuotedName, Semicolon, Other };

struct SqlTokenRange {
    SqlToken token = SqlToken::Other;
    TextRange range;
};

/// The tokens of a text, in order, without gaps. An unclosed text, name or comment extends to the end.
std::vector<SqlTokenRange> sqlTokens(std::string_view text);

/// True if there are only spaces, comments and semicolons.
bool isBlankStatement(std::string_view text);

/// The statement at a position, without surrounding spaces: the one that contains the position or ends there. Between
/// two statements, the one before; before the first one, the first. Empty if there is none.
TextRange statementAt(std::string_view text, std::size_t position);

}  // namespace ct
