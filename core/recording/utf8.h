// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Strings of a target are bytes; files and windows need UTF-8.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ct {

/// The same text, with U+FFFD in place of every byte that is not part of valid UTF-8.
std::string validUtf8(std::string_view bytes);

/// Appends a code point; surrogates and values beyond U+10FFFF become U+FFFD.
void appendUtf8(std::string &out, std::uint32_t codePoint);

/// Appends `"text"`, escaped as JSON asks and made valid UTF-8. Control characters (also DEL and U+0080 to U+009F) and
/// characters that change the direction of text are escaped, so that the file can be printed on a terminal.
void appendJsonString(std::string &out, std::string_view text);

}  // namespace ct
