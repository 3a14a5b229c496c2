// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Converts strings of a target, which may contain any bytes, to valid UTF-8 for files and windows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ct {

/// Returns a copy of `bytes` with U+FFFD in place of every byte that is not part of valid UTF-8.
std::string validUtf8(std::string_view bytes);

/// Returns `bytes` if they are valid UTF-8, or else a copy with %XX in place of each invalid byte, and of %. Different
/// invalid bytes give different copies.
std::string distinctUtf8(std::string_view bytes);

/// Appends a code point; surrogates and values beyond U+10FFFF become U+FFFD.
void appendUtf8(std::string &out, std::uint32_t codePoint);

/// Appends `text` as a quoted JSON string in valid UTF-8. Also escapes control characters (DEL and U+0080 to U+009F
/// included) and characters that change the text direction. This makes the file safe to print on a terminal.
void appendJsonString(std::string &out, std::string_view text);

}  // namespace ct
