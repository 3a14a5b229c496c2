// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exporting/csv/csvtext.h"

#include "core/base/utf8.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace ct {

namespace {

/// True if a spreadsheet may run the text as a formula. An import may remove leading white space and control
/// characters, and treat full-width forms as the ASCII characters.
bool looksLikeFormula(std::string_view text)
{
    constexpr std::array<std::string_view, 2> kBlanks{"\u00A0", "\uFEFF"};
    constexpr std::array<std::string_view, 8> kBegins{"=", "+", "-", "@", "\uFF1D", "\uFF0B", "\uFF0D", "\uFF20"};
    const auto beginsWith = [&text](std::string_view begin) { return text.starts_with(begin); };
    if (!text.empty() && (text.front() == '\t' || text.front() == '\r' || text.front() == '\n'))
        return true;
    while (!text.empty()) {
        const auto first = static_cast<unsigned char>(text.front());
        const auto blank = std::find_if(kBlanks.begin(), kBlanks.end(), beginsWith);
        if (first > ' ' && first != 0x7F && blank == kBlanks.end())
            break;
        text.remove_prefix(blank == kBlanks.end() ? 1 : blank->size());
    }
    return std::any_of(kBegins.begin(), kBegins.end(), beginsWith);
}

}  // namespace

void appendCsvField(std::string &row, const std::string &value, Formulas formulas)
{
    std::string text = validUtf8(value);
    if (formulas == Formulas::Escaped && looksLikeFormula(text))
        text.insert(text.begin(), '\'');
    if (text.find_first_of("\",\r\n") == std::string::npos) {
        row += text;
        return;
    }
    row += '"';
    for (const char character : text) {
        if (character == '"')
            row += '"';
        row += character;
    }
    row += '"';
}

std::string csvSiteText(const Site &site, Formulas formulas)
{
    std::string text = ",";
    appendCsvField(text, site.file, formulas);
    text += ',';
    if (site.line != 0)
        text += std::to_string(site.line);
    text += ',';
    appendCsvField(text, site.function, formulas);
    return text;
}

}  // namespace ct
