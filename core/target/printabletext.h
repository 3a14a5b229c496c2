// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Makes text from a target, a file or another process safe to show in a terminal or a window.
#pragma once

#include <QString>

#include <string>

namespace ct {

/// Replaces each character that would not show by an escape (\n, \x1b, \u202e). These are control characters, which a
/// terminal obeys, and characters that only change the layout of others, such as bidirectional overrides. Keeps the
/// joiners U+200C and U+200D, because scripts and emoji need them. For a single line of text. Other text is returned
/// unchanged.
QString printable(const QString &text);
/// Accepts UTF-8. Bytes that are not UTF-8 become U+FFFD.
QString printable(const std::string &utf8);
/// True for U+200C and U+200D. Scripts such as Persian and many emoji need them. They neither move nor hide other
/// characters.
bool isJoiner(char32_t character);

}  // namespace ct
