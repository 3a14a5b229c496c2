// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Text from a target, a file or another process, on its way to a terminal or a window.
#pragma once

#include <QString>

#include <string>

namespace ct {

/// The text with an escape (\n, \x1b, \u202e) in place of each character that would not show: control characters,
/// which a terminal obeys, and characters that only change how others are laid out, as bidirectional overrides do. The
/// joiners U+200C and U+200D stay, because scripts and emoji need them. It is for one line; text without such
/// characters stays as it is.
QString printable(const QString &text);
/// Bytes that are no UTF-8 become U+FFFD.
QString printable(const std::string &utf8);
/// U+200C or U+200D. Scripts such as Persian and many emoji are spelt with these; they neither move nor hide other
/// characters.
bool isJoiner(char32_t character);

}  // namespace ct
